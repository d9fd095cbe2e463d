"""Whether a cut is meant: what it holds back is a target, a sample for a discriminator, or nobody's to train.

From one run nobody can know what was meant. These are the signs that are asked for, in this order; the first that
holds decides, and a cut for which none speaks is not meant. Without an optimizer the first three have nothing to go by,
and the others are the same.

| sign | the cut is |
|---|---|
| optimizers are known, and none that works on this step holds what starves | meant |
| an optimizer of what starves made its step, and nothing that it holds had a gradient | not meant |
| an optimizer of this step holds what starves beside what is fed | not meant |
| what starves is in eval mode | meant |
| a new leaf takes the place of what starves | not meant |
| its value is compared with a prediction or weighs one, and goes through no layer | meant: a target, a weight |
| it is put into one batch with data, or its layers see other data as well | meant: a sample for a discriminator |

The sixth has exceptions, since not every value that meets a prediction is compared with it:
- An index chooses and is compared with nothing, be it for `index_put`, `scatter`, `embedding` or brackets. A label is
  an index too: one that picks from log-probabilities, as `nll_loss` does.
- What is only added to the loss as a term of its own is compared with nothing.
- Who writes `detach()` or `no_grad()` stops a gradient on purpose, and may stop it anywhere. By a copy of numbers
  (`item`, `torch.tensor`, NumPy) it stops on the way to something else: where the number was made of parameters alone,
  or the copy takes part in a matrix product, it stood for the parameters themselves.

A cut that starves no parameter is not judged but for two, which nobody writes to stop a gradient: a `torch.tensor([...])`
that was put together from live values, and a `sample()` whose values go through a layer (see `draws`). They are meant
only where the last two signs say so, or where the gradient is for others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from torch import nn
from torch.optim import Optimizer

from ..capture.backward import BackwardPass
from ..capture.data_flow import Call, Entry
from ..capture.frames import Passed
from ..capture.names import held_in, ids_in, modules_of
from ..capture.summands import sums
from .cuts import CutFound
from .draws import misses_rsample
from .facts import Facts, closure

_CHOOSING = frozenset(
    [
        "__getitem__", "__setitem__", "gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce",
        "scatter_reduce_", "index_put", "index_put_", "index_select", "index_add", "index_add_", "index_copy",
        "index_copy_", "index_fill", "index_fill_", "index_reduce", "index_reduce_", "take", "take_along_dim", "put",
        "put_", "embedding", "embedding_bag", "select", "narrow", "repeat_interleave", "segment_reduce",
    ]
)  # fmt: skip
"""Calls to which integers say where, and not how much."""
_PICKING = frozenset(["__getitem__", "gather", "take_along_dim", "index_select", "take"])
_PRODUCTS = frozenset(
    [
        "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm", "einsum", "linear",
        "tensordot", "chain_matmul", "multi_dot",
    ]
)  # fmt: skip
_COPIED = frozenset(["item", "numpy", "torch_tensor"])
"""Kinds of cuts by which numbers are copied."""
_MADE_OF = ("softmax", "logsumexp", "logsigmoid", "log")


class Uses(NamedTuple):
    """What the values of a cut are for, further on."""

    layers: set[int]
    """The bits of the leaves of the layers that they go through."""
    compared: bool
    """Whether they meet a prediction."""
    chose: bool
    """Whether they say which entries of one are taken."""
    transformed: bool
    """Whether they meet one in a matrix product."""


_TARGET = "its value is a target or a weight for a prediction"
_OTHERS_PASS = "it belongs to a backward pass for another optimizer, and what it cuts off has its own pass"


def with_intent(cuts: tuple[CutFound, ...], facts: Facts) -> tuple[CutFound, ...]:
    """The cuts, each said to be meant or not."""
    settled = [_settled(cut, facts) for cut in cuts]
    unmeant = [cut for cut in settled if not cut.intended and not cut.possible]
    if len(unmeant) < 2:
        return tuple(settled)
    excused = {id(cut): _OTHERS_PASS for cut in unmeant if not _in_a_pass_for(cut, cut.starved, facts)}
    excused |= {id(cut): _TARGET for cut in unmeant if _is_target(cut, facts)}
    blamed = {n for cut in unmeant if id(cut) not in excused for n in cut.starved}
    return tuple(
        replace(cut, intended=True, why=excused[id(cut)])
        if id(cut) in excused and blamed >= set(cut.starved)
        else cut
        for cut in settled
    )


def _in_a_pass_for(cut: CutFound, names: Iterable[str], facts: Facts) -> bool:
    """Whether a backward pass goes by the cut before a step of an optimizer that holds one of what it cuts off.

    In a turn of a GAN the discriminator's pass is for the discriminator, and cuts the generator off.
    """
    starved = {id(facts.tensor(n)) for n in names if n in facts.names.parameters}
    made = {id(entry) for entry in cut.outputs}
    return any(
        made & frozenset(closure(run.roots))
        and any(ids_in(o) & starved for o in _optimizers_after(run, facts))
        for run in facts.passes
    )


def _optimizers_after(run: BackwardPass, facts: Facts) -> list[Optimizer]:
    """The optimizers that step on what a backward pass brought: those before the next pass that follows a step."""
    first = next((number for number, _ in facts.steps if number >= run.number), None)
    if first is None:
        return list(facts.names.optimizers.values())
    following = next((one.number for one in facts.passes if one.number > first), None)
    return [o for n, o in facts.steps if n >= first and (following is None or n < following)]


def _settled(cut: CutFound, facts: Facts) -> CutFound:
    wanted = facts.trainable_among(cut.starved)
    if wanted:
        why = "" if facts.cannot_train else _why_meant(cut, wanted, facts)
        return replace(cut, intended=bool(why), why=why)
    if facts.raised is None and facts.trainable_among(cut.partial) and _put_together(cut):
        return replace(cut, intended=_nobodys(cut.partial, facts) or bool(_why_used(cut, facts)))
    if facts.raised is None and facts.trainable_among(cut.partial) and misses_rsample(cut, facts):
        for_others = _nobodys(cut.partial, facts) or not _in_a_pass_for(cut, cut.partial, facts)
        return replace(cut, intended=for_others or bool(_why_used(cut, facts)))
    return cut


def _put_together(cut: CutFound) -> bool:
    """Whether a cut is a `torch.tensor([...])` that was made of several live values, or gave one another shape."""
    return cut.kind == "torch_tensor" and any(
        entry.content is not None and call.outputs[0].content is not None
        and entry.tracked and entry.content[0] != call.outputs[0].content[0]
        for call in cut.calls if call.outputs for entry in call.inputs
    )  # fmt: skip


def _nobodys(names: Iterable[str], facts: Facts) -> bool:
    """Whether optimizers are known and none that works on this step holds any of these."""
    held = [ids_in(o) for o in facts.working_optimizers.values()]
    ids = {id(facts.tensor(n)) for n in names if n in facts.names.parameters}
    return bool(held) and not any(ids & one for one in held)


def _why_meant(cut: CutFound, wanted: list[str], facts: Facts) -> str:
    """Why a cut that starves a parameter is taken to be meant, "" where nothing speaks for it."""
    held = [ids_in(o) for o in facts.working_optimizers.values()]
    starved = {id(facts.tensor(n)) for n in wanted}
    if _nobodys(wanted, facts):
        return "no optimizer of this step holds what it cuts off"
    if _stepped_on_nothing(starved, facts):
        return ""
    if held and not _other_optimizers_business(starved, held, facts):
        return ""
    if _in_eval_mode(wanted, facts):
        return "what it cuts off is in eval mode"
    return _why_used(cut, facts)


def _why_used(cut: CutFound, facts: Facts) -> str:
    """Why the use that is made of a cut's values says that it is meant, "" where it does not."""
    entries = [e for e in cut.outputs if id(e) in facts.into_loss]
    if any(e.leaf is not None and e.tracked for e in entries):
        return ""  # a new leaf takes the place of the one that starves
    uses = downstream(entries, facts)
    if _is_target(cut, facts):
        return _TARGET
    if uses.layers and _batched_with_data(entries, facts):
        return "it is one part of a batch, next to data"
    if uses.layers and _sees_other_data(uses.layers, entries, facts):
        return "the layers after it are trained on other data as well"
    return ""


def _is_target(cut: CutFound, facts: Facts) -> bool:
    """Whether the value meets a prediction, goes through no layer on its way, and does not say which entries to take."""
    uses = downstream([e for e in cut.outputs if id(e) in facts.into_loss], facts)
    if uses.layers or not uses.compared or uses.chose:
        return False
    return cut.kind not in _COPIED or not (uses.transformed or _of_parameters_alone(cut))


def _of_parameters_alone(cut: CutFound) -> bool:
    """Whether what was copied was made of parameters and of nothing else."""
    return any(
        any(e.leaf is not None for e in call.inputs) or all(e.leaf is not None for e in _sources(call.inputs))
        for call in cut.calls
        if call.inputs
    )


def _sources(entries: Iterable[Entry]) -> list[Entry]:
    """What the entries were computed from in the end: parameters, data, random numbers."""
    found, todo, seen = [], list(entries), set[int]()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        before = [*entry.previous, *(entry.call.inputs if entry.call is not None else ())]
        before = before if entry.leaf is None else []
        todo += before
        if not before:
            found.append(entry)
    return found


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


def downstream(entries: Iterable[Entry], facts: Facts) -> Uses:
    """What the entries' values are for, further on in the loss."""
    layers: set[int] = set()
    compared = chose = transformed = False
    carried = _forward(entries, facts)
    added = {id(e) for root in facts.roots for e in sums(root)}
    todo, seen = list(entries), set()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        for call in _users_into_loss(entry, facts):
            todo.extend(call.outputs)
            if not any(id(o) in facts.moving_loss for o in call.outputs):
                continue
            choosing = _is_index(entry, call)
            for other in call.inputs:
                if other is entry or id(other) in seen:
                    continue
                if other.leaf is not None and id(other) in carried:
                    continue  # a leaf that was made of these very values, such as the input of a gradient penalty
                if other.leaf is not None and other.tracked and not other.scalar:
                    layers.add(other.leaf)
                elif other.tracked and choosing:
                    chose = True
                elif other.tracked and not any(id(o) in added for o in call.outputs):
                    compared = True
                    transformed = transformed or call.operation in _PRODUCTS
        for same in facts.became.get(id(entry), ()):
            if same.leaf is not None and same.tracked:
                layers.add(same.leaf)
            todo.append(same)
    return Uses(layers, compared, chose, transformed)


def goes_through_a_layer(entries: Iterable[Entry], facts: Facts) -> bool:
    """Whether the entries' values go through a layer on their way to the loss: whether `downstream` finds one."""
    if facts.makes_leaves:
        return bool(downstream(entries, facts).layers)  # one that is made of these very values does not count
    return any(id(entry) in facts.before_layers for entry in entries)


def _is_index(entry: Entry, call: Call) -> bool:
    """Whether an entry says to a call where, and is no label that picks from log-probabilities."""
    if entry.floating or entry is call.inputs[0] or call.operation not in _CHOOSING or _is_mask(entry):
        return False
    if call.operation not in _PICKING:
        return True
    return not call.passed & Passed.DISTRIBUTION and not _is_log_probability(call.inputs[0])


def _is_mask(entry: Entry) -> bool:
    return entry.content is not None and entry.content[1] == "bool"


def _is_log_probability(entry: Entry) -> bool:
    """Whether a tensor came out of a softmax, or of the logarithm of one, with at most a few calls between."""
    near = [entry]
    for _ in range(3):
        if any(e.call is not None and e.call.operation.endswith(_MADE_OF) for e in near):
            return True
        near = [e for n in near if n.call is not None for e in n.call.inputs]
    return False


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
