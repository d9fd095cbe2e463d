"""Whether a cut is meant: what it holds back is a target, a sample for a discriminator, or nobody's to train.

From one run nobody can know what was meant. These are the signs that are asked for, each a common pattern:
no optimizer that works on this step holds what starves; the value is compared with a prediction and no layer comes
after it; the layers after it also see other data (a discriminator's step); what starves is in eval mode.
"""

from __future__ import annotations

from torch import nn
from torch.optim import Optimizer

from ..capture.data_flow import Call, Entry
from ..capture.names import held_in, ids_in, modules_of
from .cuts import CutFound
from .facts import Scene, after


def settle_intent(cuts: list[CutFound], scene: Scene) -> None:
    """Marks each cut as intended or not."""
    for cut in cuts:
        wanted = [n for n in cut.starved if scene.trainable(n)]
        cut.intended = not wanted or (not scene.cannot_train() and _is_meant(cut, wanted, scene))


def working_optimizers(scene: Scene) -> dict[str, Optimizer]:
    """The optimizers whose `step()` was called, or all that are known where none was."""
    called = {id(optimizer) for optimizer in scene.tape.stepped}
    stepped = {name: o for name, o in scene.names.optimizers.items() if id(o) in called}
    return stepped or scene.names.optimizers


def _is_meant(cut: CutFound, wanted: list[str], scene: Scene) -> bool:
    optimizers = working_optimizers(scene)
    held = [ids_in(o) for o in optimizers.values()]
    starved = {id(scene.tensor(n)) for n in wanted}
    if held and not any(starved & ids for ids in held):
        cut.why = "no optimizer of this step holds what it cuts off"
        return True
    if _stepped_on_nothing(starved, scene):
        return False
    if held and not _other_optimizers_business(starved, held, scene):
        return False
    if _in_eval_mode(wanted, scene):
        cut.why = "what it cuts off is in eval mode"
        return True
    entries = [e for e in cut.outputs if id(e) in scene.into_loss]
    if any(e.leaf is not None and e.tracked for e in entries):
        return False  # a new leaf takes the place of the one that starves
    layers, merged = downstream(entries, scene)
    direct = any(call.sink and any(e.leaf is not None for e in call.inputs) for call in cut.calls)
    if not layers and merged and not direct:
        cut.why = "its value is a target or a weight that a prediction is compared with"
        return True
    if layers and _batched_with_data(entries, scene):
        cut.why = "it is one part of a batch, beside data"
        return True
    if layers and _sees_other_data(layers, entries, scene):
        cut.why = "the layers after it are trained on other data as well"
        return True
    return False


def _other_optimizers_business(starved: set[int], held: list[set[int]], scene: Scene) -> bool:
    """Whether all that starves belongs to optimizers that have no part in this step, while another's has."""
    fed = {id(p) for n, p in scene.names.parameters.items() if scene.states[n] == "gradient"}
    others = set().union(*(ids for ids in held if not ids & fed))
    return starved <= others and any(ids & fed for ids in held)


def _stepped_on_nothing(starved: set[int], scene: Scene) -> bool:
    """Whether an optimizer of what starves made its step, and nothing it holds had a gradient: that is never meant."""
    fed = {id(p) for n, p in scene.names.parameters.items() if scene.states[n] in ("gradient", "zero")}
    return any(ids_in(o) & starved and not ids_in(o) & fed for o in scene.tape.stepped)


def _in_eval_mode(names: list[str], scene: Scene) -> bool:
    owners: list[nn.Module] = []
    wanted = {id(scene.tensor(n)) for n in names}
    for value in scene.names.variables.values():
        if isinstance(value, nn.Module):
            owners += [
                m
                for _, m in modules_of("", value)
                if any(id(p) in wanted for _, p in held_in(m, "_parameters"))
            ]
    covered = {id(p) for m in owners for _, p in held_in(m, "_parameters")}
    return bool(owners) and wanted <= covered and not any(m.training for m in owners)


def downstream(entries: list[Entry], scene: Scene) -> tuple[set[int], bool]:
    """The bits of the layers' leaves that the entries' values go through, and whether they meet a prediction."""
    layers: set[int] = set()
    merged = False
    carried = _forward(entries, scene)
    todo, seen = list(entries), set()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        for call in _users_into_loss(entry, scene):
            for other in call.inputs if any(o.tracked for o in call.outputs) else ():
                if other is entry or id(other) in seen:
                    continue
                if other.leaf is not None and id(other) in carried:
                    continue  # a leaf that was made of these very values, such as the input of a gradient penalty
                if other.leaf is not None and other.tracked and not other.scalar:
                    layers.add(other.leaf)
                elif other.tracked:
                    merged = True
            todo.extend(call.outputs)
        for same in scene.became.get(id(entry), ()):
            if same.leaf is not None and same.tracked:
                layers.add(same.leaf)
            todo.append(same)
    return layers, merged


def _users_into_loss(entry: Entry, scene: Scene) -> list[Call]:
    calls = scene.users.get(id(entry), [])
    return [c for c in calls if any(id(o) in scene.into_loss for o in c.outputs)]


def _sees_other_data(layers: set[int], entries: list[Entry], scene: Scene) -> bool:
    """Whether every one of these layers also works on values that do not come from `entries`."""
    carried = _forward(entries, scene)
    made_of_them = {
        e.leaf for c in scene.tape.calls for e in c.inputs if e.leaf is not None and id(e) in carried
    }
    if layers <= made_of_them:
        return False
    for leaf in layers - made_of_them:
        own = False
        for call in scene.tape.calls:
            if not any(e.leaf == leaf and e.tracked and id(e) not in carried for e in call.inputs):
                continue
            into = any(id(o) in scene.into_loss and o.tracked for o in call.outputs)
            data = any(e.leaf is None for e in call.inputs)
            own = own or (into and data and not any(id(e) in carried for e in call.inputs))
        if not own:
            return False
    return True


def _batched_with_data(entries: list[Entry], scene: Scene) -> bool:
    """Whether the value is put into one batch with values that no parameter made: fake samples beside real ones."""
    for entry in entries:
        for call in _users_into_loss(entry, scene):
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


def _forward(entries: list[Entry], scene: Scene) -> set[int]:
    seen: set[int] = set()
    todo = list(entries)
    while todo:
        entry = todo.pop()
        if id(entry) not in seen:
            seen.add(id(entry))
            todo.extend(after(entry, scene))
    return seen
