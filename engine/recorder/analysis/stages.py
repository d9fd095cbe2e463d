"""The stages that a reader is shown: the tensors the step started from, then its calls in order.

A call of a custom `Function` is one stage, whatever torch calls its forward makes. What optimizers do, counters of
a BatchNorm and results that are no tensors are no stages.
"""

from __future__ import annotations

from itertools import takewhile

from ..capture.data_flow import Call, Entry
from ..capture.source_text import assigned_name
from ..capture.tensors import read_only
from ..record import Array, GradientState, Stage
from .facts import Facts


def build_stages(facts: Facts) -> tuple[tuple[Stage, ...], dict[int, int]]:
    """The stages, and the index of the stage behind each entry (by the entry's `id`)."""
    stages: list[Stage] = []
    where: dict[int, int] = {}
    storages: dict[int, int] = {}
    for entry in facts.inputs:
        if entry.content is None or _is_parameter(entry, facts):
            continue
        index = where[id(entry)] = len(stages)
        if entry.storage:
            storages[entry.storage] = index
        came = _at_leaf(entry, facts) or (entry.gradient, entry.gradient_state)
        stages.append(Stage(index, "input", "", (), (), entry.record(entry.name), None, *came, None))
    groups = _groups(facts)
    last_on_line = {call.line: call for group in groups for call in group}
    for group in groups:
        call = group[-1]
        output = call.outputs[0] if call.function is None else _result(call, facts)
        if output.content is None:
            continue
        name = assigned_name(call.line) if last_on_line.get(call.line) is call else ""
        stages.append(_stage(len(stages), group, output, name, storages.get(output.storage), where, facts))
        for member in group:
            for entry in member.outputs:
                where[id(entry)] = len(stages) - 1
                storages.setdefault(entry.storage, len(stages) - 1)
        where[id(output)] = len(stages) - 1
    return tuple(stages), where


def _stage(
    index: int,
    group: list[Call],
    output: Entry,
    name: str,
    shared: int | None,
    where: dict[int, int],
    facts: Facts,
) -> Stage:
    call, first = group[-1], group[0]
    inputs: dict[int, None] = {}
    used: set[str] = set()
    for entry in [entry for member in group for entry in member.inputs]:
        behind = where.get(id(entry))
        if behind is not None:
            inputs[behind] = None
            continue
        if entry.previous:
            inputs.update(dict.fromkeys(_stages_behind(entry, where)))
        if entry.leaf is not None and entry.leaf in facts.bits:
            used.add(facts.bits[entry.leaf])
    operation = call.operation if first.function is None else _function_name(first, facts)
    module = _module_around(group, facts)
    more = tuple([e.record() for e in call.outputs[1:] if e.content is not None]) if call.outputs[1:] else ()
    return Stage(
        index, operation, module, tuple(inputs), tuple(sorted(used)), output.record(name), shared,
        output.gradient, output.gradient_state, facts.location(call.line), more,
    )  # fmt: skip


def _module_around(group: list[Call], facts: Facts) -> str:
    """The name of the innermost module in whose forward all calls of a stage were made."""
    names = {
        "" if call.module is None else facts.names.modules.get(id(call.module), type(call.module).__name__)
        for call in group
    }
    if len(names) == 1:
        return names.pop()
    shared = takewhile(
        lambda parts: len(set(parts)) == 1, zip(*(name.split(".") for name in names), strict=False)
    )
    return ".".join(parts[0] for parts in shared)


def _at_leaf(entry: Entry, facts: Facts) -> tuple[Array | None, GradientState] | None:
    """What came back to a leaf stands in its `.grad`, not at a node; None where nothing stands there."""
    if entry.leaf is None:
        return None
    gradient = facts.leaf(entry.leaf).grad
    states = [run.arrived.get(entry.leaf, "none") for run in facts.passes]
    if gradient is None or not states:
        return None
    state: GradientState = next((s for s in ("value", "zero") if s in states), "none")
    return (None if state == "none" else read_only(gradient, facts.keep)), state


def _is_parameter(entry: Entry, facts: Facts) -> bool:
    return (
        entry.leaf is not None
        and facts.bits.get(entry.leaf, "") in facts.names.parameters
        and not entry.met_as_input
    )


def _groups(facts: Facts) -> list[list[Call]]:
    groups: list[list[Call]] = []
    for call in facts.calls:
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


def _result(call: Call, facts: Facts) -> Entry:
    """The call's output, or for a custom Function the tensor that came out of its `apply`."""
    if call.function is not None:
        for entry in facts.flow.made_by(call.function):
            if entry.output_number == 0 and entry.content is not None:
                return entry
    return call.outputs[0]


def _function_name(call: Call, facts: Facts) -> str:
    result = _result(call, facts)
    name = result.record().grad_fn if result.content is not None else None
    return (name or call.function_name or call.operation).removesuffix("Backward")


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
