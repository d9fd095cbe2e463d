"""What the reader calls things: parameters, modules, tensors and optimizers by their variables' names.

A name is what a module-level variable gives: `net.weight` for a module under `net`, `w` for a leaf tensor.
A module under the empty name gives bare paths such as `linear.weight`.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from .reading import attributes, behind, keyed
from .tensors import grad_fn_of


@dataclass(slots=True)
class Names:
    """The named things of one moment. Tensors and modules are told apart by identity."""

    variables: dict[str, object]
    """The variables, and by their paths the modules, leaves and optimizers that only a container holds."""
    parameters: dict[str, Tensor] = field(default_factory=dict)
    """Every parameter of a named module, and every named leaf that requires grad, in order."""
    modules: dict[int, str] = field(default_factory=dict)
    layers: dict[str, list[tuple[str, nn.Module]]] = field(default_factory=dict)
    """By variable that is a module: the modules in it with their full paths, itself first."""
    tensors: dict[int, str] = field(default_factory=dict)
    """Names of parameters, buffers and tensors by `id`: the first name where one tensor has several."""
    buffers: dict[str, tuple[Tensor, str]] = field(default_factory=dict)
    """Each buffer with the name of the module it belongs to."""
    optimizers: dict[str, Optimizer] = field(default_factory=dict)
    held_only: set[str] = field(default_factory=set)
    """Names of what only an optimizer leads to."""

    def held(self) -> set[int]:
        """The ids of all tensors that a known optimizer holds."""
        return set().union(*(ids_in(optimizer) for optimizer in self.optimizers.values()))


def ids_in(optimizer: Optimizer) -> set[int]:
    """The ids of all tensors that an optimizer holds."""
    return {id(p) for group in groups_of(optimizer) for p in group["params"]}


def groups_of(optimizer: Optimizer) -> list[dict[str, Any]]:
    """An optimizer's groups of parameters; none where its `__init__` didn't come that far."""
    return getattr(optimizer, "param_groups", [])


def modules_of(key: str, module: nn.Module) -> list[tuple[str, nn.Module]]:
    """What `named_modules()` gives, without a generator for every level of the tree."""
    found: list[tuple[str, nn.Module]] = []
    todo: list[tuple[str, object]] = [(key, module)]
    seen: set[int] = set()
    while todo:
        path, one = todo.pop()
        if id(one) in seen or not isinstance(one, nn.Module):
            continue
        seen.add(id(one))
        found.append((path, one))
        dot = f"{path}." if path else ""
        todo += [(dot + name, behind(inner)) for name, inner in reversed(held_in(one, "_modules"))]
    return found


def held_in(module: nn.Module, kind: str) -> list[tuple[str, Any]]:
    """A module's own `_modules`, `_parameters` or `_buffers`; none where its `__init__` didn't come that far.

    Parameters of a lazy module are left out until its first forward makes them.
    """
    try:
        items = getattr(module, kind).items()
        return [(name, held) for name, held in items if held is not None and not is_lazy(held)]
    except Exception:
        return []


def read_names(variables: Mapping[str, object], optimizers: Iterable[Optimizer] = ()) -> Names:
    """Finds the modules, tensors and optimizers among `variables`; `optimizers` are known beside them.

    Those that only a container or an object of the reader's own holds come after, by their path: `nets['a']`,
    `trainer.net`.
    """
    names = Names({key: behind(value) for key, value in variables.items()})
    for key, value in names.variables.items():
        _add(names, key, value)
    inside = [found for key, value in names.variables.items() for found in held_by(key, value)]
    if inside:
        known = {id(value) for value in names.variables.values()} | set(names.modules) | set(names.tensors)
        for path, held in inside:
            if id(held) not in known:
                known.add(id(held))
                _add(names, path, held)
                names.variables[path] = held
    known = {id(o) for o in names.optimizers.values()}
    for number, optimizer in enumerate(optimizers):
        if id(optimizer) not in known:
            names.optimizers[f"optimizer {number}" if number else "optimizer"] = optimizer
    return names


def _add(names: Names, key: str, value: object) -> None:
    if isinstance(value, nn.Module):
        seen: set[int] = set()
        layers = names.layers[key] = modules_of(key, value)
        for owner, module in layers:
            names.modules.setdefault(id(module), owner)
            for name, buffer in held_in(module, "_buffers"):
                full = f"{owner}.{name}" if owner else name
                names.buffers[full] = (buffer, owner)
                names.tensors.setdefault(id(buffer), full)
            for name, parameter in held_in(module, "_parameters"):
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    full = f"{owner}.{name}" if owner else name
                    names.parameters[full] = parameter
                    names.tensors.setdefault(id(parameter), full)
    elif isinstance(value, Tensor):
        if _is_leaf(value):
            names.parameters[key] = value
        names.tensors.setdefault(id(value), key)
    elif isinstance(value, Optimizer) and hasattr(value, "param_groups"):
        names.optimizers[key] = value


_MOST = 200
"""Items of one container that are looked at: beyond that it holds data."""
_NOT_OPENED = (str, bytes, int, float, complex, type(None), type, types.ModuleType, types.FunctionType)


def held_by(name: str, value: object, depth: int = 3) -> Iterator[tuple[str, object]]:
    """The modules, leaves and optimizers in a container or in an object's attributes, each with its path."""
    if isinstance(value, nn.Module | Tensor | Optimizer):
        return
    for path, item in items_of(name, value):
        if isinstance(item, nn.Module | Optimizer) or _is_leaf(item):
            yield path, item
        elif depth and not isinstance(item, _NOT_OPENED):
            yield from held_by(path, item, depth - 1)


def _is_leaf(value: object) -> bool:
    """Whether it is a parameter, or a tensor that gathers a gradient as one does."""
    if not isinstance(value, Tensor):
        return False
    return isinstance(value, nn.Parameter) or (value.requires_grad and grad_fn_of(value) is None)


def items_of(name: str, value: object) -> Iterator[tuple[str, object]]:
    """What is in a container, or in the attributes of an object of the reader's own, each with its path."""
    if isinstance(value, dict):
        yield from ((f"{name}[{key}]", item) for key, item in keyed(value, _MOST))
    elif isinstance(value, list | tuple | deque):
        fields = getattr(type(value), "_fields", None)
        names = fields if isinstance(fields, tuple) else ()
        for number, (key, item) in enumerate(keyed(value, _MOST)):
            yield (f"{name}.{names[number]}" if number < len(names) else f"{name}[{key}]"), item
    elif str(type(value).__module__).partition(".")[0] not in ("torch", "numpy", "builtins"):
        yield from ((f"{name}.{key}", item) for key, item in attributes(value).items())


def add_stepped(names: Names, stepped: Iterable[Optimizer]) -> None:
    """Names the optimizers that made a step and no variable leads to: by the module that keeps one, or by number."""
    known = {id(optimizer) for optimizer in names.optimizers.values()}
    for optimizer in stepped:
        if id(optimizer) not in known:
            known.add(id(optimizer))
            number = len(names.optimizers)
            unnamed = f"optimizer {number}" if number else "optimizer"
            names.optimizers[_kept_by_a_module(names, optimizer) or unnamed] = optimizer


def _kept_by_a_module(names: Names, optimizer: Optimizer) -> str:
    for layers in names.layers.values():
        for path, module in layers:
            for key, value in vars(module).items():
                if value is optimizer:
                    return f"{path}.{key}" if path else key
    return ""


def add_held(names: Names, met: Container[int]) -> None:
    """Names what an optimizer holds and the step used, but no variable leads to, after the optimizer."""
    for name, optimizer in names.optimizers.items():
        for number, group in enumerate(optimizer.param_groups):
            for place, parameter in enumerate(group["params"]):
                if id(parameter) in met and id(parameter) not in names.tensors:
                    full = f"{name}.param_groups[{number}]['params'][{place}]"
                    names.parameters[full] = parameter
                    names.tensors[id(parameter)] = full
                    names.held_only.add(full)


def variables_of(step: Callable[..., object]) -> dict[str, object]:
    """The variables that a step refers to: its closure, its bound object and its module's, through its helpers."""
    found: dict[str, object] = {}
    todo: list[object] = [step]
    seen: set[int] = set()
    while todo:
        function = _unwrapped(behind(todo.pop()))
        if isinstance(function, types.MethodType):
            found.setdefault("self", function.__self__)
            function = function.__func__
        if not isinstance(function, types.FunctionType):
            call = vars(type(function)).get("__call__")
            if isinstance(call, types.FunctionType):
                found.setdefault("self", function)
                function = call
            else:
                continue
        if id(function) in seen:
            continue
        seen.add(id(function))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # a variable that is not assigned yet
                continue
            todo.append(found[name])
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                value = found[name] = function.__globals__[name]
                if isinstance(value, types.FunctionType) and value.__globals__ is function.__globals__:
                    todo.append(value)
    owner = behind(found.get("self"))
    if owner is not None and not isinstance(owner, nn.Module):
        found.update({f"self.{k}": v for k, v in attributes(owner).items()})
    found = {k: behind(v) for k, v in found.items()}
    return {k: v for k, v in found.items() if not isinstance(v, types.ModuleType | types.FunctionType | type)}


def _unwrapped(function: object) -> object:
    try:
        return getattr(function, "__wrapped__", function)
    except Exception:  # an object of the reader's own may raise what it likes
        return function


def _global_names(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*(_global_names(c) for c in inner))
