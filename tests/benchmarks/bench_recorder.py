"""How much longer a recorded step takes than a plain one, with the full diagnosis, in one process.

    python tests/benchmarks/bench_recorder.py

Times are of the processor, on one thread. The two are run in turn and the medians compared, so that a busy
machine slows both. torchlens and torchviz are timed beside them where they are installed; both do less: neither
looks at what came back.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.recorder import record_step

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


def compare(title: str, target: float, turns: int, made: tuple[nn.Module, Tensor, Step]) -> None:
    """Prints one row: medians in milliseconds, their ratio, and the other tools."""
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

    rivals: dict[str, Callable[[], object]] = {}
    torchlens, torchviz = _module("torchlens"), _module("torchviz")
    if torchlens is not None:
        rivals["torchlens"] = lambda: torchlens.trace(net, x)  # type: ignore[attr-defined]
    if torchviz is not None:
        rivals["torchviz"] = lambda: torchviz.make_dot(step(), params=dict(net.named_parameters()))  # type: ignore[attr-defined]
    times: dict[str, list[float]] = {name: [] for name in ("plain", "recorded", *rivals)}
    for group in (
        {"plain": plain, "recorded": recorded},
        rivals,
    ):  # what a rival leaves behind slows the next in turn
        for turn in range((turns if group is not rivals else min(turns, 5)) + 3):
            for name, run in group.items():
                spent = milliseconds(run)
                if turn >= 3:
                    times[name].append(spent)
    medians = {name: statistics.median(all_) for name, all_ in times.items()}
    tracemalloc.start()
    record = record_step(step, names={"net": net, "x": x})
    held = tracemalloc.get_traced_memory()[0] / 1024
    tracemalloc.stop()
    ratio = medians["recorded"] / medians["plain"]
    others = (
        "".join(f", {name} {medians[name]:.2f} ms" for name in rivals)
        or ", torchlens and torchviz: not installed"
    )
    print(
        f"{title:12} plain {medians['plain']:8.2f} ms, recorded {medians['recorded']:8.2f} ms, ratio {ratio:5.2f} "
        f"(target {target}), {len(record.stages)} stages, the record holds {held:,.0f} KiB{others}"
    )


def _module(name: str) -> object | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    compare("lesson", 5.0, 300, lesson())
    compare("transformer", 1.2, 20, transformer())
    compare("resnet", 1.15, 10, resnet())
