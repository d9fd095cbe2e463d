"""How much longer a recorded step takes than a plain one, with the full diagnosis, in one process.

    python tests/benchmarks/bench_recorder.py

Times are of the processor, on one thread. The two are run in turn and the medians compared, so that a busy
machine slows both. torchlens and torchviz are timed beside them where they are installed; both do less: neither
looks at what came back.
"""

from __future__ import annotations

import importlib
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.recorder import record_step
from tests.benchmarks.table import Row, compared, measured, table

ROOT = Path(__file__).resolve().parents[2]

Step = Callable[[], Tensor]


def lesson() -> tuple[nn.Module, Tensor, Step]:
    net, x, y = nn.Linear(3, 2), torch.randn(4, 3), torch.randn(4, 2)
    return net, x, lambda: nn.functional.mse_loss(net(x), y)


def transformer() -> tuple[nn.Module, Tensor, Step]:
    layer = nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
    net, x = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False), torch.randn(4, 64, 128)
    return net, x, lambda: net(x).pow(2).mean()


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.body(x) + x)


def resnet() -> tuple[nn.Module, Tensor, Step]:
    parts: list[nn.Module] = [nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()]
    parts += [Block(32) for _ in range(4)]
    parts += [nn.Conv2d(32, 64, 3, stride=2, padding=1)]
    parts += [Block(64) for _ in range(4)]
    net = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    assert sum(isinstance(m, nn.Conv2d) for m in net.modules()) == 18
    x, y = torch.randn(4, 3, 64, 64), torch.tensor([1, 2, 3, 4])
    return net, x, lambda: nn.functional.cross_entropy(net(x), y)


def milliseconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return (time.process_time() - start) * 1_000


CASES: tuple[tuple[str, float, int, Callable[[], tuple[nn.Module, Tensor, Step]]], ...] = (
    ("the lesson's step", 5.0, 300, lesson),
    ("a 12-layer transformer's step", 1.2, 20, transformer),
    ("a ResNet-like step", 1.15, 10, resnet),
)
"""What is recorded, the target of its ratio, how many turns are taken, and what makes it."""


def in_turn(runs: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """The median milliseconds of each, run in turn; the first three turns only warm up."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(turns + 3):
        for name, run in runs.items():
            spent = milliseconds(run)
            if turn >= 3:
                times[name].append(spent)
    return {name: statistics.median(all_) for name, all_ in times.items()}


def compare(what: str, target: float, turns: int, made: tuple[nn.Module, Tensor, Step]) -> Row:
    """The recorded step beside the plain one."""
    net, x, step = made

    def clear() -> None:
        for parameter in net.parameters():
            parameter.grad = None

    def plain() -> None:
        clear()
        step().backward()

    def recorded() -> None:
        clear()
        record_step(step, names={"net": net, "x": x})

    medians = in_turn({"plain": plain, "recorded": recorded}, turns)
    return compared(f"{what}, recorded / plain", medians["recorded"], medians["plain"], "ms", at_most=target)


def beside(what: str, made: tuple[nn.Module, Tensor, Step]) -> str:
    """What a record of the step holds, and the times of the other tools."""
    net, x, step = made
    tracemalloc.start()
    record = record_step(step, names={"net": net, "x": x})
    held = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    rivals: dict[str, Callable[[], object]] = {}
    torchlens, torchviz = _module("torchlens"), _module("torchviz")
    if torchlens is not None:
        rivals["torchlens"] = lambda: torchlens.trace(net, x)  # type: ignore[attr-defined]
    if torchviz is not None:
        rivals["torchviz"] = lambda: torchviz.make_dot(step(), params=dict(net.named_parameters()))  # type: ignore[attr-defined]
    others = ", ".join(f"{name} {spent:.2f} ms" for name, spent in in_turn(rivals, 5).items())
    return (
        f"{what}: {len(record.stages)} stages, the record holds {held:,.0f} KiB; "
        f"{others or 'torchlens and torchviz: not installed'}"
    )


def _module(name: str) -> object | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


IMPORTING = """
import time, torch
begun = time.process_time()
import engine.recorder
from engine.recorder.rules import all_rules
all_rules()
print(time.process_time() - begun)
"""


def importing() -> Row:
    """What the recorder adds to a program that has imported torch: the least of five fresh processes."""
    command = [sys.executable, "-c", IMPORTING]
    runs = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(5)]
    return measured(
        "importing the recorder after torch", min(float(run.stdout) for run in runs), "s", at_most=0.3
    )


def rows() -> list[Row]:
    """One row a step, on one thread, and one for the import."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return [*(compare(what, target, turns, make()) for what, target, turns, make in CASES), importing()]


if __name__ == "__main__":
    print(table(rows()))
    # Afterwards: what another tool leaves behind slows the steps.
    for what, _, _, make in CASES:
        print(beside(what, make()))
