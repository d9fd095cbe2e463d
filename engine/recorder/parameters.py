"""The record of each parameter: what its gradient came to, and in one sentence why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from .analysis.analysis import Analysis
from .analysis.cuts import CutFound
from .analysis.gradient_paths import find_paths
from .analysis.zeros import ZeroFound
from .capture.frames import Line
from .capture.kept import kept
from .capture.tensors import read_only
from .record import ParameterRecord
from .rules import what_of

Reason = tuple[str, Line | None]


def parameter_records(analysis: Analysis, accused: frozenset[str]) -> Iterator[ParameterRecord]:
    """Every named parameter, then those of layers registered nowhere, then named tensors that are computed.

    `accused` are the names that a finding names.
    """
    paths, keep = find_paths(analysis), analysis.keep
    causes = _Causes(analysis, accused)
    first = {id(p): n for n, p in analysis.once.items()}
    for name, tensor in analysis.names.parameters.items():
        same_as = "" if name in analysis.once else first[id(tensor)]
        reason, line = (
            (f"The same tensor as `{same_as}`.", None) if same_as else _reason(name, causes, analysis)
        )
        gradient = None if tensor.grad is None else read_only(tensor.grad, keep)
        yield ParameterRecord(
            name, tuple(tensor.shape), analysis.states[name], reason, analysis.location(line),
            analysis.is_held(name), read_only(tensor, keep), gradient, paths.get(name, ()), analysis.wants(tensor),
            _meant(name, causes, analysis), same_as,
        )  # fmt: skip
    for path, tensor in analysis.hidden.items():
        if id(tensor) not in first and any(s == "value" for _, s in analysis.arrivals(tensor)):
            yield ParameterRecord(
                path, tuple(tensor.shape), "gradient", "It gets a gradient, but is registered nowhere.", None,
                id(tensor) in analysis.held, read_only(tensor, keep), None,
            )  # fmt: skip
    for lost in analysis.lost:
        reason = "It is computed, not a leaf: its gradient goes to a leaf that nothing holds."
        yield ParameterRecord(
            lost.name, tuple(lost.tensor.shape), "not_retained", reason, analysis.location(lost.line), False,
            read_only(lost.tensor, keep), None,
        )  # fmt: skip
    for one in analysis.computed:
        yield ParameterRecord(
            one.name, tuple(one.tensor.shape), one.state, one.reason, analysis.location(one.line), False,
            read_only(one.tensor, keep), None,
        )  # fmt: skip


class _Causes:
    """The cuts and zeros of a step by whom they starve: both may starve thousands."""

    def __init__(self, analysis: Analysis, accused: frozenset[str]) -> None:
        self._analysis = analysis
        self._accused = accused

    def idle(self, name: str) -> bool:
        """Whether nothing is expected to train it: optimizers are known and none holds it, as with a running average."""
        one = self._analysis
        if not one.held or one.raised is not None or name in self._accused:
            return False
        return not one.is_held(name) and one.wants(one.tensor(name))

    @kept
    def starving(self) -> dict[str, list[CutFound]]:
        """The cuts that starve a parameter."""
        return _by_name((cut.starved, cut) for cut in self._analysis.cuts)

    @kept
    def partial(self) -> dict[str, list[CutFound]]:
        """The cuts that take one of several paths from it."""
        return _by_name((cut.partial, cut) for cut in self._analysis.cuts)

    @kept
    def lost(self) -> dict[str, list[CutFound]]:
        """The cuts that end any of its paths."""
        return _by_name((self._analysis.named(cut.lost), cut) for cut in self._analysis.cuts)

    @kept
    def zeros(self) -> dict[str, list[ZeroFound]]:
        """What made its gradient zeros, or sent none on."""
        return _by_name((zero.starved, zero) for zero in self._analysis.zeros)

    @kept
    def taken(self) -> set[int | None]:
        """The leaves, by bit, of which `autograd.grad` took the gradient."""
        calls = (call for call in self._analysis.calls if call.operation == "autograd.grad")
        return {entry.leaf for call in calls for entry in call.about}


T = TypeVar("T")


def _by_name(found: Iterable[tuple[Iterable[str], T]]) -> dict[str, list[T]]:
    by_name: dict[str, list[T]] = {}
    for names, one in found:
        for name in names:
            by_name.setdefault(name, []).append(one)
    return by_name


def _meant(name: str, causes: _Causes, analysis: Analysis) -> bool:
    """Whether all that keeps a gradient from it is meant: the step says so, or each cut and each zero looks like it.

    Where nothing keeps one from it, whether nobody is to train it.
    """
    if analysis.states[name] not in ("none", "zero"):
        return False
    if name in analysis.constant:
        return True
    starving = [cut.intended for cut in causes.starving.get(name, ())]
    starving += [zero.harmless for zero in causes.zeros.get(name, ())]
    return all(starving) if starving else analysis.states[name] == "none" and causes.idle(name)


def _reason(name: str, causes: _Causes, analysis: Analysis) -> Reason:
    """Why a parameter has its gradient, or why it has none, and the line that is to blame."""
    state = analysis.states[name]
    if state == "gradient":
        return _fed(name, causes, analysis)
    if name in analysis.wiped:
        return "It got a gradient that was cleared before anything used it.", analysis.wiped[name]
    if state == "zero":
        zero = next(iter(causes.zeros.get(name, ())), None)
        return ("Its gradient is all zeros.", None) if zero is None else (
            f"Its gradient is all zeros: {zero.why()}.", zero.line
        )  # fmt: skip
    if name in analysis.constant:
        return "Declared constant (`expect_constant`).", None
    if not analysis.wants(analysis.tensor(name)):
        return "Frozen: `requires_grad` is False.", analysis.frozen_at([name])
    return _starved(name, causes, analysis)


def _fed(name: str, causes: _Causes, analysis: Analysis) -> Reason:
    if analysis.held and not analysis.is_held(name):
        return "It gets a gradient, but no known optimizer holds it.", None
    lost = next(iter(causes.partial.get(name, ())), None)
    if lost is not None:
        return f"It gets a gradient; another path to it was cut: {what_of(lost.rule)}.", lost.line
    if name in analysis.spent:
        return "It got a gradient that was used and then cleared.", analysis.spent[name]
    return "It gets a gradient.", None


def _starved(name: str, causes: _Causes, analysis: Analysis) -> Reason:
    blamed = causes.starving.get(name, [])
    if blamed:
        cut = next((c for c in blamed if not c.possible), blamed[-1])
        perhaps = "Its path may have been cut" if cut.possible else "Its path was cut"
        return f"{perhaps}: {what_of(cut.rule)}.", cut.line
    dropped = next(iter(causes.zeros.get(name, ())), None)
    if dropped is not None:
        return f"{dropped.why(nothing=True)}.".replace("the custom", "The custom"), dropped.line
    if analysis.raised is not None:
        where = {"load": "The file", "step": "The step"}.get(analysis.raised.stage, "`backward()`")
        return f"{where} raised {analysis.raised.type} before it could get a gradient.", None
    if analysis.bit(analysis.tensor(name)) in causes.taken:
        return "Its gradient was computed by `autograd.grad`, which does not write to `.grad`.", None
    if not analysis.passes:
        return "No `backward()` ran, so it has no gradient.", None
    why = (
        "No optimizer holds it, so it is not expected to learn."
        if causes.idle(name)
        else "Nothing connects it to the loss."
    )
    side = next(iter(causes.lost.get(name, ())), None)
    if side is not None:
        return f"{why} It is used for something other than the loss: {what_of(side.rule)}.", side.line
    return why, None
