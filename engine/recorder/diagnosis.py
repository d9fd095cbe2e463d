"""From what was seen to what is to be said: the record of a step with its states, cuts, findings and verdict."""

from __future__ import annotations

from collections.abc import Iterable

from .analysis.cuts import CutFound, find_cuts
from .analysis.facts import Scene, look_at
from .analysis.gradient_paths import find_paths
from .analysis.intent import settle_intent
from .analysis.stages import build_stages
from .analysis.zeros import ZeroFound, find_dropped, find_zeros
from .capture.compiled import note_on_compiled
from .capture.frames import Line
from .capture.session import Recorder
from .capture.tensors import read_only
from .faults import freeze_line, warn_of_no_path, warn_of_nothing, warn_of_raised
from .finite import warn_of_non_finite
from .from_cuts import warn_of_cuts, warn_of_zeros
from .growth_findings import warn_of_growth
from .leaves import Computed, computed_tensors, moved_buffers, warn_of_leaves
from .memory import warn_of_memory
from .not_scalar import warn_of_shape
from .record import Cut, Finding, Location, ParameterRecord, Sent, StepRecord
from .suggestions import WHAT, listed
from .upkeep import hidden_parameters, notes_on, starved_without_optimizer, warn_of_upkeep
from .verdict import verdict_of
from .warned import Warned


def diagnose(recorder: Recorder) -> StepRecord:
    """The whole report of a recording."""
    scene = look_at(recorder)
    stages, where = build_stages(recorder.tape, scene.names, scene.bits, scene.location)
    scene.hidden = hidden_parameters(scene)
    cuts = find_cuts(scene)
    settle_intent(cuts, scene)
    zeros = [*find_zeros(scene), *find_dropped(scene)]
    computed = computed_tensors(scene)
    buffers = moved_buffers(scene)
    growing = recorder.growth.growing()
    found = [
        *warn_of_nothing(scene),
        *warn_of_raised(scene),
        *warn_of_non_finite(scene),
        *warn_of_shape(scene),
        *warn_of_no_path(scene, any(cut.starved and not cut.intended for cut in cuts)),
        *warn_of_cuts(cuts, scene),
        *warn_of_zeros(zeros, scene),
        *warn_of_upkeep(scene),
        *warn_of_memory(scene),
        *warn_of_leaves(scene, computed, buffers),
        *warn_of_growth(growing, scene),
    ]
    findings = _in_order(found, scene)
    notes = (*notes_on(scene), *note_on_compiled(scene.tape))
    all_cuts = (*(_cut(cut, scene, where) for cut in cuts), *(_zero_cut(zero, scene) for zero in zeros))
    return StepRecord(
        loss=recorder.loss_value,
        stages=stages,
        parameters=tuple(_parameters(scene, cuts, zeros, computed)),
        cuts=all_cuts,
        findings=findings,
        raised=recorder.raised,
        growing=growing,
        buffers=buffers,
        verdict=verdict_of(
            findings, recorder.raised, all_cuts, notes, known=not starved_without_optimizer(scene)
        ),
        notes=notes,
        sent=tuple(_sent(scene, where)),
    )


def _location(line: Line | None, scene: Scene) -> Location | None:
    return scene.location(line) if line is not None else None


def _in_order(found: Iterable[Warned], scene: Scene) -> tuple[Finding, ...]:
    unique: dict[tuple[str, Line | None, tuple[str, ...]], Warned] = {}
    for one in found:
        key = (one.kind, one.line, one.names)
        if key not in unique or unique[key].weight < one.weight:
            unique[key] = one
    ordered = sorted(unique.values(), key=lambda one: -one.weight)
    return tuple(
        Finding(one.kind, _location(one.line, scene), one.names, one.text, one.suggestion) for one in ordered
    )


def _cut(cut: CutFound, scene: Scene, where: dict[int, int]) -> Cut:
    stage = next((where[id(e)] for call in cut.calls for e in call.outputs if id(e) in where), None)
    return Cut(
        cut.kind, _location(cut.line, scene), tuple(cut.starved), cut.intended, stage,
        tuple(cut.partial), cut.possible, cut.why,
    )  # fmt: skip


def _zero_cut(zero: ZeroFound, scene: Scene) -> Cut:
    return Cut(zero.kind, _location(zero.line, scene), tuple(zero.starved), zero.harmless, None)


def _sent(scene: Scene, where: dict[int, int]) -> Iterable[Sent]:
    bits = [(name, scene.bit(tensor)) for name, tensor in scene.names.parameters.items()]
    for run in scene.tape.backwards:
        if run.to_leaves:
            reached = tuple(name for name, bit in bits if run.arrived.get(bit, "none") != "none")
            root = where.get(id(run.roots[0])) if run.roots else None
            yield Sent(root, _location(run.line, scene), reached)


def _parameters(
    scene: Scene, cuts: list[CutFound], zeros: list[ZeroFound], computed: list[Computed]
) -> Iterable[ParameterRecord]:
    paths = find_paths(scene)
    keep = scene.tape.keep
    for name, tensor in scene.names.parameters.items():
        reason, line = _reason(name, scene, cuts, zeros)
        if name not in scene.once:
            reason = f"The same tensor as `{next(n for n, p in scene.once.items() if p is tensor)}`."
        gradient = tensor.grad
        yield ParameterRecord(
            name, tuple(tensor.shape), scene.states[name], reason, _location(line, scene), id(tensor) in scene.held,
            read_only(tensor, keep), None if gradient is None else read_only(gradient, keep),
            paths.get(name, ()), tensor.requires_grad,
        )  # fmt: skip
    known = {id(p) for p in scene.once.values()}
    for path, tensor in scene.hidden.items():
        bit = scene.bit(tensor)
        if id(tensor) not in known and any(run.arrived.get(bit) == "value" for run in scene.tape.backwards):
            yield ParameterRecord(
                path, tuple(tensor.shape), "gradient", "A gradient came back to it; it is registered nowhere.", None,
                id(tensor) in scene.held, read_only(tensor, keep), None,
            )  # fmt: skip
    for one in computed:
        yield ParameterRecord(
            one.name, tuple(one.tensor.shape), one.state, one.reason, _location(one.line, scene), False,
            read_only(one.tensor, keep), None,
        )  # fmt: skip


def _reason(name: str, scene: Scene, cuts: list[CutFound], zeros: list[ZeroFound]) -> tuple[str, Line | None]:
    """Why a parameter has its gradient, or why it has none, and the line that is to blame."""
    tensor, state = scene.tensor(name), scene.states[name]
    if state == "gradient":
        if scene.held and id(tensor) not in scene.held:
            return "A gradient came back to it, and no known optimizer holds it.", None
        lost = next((cut for cut in cuts if name in cut.partial), None)
        if lost is not None:
            return (
                f"A gradient came back to it; another path was cut: {WHAT.get(lost.kind, 'it ends')}.",
                lost.line,
            )
        return "A gradient came back to it.", None
    if state == "zero":
        zero = next((z for z in zeros if name in z.starved), None)
        if zero is None:
            return "Its gradient is all zeros.", None
        what = WHAT.get(zero.kind, "")
        if zero.cause is not None:
            what = zero.cause.why
        elif zero.kind == "zero_op":
            what = f"the derivative of `{zero.operation}` is zero here"
        return f"Its gradient is all zeros: {what}.", zero.line
    if name in scene.constant:
        return "Constant on purpose, as the step says.", None
    if not tensor.requires_grad:
        return "Frozen: `requires_grad` is False.", freeze_line(scene, [name])
    if name in scene.wiped:
        return "A gradient came and was cleared before any optimizer used it.", scene.wiped[name]
    blamed = [cut for cut in cuts if name in cut.starved]
    if blamed:
        cut = blamed[-1] if all(c.possible for c in blamed) else next(c for c in blamed if not c.possible)
        perhaps = "The path was possibly cut" if cut.possible else "The path was cut"
        return f"{perhaps}: {WHAT.get(cut.kind, 'it ends here')}.", cut.line
    dropped = next((z for z in zeros if name in z.starved), None)
    if dropped is not None:
        return f"`{dropped.operation}` got a gradient and sent none on to it.", dropped.line
    if scene.raised is not None:
        where = "The step" if scene.raised.stage == "step" else "`backward()`"
        return f"{where} raised {scene.raised.type} before a gradient could come.", None
    if not scene.tape.backwards:
        return "No `backward()` ran, so no gradient could come.", None
    side = next((cut for cut in cuts if name in scene.named(cut.lost)), None)
    if side is not None:
        return (
            f"Nothing connects it to the loss; it is used for something else ({listed([side.kind])}).",
            side.line,
        )
    return "Nothing connects it to the loss.", None
