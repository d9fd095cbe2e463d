"""Whether a cut is meant: what it holds back is a target, a sample for a discriminator, or nobody's to train.

From one run nobody can know what was meant. These are the signs that are asked for, each a common pattern:
no optimizer that works on this step holds what starves; the value is compared with a prediction and no layer comes
after it; the layers after it also see other data (a discriminator's step); what starves is in eval mode.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from torch import nn

from ..capture.data_flow import Call, Entry
from ..capture.names import held_in, ids_in, modules_of
from .cuts import CutFound
from .facts import Facts

_TARGET = "its value is a target or a weight that a prediction is compared with"


def with_intent(cuts: tuple[CutFound, ...], facts: Facts) -> tuple[CutFound, ...]:
    """The cuts, each said to be meant or not."""
    settled = [_settled(cut, facts) for cut in cuts]
    unmeant = [cut for cut in settled if not cut.intended and not cut.possible]
    targets = [cut for cut in unmeant if _is_target(cut, facts)] if len(unmeant) > 1 else []
    blamed = {n for cut in unmeant if cut not in targets for n in cut.starved}
    return tuple(
        replace(cut, intended=True, why=_TARGET) if cut in targets and blamed >= set(cut.starved) else cut
        for cut in settled
    )


def _settled(cut: CutFound, facts: Facts) -> CutFound:
    wanted = facts.trainable_among(cut.starved)
    if not wanted:
        return cut
    why = "" if facts.cannot_train else _why_meant(cut, wanted, facts)
    return replace(cut, intended=bool(why), why=why)


def _why_meant(cut: CutFound, wanted: list[str], facts: Facts) -> str:
    """Why a cut that starves somebody is taken to be meant, "" where nothing speaks for it."""
    held = [ids_in(o) for o in facts.working_optimizers.values()]
    starved = {id(facts.tensor(n)) for n in wanted}
    if held and not any(starved & ids for ids in held):
        return "no optimizer of this step holds what it cuts off"
    if _stepped_on_nothing(starved, facts):
        return ""
    if held and not _other_optimizers_business(starved, held, facts):
        return ""
    if _in_eval_mode(wanted, facts):
        return "what it cuts off is in eval mode"
    entries = [e for e in cut.outputs if id(e) in facts.into_loss]
    if any(e.leaf is not None and e.tracked for e in entries):
        return ""  # a new leaf takes the place of the one that starves
    layers, _ = downstream(entries, facts)
    if _is_target(cut, facts):
        return _TARGET
    if layers and _batched_with_data(entries, facts):
        return "it is one part of a batch, beside data"
    if layers and _sees_other_data(layers, entries, facts):
        return "the layers after it are trained on other data as well"
    return ""


def _is_target(cut: CutFound, facts: Facts) -> bool:
    """Whether the value meets a prediction and goes through no layer on its way."""
    layers, merged = downstream([e for e in cut.outputs if id(e) in facts.into_loss], facts)
    direct = any(call.sink and any(e.leaf is not None for e in call.inputs) for call in cut.calls)
    return not layers and merged and not direct


def _other_optimizers_business(starved: set[int], held: list[set[int]], facts: Facts) -> bool:
    """Whether all that starves belongs to optimizers that have no part in this step, while another's has."""
    fed = {id(p) for n, p in facts.names.parameters.items() if facts.states[n] == "gradient"}
    others = set().union(*(ids for ids in held if not ids & fed))
    return starved <= others and any(ids & fed for ids in held)


def _stepped_on_nothing(starved: set[int], facts: Facts) -> bool:
    """Whether an optimizer of what starves made its step, and nothing it holds had a gradient: that is never meant."""
    fed = {id(p) for n, p in facts.names.parameters.items() if facts.states[n] in ("gradient", "zero")}
    return any(ids_in(o) & starved and not ids_in(o) & fed for o in facts.stepped)


def _in_eval_mode(names: list[str], facts: Facts) -> bool:
    owners: list[nn.Module] = []
    wanted = {id(facts.tensor(n)) for n in names}
    for value in facts.names.variables.values():
        if isinstance(value, nn.Module):
            owners += [
                m
                for _, m in modules_of("", value)
                if any(id(p) in wanted for _, p in held_in(m, "_parameters"))
            ]
    covered = {id(p) for m in owners for _, p in held_in(m, "_parameters")}
    return bool(owners) and wanted <= covered and not any(m.training for m in owners)


def downstream(entries: Iterable[Entry], facts: Facts) -> tuple[set[int], bool]:
    """The bits of the layers' leaves that the entries' values go through, and whether they meet a prediction."""
    layers: set[int] = set()
    merged = False
    carried = _forward(entries, facts)
    todo, seen = list(entries), set()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        for call in _users_into_loss(entry, facts):
            for other in call.inputs if any(id(o) in facts.moving_loss for o in call.outputs) else ():
                if other is entry or id(other) in seen:
                    continue
                if other.leaf is not None and id(other) in carried:
                    continue  # a leaf that was made of these very values, such as the input of a gradient penalty
                if other.leaf is not None and other.tracked and not other.scalar:
                    layers.add(other.leaf)
                elif other.tracked:
                    merged = True
            todo.extend(call.outputs)
        for same in facts.became.get(id(entry), ()):
            if same.leaf is not None and same.tracked:
                layers.add(same.leaf)
            todo.append(same)
    return layers, merged


def _users_into_loss(entry: Entry, facts: Facts) -> list[Call]:
    calls = facts.users.get(id(entry), [])
    return [c for c in calls if any(id(o) in facts.into_loss for o in c.outputs)]


def _sees_other_data(layers: set[int], entries: list[Entry], facts: Facts) -> bool:
    """Whether every one of these layers also works on values that do not come from `entries`."""
    carried = _forward(entries, facts)
    made_of_them = {e.leaf for c in facts.calls for e in c.inputs if e.leaf is not None and id(e) in carried}
    if layers <= made_of_them:
        return False
    for leaf in layers - made_of_them:
        own = False
        for call in facts.calls:
            if not any(e.leaf == leaf and e.tracked and id(e) not in carried for e in call.inputs):
                continue
            into = any(id(o) in facts.into_loss and o.tracked for o in call.outputs)
            data = any(e.leaf is None for e in call.inputs)
            own = own or (into and data and not any(id(e) in carried for e in call.inputs))
        if not own:
            return False
    return True


def _batched_with_data(entries: list[Entry], facts: Facts) -> bool:
    """Whether the value is put into one batch with values that no parameter made: fake samples beside real ones."""
    for entry in entries:
        for call in _users_into_loss(entry, facts):
            mine, made = entry.content, call.outputs[0].content
            if (
                call.operation not in ("cat", "concat", "concatenate", "vstack")
                or mine is None
                or made is None
            ):
                continue
            others = [e for e in call.inputs if e is not entry]
            along_the_batch = mine[0][1:] == made[0][1:] and mine[0] != made[0]
            if along_the_batch and any(not e.value for e in others):
                return True
    return False


def _forward(entries: Iterable[Entry], facts: Facts) -> set[int]:
    seen: set[int] = set()
    todo = list(entries)
    while todo:
        entry = todo.pop()
        if id(entry) not in seen:
            seen.add(id(entry))
            todo.extend(facts.after_entry(entry))
    return seen
