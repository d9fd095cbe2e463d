"""The record of each parameter: what its gradient came to, and in one sentence why."""

from __future__ import annotations

from collections.abc import Iterator

from .analysis.analysis import Analysis
from .analysis.gradient_paths import find_paths
from .capture.data_flow import Call
from .capture.frames import Line
from .capture.tensors import read_only
from .record import ParameterRecord
from .rules import what_of

Reason = tuple[str, Line | None]


def parameter_records(analysis: Analysis) -> Iterator[ParameterRecord]:
    """Every named parameter, then those of layers registered nowhere, then named tensors that are computed."""
    paths, keep = find_paths(analysis), analysis.keep
    first = {id(p): n for n, p in analysis.once.items()}
    for name, tensor in analysis.names.parameters.items():
        same_as = "" if name in analysis.once else first[id(tensor)]
        reason, line = (f"The same tensor as `{same_as}`.", None) if same_as else _reason(name, analysis)
        gradient = None if tensor.grad is None else read_only(tensor.grad, keep)
        yield ParameterRecord(
            name, tuple(tensor.shape), analysis.states[name], reason, analysis.location(line),
            analysis.is_held(name), read_only(tensor, keep), gradient, paths.get(name, ()), tensor.requires_grad,
            _meant(name, analysis), same_as,
        )  # fmt: skip
    for path, tensor in analysis.hidden.items():
        if id(tensor) not in first and any(s == "value" for _, s in analysis.arrivals(tensor)):
            yield ParameterRecord(
                path, tuple(tensor.shape), "gradient", "A gradient came back to it; it is registered nowhere.", None,
                id(tensor) in analysis.held, read_only(tensor, keep), None,
            )  # fmt: skip
    for lost in analysis.lost:
        reason = "It is computed: the gradient went on to a leaf that nothing holds."
        yield ParameterRecord(
            lost.name, tuple(lost.tensor.shape), "not_retained", reason, analysis.location(lost.line), False,
            read_only(lost.tensor, keep), None,
        )  # fmt: skip
    for one in analysis.computed:
        yield ParameterRecord(
            one.name, tuple(one.tensor.shape), one.state, one.reason, analysis.location(one.line), False,
            read_only(one.tensor, keep), None,
        )  # fmt: skip


def _meant(name: str, analysis: Analysis) -> bool:
    """Whether all that keeps a gradient from it is meant: the step says so, or each cut and each zero looks like it."""
    if analysis.states[name] not in ("none", "zero"):
        return False
    if name in analysis.constant:
        return True
    starving = [cut.intended for cut in analysis.cuts if name in cut.starved]
    starving += [zero.harmless for zero in analysis.zeros if name in zero.starved]
    return bool(starving) and all(starving)


def _reason(name: str, analysis: Analysis) -> Reason:
    """Why a parameter has its gradient, or why it has none, and the line that is to blame."""
    state = analysis.states[name]
    if state == "gradient":
        return _fed(name, analysis)
    if name in analysis.wiped:
        return "A gradient came and was cleared before anything used it.", analysis.wiped[name]
    if state == "zero":
        zero = next((z for z in analysis.zeros if name in z.starved), None)
        return ("Its gradient is all zeros.", None) if zero is None else (
            f"Its gradient is all zeros: {zero.why()}.", zero.line
        )  # fmt: skip
    if name in analysis.constant:
        return "Constant on purpose, as the step says.", None
    if not analysis.tensor(name).requires_grad:
        return "Frozen: `requires_grad` is False.", analysis.frozen_at([name])
    return _starved(name, analysis)


def _fed(name: str, analysis: Analysis) -> Reason:
    if analysis.held and not analysis.is_held(name):
        return "A gradient came back to it, and no known optimizer holds it.", None
    lost = next((cut for cut in analysis.cuts if name in cut.partial), None)
    if lost is not None:
        return f"A gradient came back to it; another path was cut: {what_of(lost.rule)}.", lost.line
    if name in analysis.spent:
        return "A gradient came back to it, was used, and was cleared afterwards.", analysis.spent[name]
    return "A gradient came back to it.", None


def _starved(name: str, analysis: Analysis) -> Reason:
    blamed = [cut for cut in analysis.cuts if name in cut.starved]
    if blamed:
        cut = next((c for c in blamed if not c.possible), blamed[-1])
        perhaps = "The path was possibly cut" if cut.possible else "The path was cut"
        return f"{perhaps}: {what_of(cut.rule)}.", cut.line
    dropped = next((z for z in analysis.zeros if name in z.starved), None)
    if dropped is not None:
        return f"{dropped.why(nothing=True)}.".replace("the custom", "The custom"), dropped.line
    if analysis.raised is not None:
        where = {"load": "The file", "step": "The step"}.get(analysis.raised.stage, "`backward()`")
        return f"{where} raised {analysis.raised.type} before a gradient could come.", None
    if any(call.operation == "autograd.grad" and _about(name, call, analysis) for call in analysis.calls):
        return "Its gradient was taken by `autograd.grad`, which leaves nothing in `.grad`.", None
    if not analysis.passes:
        return "No `backward()` ran, so no gradient could come.", None
    side = next((cut for cut in analysis.cuts if name in analysis.named(cut.lost)), None)
    if side is not None:
        return (
            f"Nothing connects it to the loss. It is used for something else: {what_of(side.kind)}.",
            side.line,
        )
    return "Nothing connects it to the loss.", None


def _about(name: str, call: Call, analysis: Analysis) -> bool:
    """Whether a derivative was taken with respect to a parameter."""
    return any(entry.leaf == analysis.bit(analysis.tensor(name)) for entry in call.about)
