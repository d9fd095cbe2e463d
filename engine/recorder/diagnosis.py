"""From what was seen to what is to be said: the record of a step with its cuts, states, findings and verdict."""

from __future__ import annotations

from engine.recorder.recorder import Recorder
from engine.recorder.records import Cut, ParameterRecord, StepRecord
from engine.recorder.stages import build_stages, leaf_names
from engine.recorder.tensors import is_zero, read_only


def diagnose(recorder: Recorder) -> StepRecord:
    tape, names = recorder.tape, recorder.names()
    stages, where = build_stages(tape, names)
    bits = leaf_names(tape, names)
    held = names.held()
    parameters = []
    for name, p in names.parameters.items():
        state = "none" if p.grad is None else "zero" if is_zero(p.grad) else "gradient"
        reason = {"none": "Nothing connects it to the loss.", "zero": "Its gradient is all zeros."}.get(
            state, "A gradient came back to it."
        )
        parameters.append(
            ParameterRecord(
                name,
                tuple(p.shape),
                state,
                reason,
                None,
                id(p) in held,
                read_only(p, tape.keep),
                None if p.grad is None else read_only(p.grad, tape.keep),
            )
        )
    starved = {p.name for p in parameters if p.state == "none"}
    cuts = []
    for call in tape.calls:
        if call.kind:
            lost = 0
            for e in call.inputs:
                lost |= e.tracked
            gone = tuple(n for b, n in bits.items() if lost >> b & 1 and n in starved)
            line = call.kind_line or call.line
            cuts.append(
                Cut(
                    call.kind,
                    line.location() if line else None,
                    gone,
                    not gone,
                    where.get(id(call.outputs[0])),
                )
            )
    return StepRecord(
        recorder.loss_value,
        stages,
        tuple(parameters),
        tuple(cuts),
        (),
        recorder.raised,
        (),
        (),
        "",
        where.get(id(tape.flow.look_up(recorder.loss))) if recorder.loss is not None else None,
    )
