"""The stages that a reader is shown: the tensors the step started from, then its calls in order.

A call of a custom `Function` is one stage, whatever torch calls its forward makes. What optimizers do, counters of
a BatchNorm and results that are no tensors are no stages.
"""

from __future__ import annotations

from collections.abc import Callable

from ..capture.data_flow import Call, Entry
from ..capture.frames import Line
from ..capture.names import Names
from ..capture.source_text import assigned_name
from ..capture.tape import Tape
from ..capture.tensors import read_only
from ..record import Location, Stage


def build_stages(
    tape: Tape, names: Names, bit_names: dict[int, str], locate: Callable[[Line], Location]
) -> tuple[tuple[Stage, ...], dict[int, int]]:
    """The stages, and the index of the stage behind each entry (by the entry's `id`)."""
    stages: list[Stage] = []
    where: dict[int, int] = {}
    for entry in tape.inputs:
        if entry.content is None or (entry.leaf is not None and _is_parameter(entry, names, bit_names)):
            continue
        where[id(entry)] = len(stages)
        if entry.leaf is not None:
            _take_leaf_gradient(entry, tape)
        stages.append(
            Stage(
                len(stages), "input", "", (), (), entry.record(entry.name), None,
                entry.gradient, entry.gradient_state, None,
            )
        )  # fmt: skip
    groups = _groups(tape)
    last_on_line = {call.line: call for group in groups for call in group}
    storages: dict[int, int] = {e.storage: where[id(e)] for e in tape.inputs if e.storage and id(e) in where}
    for group in groups:
        call, first = group[-1], group[0]
        output = call.outputs[0] if call.function is None else _result(tape, call)
        if output.content is None:
            continue
        index = len(stages)
        inputs: dict[int, None] = {}
        used: set[str] = set()
        for entry in [entry for member in group for entry in member.inputs]:
            behind = where.get(id(entry))
            if behind is not None:
                inputs[behind] = None
                continue
            if entry.previous:
                inputs.update(dict.fromkeys(_stages_behind(entry, where)))
            if entry.leaf is not None and entry.leaf in bit_names:
                used.add(bit_names[entry.leaf])
        name = assigned_name(call.line) if last_on_line.get(call.line) is call else ""
        operation = call.operation if first.function is None else _function_name(tape, first)
        module = (
            names.modules.get(id(call.module), type(call.module).__name__) if call.module is not None else ""
        )
        shared = storages.get(output.storage)
        rest = call.outputs[1:]
        more = tuple([e.record() for e in rest if e.content is not None]) if rest else ()
        stages.append(
            Stage(
                index, operation, module, tuple(inputs), tuple(sorted(used)), output.record(name), shared,
                output.gradient, output.gradient_state, locate(call.line) if call.line is not None else None,
                more, len(group),
            )
        )  # fmt: skip
        for member in group:
            for entry in member.outputs:
                where[id(entry)] = index
                storages.setdefault(entry.storage, index)
        where[id(output)] = index
    return tuple(stages), where


def _take_leaf_gradient(entry: Entry, tape: Tape) -> None:
    """What came back to a leaf stands in its `.grad`, not at a node."""
    leaf = tape.flow.graph.leaves[entry.leaf] if entry.leaf is not None else None
    states = [run.arrived.get(entry.leaf or 0, "none") for run in tape.backwards]
    if leaf is not None and leaf.grad is not None and states:
        entry.gradient = read_only(leaf.grad, tape.keep)
        entry.gradient_state = next((s for s in ("value", "zero") if s in states), "none")
        if entry.gradient_state == "none":
            entry.gradient = None


def _is_parameter(entry: Entry, names: Names, bit_names: dict[int, str]) -> bool:
    return (
        bit_names.get(entry.leaf if entry.leaf is not None else -1, "") in names.parameters
        and not entry.met_as_input
    )


def _groups(tape: Tape) -> list[list[Call]]:
    groups: list[list[Call]] = []
    for call in tape.calls:
        if not call.in_step or not call.seen or call.sink or not call.outputs:
            continue
        counts = call.in_place and not call.outputs[0].floating and call.outputs[0].content is not None
        if counts and (call.module is not None or not call.line):
            continue
        if call.function is not None and groups and groups[-1][-1].function == call.function:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


def _result(tape: Tape, call: Call) -> Entry:
    """The call's output, or for a custom Function the tensor that came out of its `apply`."""
    if call.function is not None:
        for entry in tape.flow.made_by(call.function):
            if entry.output_number == 0 and entry.content is not None:
                return entry
    return call.outputs[0]


def _function_name(tape: Tape, call: Call) -> str:
    result = _result(tape, call)
    name = result.record().grad_fn if result.content is not None else None
    return (name or call.operation).removesuffix("Backward")


def _stages_behind(entry: Entry, where: dict[int, int]) -> list[int]:
    found: list[int] = []
    todo, seen = list(entry.previous), {id(entry)}
    while todo:
        before = todo.pop()
        if id(before) in seen:
            continue
        seen.add(id(before))
        if id(before) in where:
            found.append(where[id(before)])
        else:
            todo.extend(before.previous)
    return found
