"""Faults between a model and its optimizer: layers nobody registered, stale parameters, gradients cleared too early.

A gradient that no optimizer holds is no fault by itself: another network's optimizer may not be part of this step.
It is one where the reason can be shown: the layer sits in a plain list, or the optimizer holds a leaf that the
model has no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from .frames import Line
from .intent import working_optimizers
from .names import ids_in
from .scene import Scene, arrivals
from .source import line_that_assigns, line_that_binds
from .suggestions import WHAT, listed, verb
from .tensors import grad_fn_of
from .torch_private import has_hook_after
from .warned import Warned, warned


def warn_of_upkeep(scene: Scene) -> Iterator[Warned]:
    """All findings of this kind."""
    unregistered = scene.hidden
    yield from _unregistered(scene, unregistered)
    yield from _stale(scene, {id(p) for p in unregistered.values()})
    yield from _idle_optimizers(scene)
    yield from _zero_grad(scene)
    yield from _unused(scene)


_CONTAINERS = (list, tuple, dict, set, Tensor)
_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
"""The attributes that torch itself gives to a module: most of those that there are."""


def hidden_parameters(scene: Scene) -> dict[str, Tensor]:
    """Parameters of layers that sit in a plain container of a module and are not registered there, by their path."""
    found: dict[str, Tensor] = {}
    for layers in scene.names.layers.values():
        own: set[int] | None = None
        for path, module in layers:
            inside = vars(module)
            own_names = inside.keys() - _OF_EVERY_MODULE
            holders = {n for n in own_names if isinstance(inside[n], _CONTAINERS) and n[0] != "_"}
            for name in [n for n in inside if n in holders] if holders else ():
                base = f"{path}.{name}" if path else name
                for full, parameter in _contained(base, inside[name], 3):
                    own = {id(p) for p in layers[0][1].parameters()} if own is None else own
                    if id(parameter) not in own:
                        found.setdefault(full, parameter)
    return found


def _contained(base: str, held: object, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(held, nn.Module):
        for path, parameter in held.named_parameters():
            yield f"{base}.{path}", parameter
    elif isinstance(held, Tensor):
        if held.requires_grad and grad_fn_of(held) is None:
            yield base, held
    elif depth and isinstance(held, Mapping):
        for key, item in held.items():
            yield from _contained(f"{base}[{key!r}]", item, depth - 1)
    elif depth and isinstance(held, list | tuple | set):
        for number, item in enumerate(held):
            yield from _contained(f"{base}[{number}]", item, depth - 1)


def _unregistered(scene: Scene, hidden: dict[str, Tensor]) -> Iterator[Warned]:
    used = {b for run in scene.tape.backwards for b in run.arrived} if hidden else set()
    names, paths = [], []
    for path, parameter in hidden.items():
        if scene.bit(parameter) in used and id(parameter) not in scene.held and parameter.requires_grad:
            paths.append(path)
            names.append(scene.names.tensors.get(id(parameter), path))
    if names:
        no_optimizer = "no optimizer holds" if scene.held else "`parameters()` doesn't list"
        text = f"{listed(paths)} {verb(paths, 'gets', 'get')} a gradient and {no_optimizer} "
        plain = all(
            isinstance(p, Tensor) and not isinstance(p, nn.Parameter) for n, p in hidden.items() if n in paths
        )
        why = "a plain tensor is no parameter of its module" if plain else WHAT["unregistered"]
        text += f"{verb(paths, 'it', 'them')}: {why}."
        attribute = paths[0].partition("[")[0].rpartition(".")[2]
        line = line_that_assigns(scene.recorder.file, f"self.{attribute}")
        advice = "Make it an `nn.Parameter`." if plain else ""
        yield warned(90 + len(names), "unregistered", line, names, text, advice)


def _stale(scene: Scene, hidden: set[int]) -> Iterator[Warned]:
    if not scene.names.optimizers:
        return
    alive = {id(p) for p in scene.names.parameters.values()} | hidden
    used = {id(scene.tape.flow.graph.leaves[b]) for run in scene.tape.backwards for b in run.arrived}
    for name, optimizer in scene.names.optimizers.items():
        mine = [p for group in optimizer.param_groups for p in group["params"]]
        orphans = [p for p in mine if id(p) not in alive and id(p) not in used]
        if not orphans:
            continue
        left_out = [
            n for n, p in scene.names.parameters.items()
            if scene.states[n] in ("gradient", "zero") and id(p) not in scene.held and id(p) not in hidden
        ]  # fmt: skip
        if left_out:
            text = f"{listed(left_out)} {verb(left_out, 'gets a gradient and never moves', 'get gradients and never move')}: `{name}` holds "
            text += f"{len(orphans)} {'tensor' if len(orphans) == 1 else 'tensors'} that the model no longer uses."
            yield warned(95 + len(left_out), "stale_optimizer", _made_at(name, scene), left_out, text)


def _zero_grad(scene: Scene) -> Iterator[Warned]:
    several = scene.once.items() if len(scene.tape.backwards) > 1 else ()
    thrown = {name: _thrown_away(scene, tensor) for name, tensor in several}
    for line, names in _by_line({n: line for n, line in thrown.items() if line is not None}, scene):
        text = f"The gradients of {listed(names)} are cleared here between two passes of one loop, before any step used them."
        advice = "Clear them once before the loop, so that its passes add up; or step after each pass."
        yield warned(110 + len(names), "zero_grad", line, names, text, advice)
    for line, names in _by_line(scene.wiped, scene):
        text = f"{listed(names)} got a gradient that was cleared here before any optimizer used it."
        yield warned(110 + len(names), "zero_grad", line, names, text)
    piled = [name for name in scene.recorder.had_gradients if _never_cleared(scene, name)]
    if piled and scene.recorder.calls_made > 1:
        run = next((run for run in scene.tape.backwards if run.line is not None), None)
        text = f"The gradients of {listed(sorted(piled))} are never cleared, so each step adds to those of all steps before."
        yield warned(85, "zero_grad", run.line if run is not None else None, sorted(piled), text)


def _by_line(lines: Mapping[str, Line | None], scene: Scene) -> Iterable[tuple[Line | None, list[str]]]:
    """The trainable ones among some parameters, together by their lines."""
    found: dict[Line | None, list[str]] = {}
    for name, line in lines.items():
        if scene.trainable(name):
            found.setdefault(line, []).append(name)
    return found.items()


def _thrown_away(scene: Scene, tensor: Tensor) -> Line | None:
    """The line that cleared what one pass brought before the same line's next pass, with no step in between."""
    passes = [run for run, state in arrivals(scene, tensor) if state == "value"]
    for one, other in pairwise(passes):
        between = [
            e for e in scene.tape.events if e.tensor is tensor and one.number < e.number < other.number
        ]
        kinds = [e.kind for e in between]
        if one.line == other.line and "clear" in kinds and "optimizer" not in kinds:
            return next(e.line for e in between if e.kind == "clear")
    return None


def _never_cleared(scene: Scene, name: str) -> bool:
    """Whether an optimizer moved a parameter in this step that had a gradient before, with no clearing in between."""
    tensor = scene.names.parameters.get(name)
    if tensor is None:
        return False
    moved = [e.number for e in scene.tape.events if e.kind == "optimizer" and e.tensor is tensor]
    cleared = [
        e.number
        for e in scene.tape.events
        if e.kind == "clear" and (e.tensor is tensor or (e.tensor is not None and e.tensor is tensor.grad))
    ]
    return bool(moved) and not cleared


def _unused(scene: Scene) -> Iterator[Warned]:
    """Held by an optimizer of this step, with a fed neighbour, and nothing of it goes into the loss."""
    if scene.raised is not None or not scene.tape.backwards:
        return
    blamed = set(scene.wiped)
    lost = 0
    for call in scene.tape.calls:
        if call.kind and any(id(e) in scene.perhaps for e in call.outputs):
            for entry in call.inputs:
                lost |= entry.value
    blamed.update(scene.named(lost))
    for optimizer in working_optimizers(scene).values():
        mine = ids_in(optimizer)
        names = [n for n, p in scene.names.parameters.items() if id(p) in mine]
        if not any(scene.states[n] == "gradient" for n in names):
            continue
        fed = scene.recorder.fed
        idle = [n for n in names if scene.states[n] == "none" and scene.trainable(n) and n not in blamed]
        idle = list(
            {id(scene.tensor(n)): n for n in reversed(idle) if id(scene.tensor(n)) not in fed}.values()
        )[::-1]
        if not idle:
            continue
        line = last_use(scene, idle)
        what = (
            WHAT["not_in_graph"]
            if line is not None
            else "nothing in this step uses " + verb(idle, "it", "them")
        )
        text = f"{listed(idle)} {verb(idle, 'gets', 'get')} no gradient: {what}."
        yield warned(70 + len(idle), "not_in_graph", line, idle, text, "" if line is not None else LEFT_OUT)


def notes_on(scene: Scene) -> Iterator[str]:
    """What keeps parameters where they are though their gradients come."""
    recorder, stepped = scene.recorder, {id(o) for o in scene.tape.stepped}
    own = (
        recorder.whole_step and not recorder.sent_back and any(run.to_leaves for run in scene.tape.backwards)
    )
    waiting = own and not stepped and any(
        scene.states[n] == "gradient" and id(p) in scene.held for n, p in scene.once.items()
    )  # fmt: skip
    if waiting and not any(has_hook_after(p) for p in scene.once.values()):
        yield "No optimizer's `step()` was called, so nothing moves in this step."
    planned = {
        id(value.optimizer) for value in scene.names.variables.values()
        if isinstance(value, torch.optim.lr_scheduler.LRScheduler)
    }  # fmt: skip
    for name, optimizer in scene.names.optimizers.items():
        still = all(float(group.get("lr", 1.0)) == 0.0 for group in optimizer.param_groups)
        starts = id(optimizer) in planned and recorder.calls_made == 1
        if still and id(optimizer) in stepped and id(optimizer) not in recorder.moving and not starts:
            yield f"The learning rate of `{name}` is 0, so it moves nothing."
        frozen = _frozen_in(optimizer, scene)
        if frozen:
            yield f"`{name}` holds {listed(frozen)}, which {verb(frozen, 'is', 'are')} frozen."
    if starved := starved_without_optimizer(scene):
        yield (
            "No optimizer is among the names, so it is not known who should learn: "
            f"{listed(starved)} {verb(starved, 'gets', 'get')} no gradient."
        )
    if scene.held:
        edited = {call.storage for call in scene.tape.calls if call.in_place}
        loose = [
            n for n, p in scene.once.items()
            if scene.states[n] == "gradient" and id(p) not in scene.held and scene.tape.flow.storage_of(p) not in edited
        ]  # fmt: skip
        if loose:
            yield f"No known optimizer holds {listed(loose)}, so {verb(loose, 'it does', 'they do')} not move."


def starved_without_optimizer(scene: Scene) -> list[str]:
    """Parameters without a gradient, where no optimizer is known that could say whether they should learn."""
    if scene.names.optimizers or not scene.recorder.sent_back:
        return []
    return [
        n for n, p in scene.once.items()
        if scene.states[n] == "none" and p.requires_grad and n not in scene.constant
    ]  # fmt: skip


def _made_at(optimizer: str, scene: Scene) -> Line | None:
    """The line that binds the variable of an optimizer, or of the object that holds it."""
    return line_that_binds(scene.recorder.file, optimizer.partition(".")[0])


def _frozen_in(optimizer: Optimizer, scene: Scene) -> list[str]:
    held = ids_in(optimizer)
    return [n for n, p in scene.once.items() if id(p) in held and not p.requires_grad]


def _idle_optimizers(scene: Scene) -> Iterator[Warned]:
    """Optimizers that can move nothing: all they hold is frozen, or a group of theirs is empty."""
    for name, optimizer in scene.names.optimizers.items():
        held = [p for group in optimizer.param_groups for p in group["params"]]
        alone = len(scene.names.optimizers) == 1 and scene.recorder.sent_back  # its step comes after this one
        if held and (alone or optimizer in scene.tape.stepped) and not any(p.requires_grad for p in held):
            line, frozen = _made_at(name, scene), _frozen_in(optimizer, scene)
            text = f"All that `{name}` holds is frozen ({listed(frozen)}), so its step moves nothing."
            yield warned(96, "frozen", line, frozen, text)
        if not all(group["params"] for group in optimizer.param_groups):
            text = f"`{name}` has a group without parameters, so it never moves what was meant to be in it."
            advice = "Put a list into it: `list(model.parameters())`. A generator that was read once gives nothing more."
            yield warned(96, "stale_optimizer", _made_at(name, scene), (), text, advice)


LEFT_OUT = (
    "If it is left out now and then (layer drop, a branch not taken), look at several calls: `--calls 5`. "
    "Otherwise add its result to the loss, or take it out of the optimizer."
)


def last_use(scene: Scene, names: list[str]) -> Line | None:
    """The last line that used one of these parameters."""
    bits = {scene.bit(scene.tensor(n)) for n in names}
    calls = [c for c in scene.tape.calls if c.in_step and any(e.leaf in bits for e in c.inputs)]
    return calls[-1].line if calls else None
