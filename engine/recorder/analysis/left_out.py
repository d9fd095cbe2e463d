"""Parameters that get a gradient and are in no optimizer, while an optimizer holds others of the same module.

What is left out on purpose looks much the same: a backbone whose head alone is trained, the weights beside an adapter,
the other player of a game. Each parameter is judged within the smallest module that also has held ones. There it
counts as forgotten where it came after the optimizer, where the optimizer holds the larger part of that module and not
just its last layers, or all of its layers and not what it owns itself, or where all that is held was frozen since.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from torch import Tensor, nn

from ..capture.kept import kept
from ..capture.names import held_in, modules_of
from ..capture.torch_private import has_hook_after
from .facts import Facts


class Where(NamedTuple):
    """Where parameters were left out, and how that came."""

    module: str
    optimizer: str
    """The name of the optimizer that holds others of the module."""
    later: bool
    """Whether they came after the optimizer was built."""
    frozen: bool
    """Whether all that it holds of the module is frozen."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Parameters of one module that its optimizer leaves out."""

    names: tuple[str, ...]
    where: Where


def find_left_out(facts: Facts, hidden: Iterable[Tensor]) -> tuple[LeftOut, ...]:
    """The parameters that were forgotten when the optimizer was built, by module."""
    registered_nowhere = {id(p) for p in hidden}
    loose = {id(facts.tensor(n)): n for n in _in_no_optimizer(facts)}
    loose = {key: name for key, name in loose.items() if key not in registered_nowhere}
    if not loose or facts.raised is not None or _stale(facts):
        return ()
    found: dict[Where, list[str]] = {}
    modules_at: dict[Where, list[str]] = {}
    told: set[int] = set()
    for root, layers in facts.names.layers.items():
        modules = _each_once(dict(layers), loose, facts)
        for path, module in layers:
            for _, parameter in held_in(module, "_parameters"):
                if id(parameter) not in loose or id(parameter) in told or not module.training:
                    continue
                where = _forgotten_in(path, parameter, modules, root)
                if where is not None:
                    told.add(id(parameter))
                    alike = where._replace(module="")
                    found.setdefault(alike, []).append(loose[id(parameter)])
                    modules_at.setdefault(alike, []).append(where.module)
    return tuple(
        LeftOut(tuple(names), where._replace(module=_common(modules_at[where])))
        for where, names in found.items()
    )


def _each_once(
    modules: Mapping[str, nn.Module], loose: Mapping[int, str], facts: Facts
) -> Callable[[str], _Module]:
    """The module at a path, looked at once however many of its parameters ask."""
    return cache(lambda path: _Module(path, modules[path], loose, facts))


def _common(paths: Iterable[str]) -> str:
    """The path of the module that all these are in."""
    parts = [path.split(".") for path in paths]
    same = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*parts, strict=False))
    return ".".join(names[0] for names in same)


def _in_no_optimizer(facts: Facts) -> list[str]:
    """Trainable parameters that got a gradient, that no known optimizer holds and that the step doesn't move itself."""
    if not facts.held:
        return []
    writes = facts.flow.writes
    return [
        n for n, p in facts.once.items()
        if facts.states[n] in ("gradient", "zero") and facts.trainable(n) and not facts.is_held(n)
        and not any(call.in_step for call in writes.get(facts.flow.storage_of(p), ()))
        and not has_hook_after(p)
    ]  # fmt: skip


def _stale(facts: Facts) -> bool:
    """Whether an optimizer holds tensors that the model no longer uses: then that is the finding."""
    alive = {id(p) for p in facts.names.parameters.values()}
    alive |= {id(facts.leaf(bit)) for run in facts.passes for bit in run.arrived}
    return not facts.held <= alive


class _Module:
    """One module, with those of its parameters that an optimizer holds and those that were left out."""

    def __init__(self, path: str, module: nn.Module, loose: Mapping[int, str], facts: Facts) -> None:
        self.path, self.module, self._facts = path, module, facts
        self._inside = _parameters(module)
        self.held = [p for p in self._inside if id(p) in facts.held]
        self._left = [p for p in self._inside if id(p) in loose]
        self.ours, self.theirs = _elements(self._left), _elements(self.held)

    @kept
    def optimizer(self) -> str:
        """The name of an optimizer that holds some of it."""
        return next(
            name for name, held in self._facts.held_by_each.items() if any(id(p) in held for p in self.held)
        )

    @kept
    def frozen(self) -> bool:
        """Whether all that is held is frozen."""
        return not any(self._facts.wants(p) for p in self.held)

    @kept
    def frozen_since(self) -> bool | None:
        """Whether all that is held was frozen after an optimizer took it; None where that wasn't seen."""
        order = [_frozen_after_taken(p, self._facts) for p in self.held]
        return all(order) if None not in order else None

    @kept
    def most_is_held(self) -> bool:
        """Whether an optimizer holds the larger part, and not just the last layers, or all but what it owns itself."""
        own = {id(p) for _, p in held_in(self.module, "_parameters")}
        if self.ours < self.theirs and not _last_layers_alone(self._inside, own, self._left, self.held):
            return True
        all_but_its_own = own >= {id(p) for p in self._left} and not own & {id(p) for p in self.held}
        return all_but_its_own and len(self._left) <= len(self.held)

    def came_later(self, parameter: Tensor) -> bool:
        """Whether a parameter's memory was made, in sight of the recording, after an optimizer took the others."""
        made = _made(parameter, self._facts)
        return made is not None and self._taken is not None and made > self._taken

    @kept
    def _taken(self) -> int | None:
        """The number of the last call before all that is held was taken; None where that wasn't seen."""
        last = -1
        for parameter in self.held:
            when, before = self._facts.taken.get(id(parameter)), _made(parameter, self._facts)
            if when is None or (before is not None and before > when):
                return None
            last = max(last, when)
        return last


def _forgotten_in(path: str, parameter: Tensor, modules: Callable[[str], _Module], root: str) -> Where | None:
    """Where a parameter was forgotten, None where it may have been left out on purpose."""
    while True:
        inside = modules(path)
        if inside.held and (inside.ours != inside.theirs or path == root or not _a_layer(inside.module)):
            break
        if path == root:
            return None
        path = path.rpartition(".")[0]
    if path == root and isinstance(inside.module, nn.ModuleList | nn.ModuleDict):
        return None  # models side by side, each with an optimizer of its own or none
    later = inside.came_later(parameter)
    if inside.frozen and not later:
        since = inside.frozen_since
        if since is None:
            since = path != root or inside.ours < inside.theirs
        return Where(path, inside.optimizer, False, True) if since else None
    if later or inside.most_is_held:
        return Where(path, inside.optimizer, later, inside.frozen)
    return None


def _parameters(module: nn.Module) -> list[Tensor]:
    """The parameters in a module, each once."""
    every = (p for _, inner in modules_of("", module) for _, p in held_in(inner, "_parameters"))
    return list({id(p): p for p in every}.values())


def _elements(tensors: Iterable[Tensor]) -> int:
    return sum(p.numel() for p in tensors)


def _last_layers_alone(
    inside: Iterable[Tensor], own: set[int], left: Iterable[Tensor], held: Iterable[Tensor]
) -> bool:
    """Whether all that is held comes after all that is left out, as where the end of a network is trained anew."""
    order = {id(p): number for number, p in enumerate(inside)}
    after = max(order[id(p)] for p in left) < min(order[id(p)] for p in held)
    return after and not own & {id(p) for p in left}


def _a_layer(module: nn.Module) -> bool:
    """Whether nothing but parameters is in a module: half of them held, such as all biases, is a choice."""
    return not held_in(module, "_modules")


def _made(parameter: Tensor, facts: Facts) -> int | None:
    """The number of the call that made the parameter's memory, None where it wasn't seen."""
    first = next(iter(facts.flow.sharing(facts.flow.storage_of(parameter))), None)
    return None if first is None or first.call is None or first.call.in_step else first.born


def _frozen_after_taken(parameter: Tensor, facts: Facts) -> bool | None:
    """Whether a frozen parameter was frozen after an optimizer took it; None where one of the two wasn't seen."""
    taken = facts.taken.get(id(parameter))
    freezes = [e.number for e in facts.events_of(parameter) if e.kind == "freeze"]
    return None if taken is None or not freezes else freezes[-1] > taken
