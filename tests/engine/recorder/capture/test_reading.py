"""Names that stand for something else, or that raise when they are asked anything, end no recording."""

import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_file, record_step, recording


class Parts:
    """A trainer as libraries write them: parts that know each other, by proxies and in circles."""

    def __init__(self) -> None:
        self.net = nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
        self.x = torch.randn(4, 3)
        self.loop = Loop(self)
        self.me = self
        self.all = [self, self.loop, deque([self]), {"self": self, self.net: self.net, self.x: 1}]
        self.other_net = weakref.proxy(self.net)
        self.other_optimizer = weakref.proxy(self.optimizer)

    def fit(self) -> None:
        self.optimizer.zero_grad()
        loss: Tensor = self.net(self.x).pow(2).mean()
        loss.backward()
        self.optimizer.step()


class Loop:
    def __init__(self, owner: Parts) -> None:
        self.owner = weakref.proxy(owner)
        self.net = weakref.proxy(owner.net)
        self.fit = weakref.proxy(owner.fit)  # gone at once
        self.parts = [weakref.proxy(owner), weakref.proxy(owner.x)]


def test_a_trainer_of_proxies_and_circles_is_recorded() -> None:
    trainer = Parts()
    recorded = recording()
    for _ in range(3):
        with recorded:
            trainer.fit()
    report = recorded.report
    assert report.ok, report.verdict
    assert {p.name: p.state for p in report.parameters} == {
        "trainer.net.weight": "gradient",
        "trainer.net.bias": "gradient",
    }
    assert all(p.in_optimizer for p in report.parameters)
    assert report.growing == ()


def test_what_only_proxies_lead_to_is_named_all_the_same() -> None:
    hidden = Parts()
    net, optimizer, x = weakref.proxy(hidden.net), weakref.proxy(hidden.optimizer), weakref.proxy(hidden.x)
    report = record_step(lambda: net(x).detach().sum(), names={"net": net, "x": x}, optimizer=optimizer)
    assert [(p.name, p.state, p.in_optimizer) for p in report.parameters] == [
        ("net.weight", "none", True),
        ("net.bias", "none", True),
    ]


def raising(*_: object) -> Any:
    raise RuntimeError("not now")


def odd(**methods: object) -> object:
    return type("Odd", (), methods)()


class WithSlots:
    __slots__ = ("__weakref__", "empty", "net")

    def __init__(self) -> None:
        self.net = nn.Linear(3, 1)

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


class NotReady(nn.Module):
    def __init__(self) -> None:
        pass


class Equal(nn.Module):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not now")

    __hash__ = None  # type: ignore[assignment]


class OddDict(dict[object, object]):
    items = values = keys = __iter__ = raising


class OddList(list[object]):
    __iter__ = __len__ = raising


def dead_proxy() -> object:
    return weakref.proxy(WithSlots())


ODD: dict[str, Callable[[], object]] = {
    "a dead proxy": dead_proxy,
    "a proxy of a callable": lambda: weakref.proxy(raising),
    "a class that raises": lambda: odd(__class__=property(raising)),
    "attributes that raise": lambda: odd(__getattr__=raising),
    "all attributes raise": lambda: odd(__getattribute__=raising),
    "a dictionary that raises": lambda: odd(__dict__=property(raising)),
    "a hash that raises": lambda: odd(__hash__=raising),
    "an equality that raises": lambda: odd(__eq__=raising, __hash__=None),
    "a truth that raises": lambda: odd(__bool__=raising, __len__=raising),
    "a representation that raises": lambda: {odd(__repr__=raising): nn.Linear(3, 1)},
    "slots": WithSlots,
    "a module that is not ready": NotReady,
    "a module without a hash": Equal,
    "a lazy module": lambda: nn.LazyLinear(2),
    "an odd dictionary": lambda: OddDict(a=1),
    "an odd list": lambda: OddList([1]),
    "a tensor as a key": lambda: {torch.zeros(3): [nn.Linear(3, 1)]},
    "a mixed bag": lambda: [
        dead_proxy(),
        {1: odd(__class__=property(raising))},
        odd(__getattribute__=raising),
    ],
}


@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_an_odd_name_ends_no_recording(make: Callable[[], object]) -> None:
    keep = [make(), type("Holder", (), {})()]
    thing, holder = keep
    holder.thing = thing
    net, x = nn.Linear(3, 1), torch.randn(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.extra = None if issubclass(type(thing), nn.Module) else [thing]  # type: ignore[assignment]
    names = {"net": net, "x": x, "optimizer": optimizer, "thing": thing, "holder": holder, "keep": keep}

    def step() -> Tensor:
        assert keep
        optimizer.zero_grad()
        loss: Tensor = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss

    for report in (record_step(step, names=names, calls=3), record_step(step, calls=3)):
        assert not [p for p in report.parameters if p.name.startswith("net.") and p.state != "gradient"]
        assert not [f for f in report.findings if "net.weight" in f.names]
    with recording() as recorded:
        step()
    assert {p.name: p.state for p in recorded.report.parameters}["net.weight"] == "gradient"


def test_a_file_with_proxies_among_its_names_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "with_proxies.py"
    file.write_text(
        "import torch, weakref\n"
        "net = torch.nn.Linear(3, 1)\n"
        "optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "class Trainer: pass\n"
        "trainer = Trainer()\n"
        "trainer.net, trainer.me = weakref.proxy(net), weakref.proxy(trainer)\n"
        "other, gone = weakref.proxy(net), weakref.proxy(Trainer())\n"
        "def step():\n"
        "    return other(torch.ones(2, 3)).pow(2).mean()\n"
    )
    report = record_file(str(file))
    assert report.ok, report.verdict
    assert {p.name for p in report.parameters} == {"net.weight", "net.bias", "other.weight", "other.bias"}
    assert {p.state for p in report.parameters} == {"gradient"}
