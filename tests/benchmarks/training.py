"""Twins with a full trace against two bare torch loops of the same: python -m tests.benchmarks.training"""

import gc
import statistics
import time
from collections.abc import Callable
from functools import partial

import torch

from engine import Settings, train
from engine.export import export_script
from engine.training import start_model

TARGET = 1.15
ROUNDS = 7


def bare(settings: Settings) -> Callable[[], None]:
    """The two loops of the exported script: losses, no trace."""
    names: dict[str, object] = {"__name__": "bare", "print": lambda *_: None}
    exec(compile(export_script(settings), "bare", "exec"), names)
    loop, steps = names["train"], [names["step_without_detach"], names["step_with_detach"]]

    def run() -> None:
        for step in steps:
            loop(step)  # type: ignore[operator]

    return run


def seconds(run: Callable[[], object]) -> float:
    """How long one call takes."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def main() -> None:
    """Prints the table; ours and the reference take turns, and the medians are compared."""
    torch.set_num_threads(1)
    start_model(Settings())
    gc.freeze()
    print(f"{'500 epochs, both twins':34} {'ours ms':>8} {'bare ms':>8} {'ratio':>6} {'target':>7}")
    for settings in (Settings(epochs=500), Settings(experiment="classifier", epochs=500)):
        reference = bare(settings)
        reference()
        pairs = [(seconds(partial(train, settings)), seconds(reference)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
        print(
            f"{settings.described().title:34} {ours * 1e3:8.1f} {theirs * 1e3:8.1f} {ours / theirs:6.2f} {TARGET:7.2f}"
        )


if __name__ == "__main__":
    main()
