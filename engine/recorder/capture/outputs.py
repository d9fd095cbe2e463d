"""What a call made, and the kind of cut that the call would be, should a path end in it."""

from __future__ import annotations

import torch
from torch import Tensor

from .data_flow import Call
from .frames import Caller, Passed, has_rsample
from .source_text import block_around
from .tape import Tape
from .vocabulary import COPIES, EACH_ITS_OWN, KINDS


def note_outputs(tape: Tape, call: Call, name: str, made: list[Tensor], caller: Caller) -> None:
    """Adds an entry for each tensor that the call made, and judges the call where leaves went in."""
    inputs = call.inputs
    value = 0
    for entry in inputs:
        value |= entry.value
    one_by_one = name in EACH_ITS_OWN and len(inputs) == len(made)
    outputs = []
    for i, tensor in enumerate(made):
        outputs.append(tape.add_entry(tensor, call, i, inputs[i].value if one_by_one else value))
    call.outputs = tuple(outputs)
    tape.add(call)
    if value and not (
        one_by_one and torch.is_grad_enabled()
    ):  # there each is a view of its own with its history
        _judge(tape, call, name, made[0], caller)


def _judge(tape: Tape, call: Call, name: str, made: Tensor, caller: Caller) -> None:
    """The kind of cut that this call is, should a path end in it, and the line that is to blame."""
    tracked = 0
    for entry in call.inputs:
        tracked |= entry.tracked
    if not tracked and name not in KINDS and name not in COPIES:
        call.kind = ""
        return
    for entry in call.outputs:
        if entry.value and (not entry.tracked or tracked & entry.value & ~entry.tracked):
            break
    else:
        call.kind = ""
        return
    blind = next((entry for entry in call.outputs if entry.value and not entry.tracked), call.outputs[0])
    call.kind_line = call.kind_line or call.line
    if name in KINDS:
        call.kind = "deepcopy" if caller.passed & Passed.DEEPCOPY else KINDS[name]
        call.kind_line = call.line
    elif name in COPIES:
        call.kind = "torch_tensor"
    elif call.function is not None:
        call.kind = "checkpoint" if call.kind == "checkpoint" else "custom_function"
    elif torch.is_inference_mode_enabled() or made.is_inference():
        call.kind = "inference_mode" if blind.floating else "integer"
        if blind.floating:
            call.kind_line = block_around(caller.frame, "inference_mode") or call.line
    elif caller.passed & Passed.DISTRIBUTION and made.dtype is torch.bool:
        call.kind = ""  # a distribution checks what it is given, or whether a value lies in its range
    elif caller.passed & Passed.DISTRIBUTION and not blind.tracked and not _off_around(tape):
        call.kind, call.drawn = "no_grad", True  # most switch gradients off, and the others draw integers
        call.has_rsample = has_rsample()
    elif not torch.is_grad_enabled() and (blind.floating or caller.passed & Passed.DISTRIBUTION):
        off = tape.off
        call.kind = off.kind if off is not None else "custom_function"
        if off is not None:
            call.kind_line = off.line or block_around(caller.frame, "no_grad") or call.line
    elif not blind.tracked:
        call.kind = "integer"


def _off_around(tape: Tape) -> bool:
    """Whether gradients are off around the distribution that makes a call: then `rsample()` has no history either."""
    return not torch.is_grad_enabled() and tape.off is not None and not tape.off.by_distribution
