"""Twins with a full trace against two bare torch loops of the same: python -m tests.benchmarks.training"""

import gc
import statistics
import time
from collections.abc import Callable
from functools import partial

import torch

from engine import Settings, train
from engine.twins.export import export_script
from engine.twins.training import start_model
from tests.benchmarks.table import Row, compared, table

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
    """What one call takes of the processor: others on the machine then count for less."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


def rows() -> list[Row]:
    """One row an experiment; ours and the reference take turns, and the medians are compared."""
    torch.set_num_threads(1)
    start_model(Settings())
    gc.freeze()
    return [
        _row(settings) for settings in (Settings(epochs=500), Settings(experiment="classifier", epochs=500))
    ]


def _row(settings: Settings) -> Row:
    reference = bare(settings)
    reference()
    pairs = [(seconds(partial(train, settings)), seconds(reference)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(times) * 1e3 for times in zip(*pairs, strict=True))
    what = f"{settings.described().title}, 500 epochs of both twins, with the trace / bare"
    return compared(what, ours, theirs, "ms", at_most=TARGET)


if __name__ == "__main__":
    print(table(rows()))
