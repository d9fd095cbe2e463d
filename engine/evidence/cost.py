"""What the epochs of a run cost autograd: nodes gone through, numbers saved for the backward pass, and what is still held.

Times differ from machine to machine and from moment to moment; these counts are the same wherever they are repeated.
A tensor that is saved for backward is wrapped, and the wrapper lives as long as the graph that needs it: those still
alive after an epoch are what a training loop that keeps graphs piles up. A node is marked in its metadata, which live
as long as it does: `backward()` frees what was saved, but not the nodes that something still refers to.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..settings import Settings
from ..twins.experiment_script import Script, Step, script_of
from ..twins.training import make_optimizers, note_stepped, on_step, plain_torch, start_model


@dataclass(frozen=True)
class Pass:
    """One `backward()` of an epoch."""

    nodes: int
    """Autograd nodes that it went through."""
    held: int
    """Bytes saved for the backward pass that some graph held as it started."""


@dataclass(frozen=True)
class Cost:
    """The counts of some epochs of one twin, an epoch each."""

    nodes: tuple[int, ...]
    """Autograd nodes that the backward passes went through; where one refused, those it would have."""
    saved: tuple[int, ...]
    """Bytes saved for the backward pass, those that are freed again included."""
    held: tuple[int, ...]
    """Bytes of them that some graph still holds after the epoch."""
    unused: tuple[str, ...]
    """Parameters that were left with a gradient, and that no optimizer's step was for."""
    cleared: tuple[int, ...] = ()
    """Gradients that were computed and cleared again before an optimizer's step used them, counted as they are replaced."""
    alive: tuple[int, ...] = ()
    """Autograd nodes that something still holds after the epoch."""
    passes: tuple[Pass, ...] = ()
    """The backward passes of the first of them, in order."""

    @property
    def at_once(self) -> int:
        """The most bytes that were held as a backward pass started, in the first epoch counted."""
        return max((one.held for one in self.passes), default=0)

    @property
    def grows(self) -> bool:
        """Whether more is held after each epoch than after the one before."""
        return any(
            len(kept) > 2 and all(a < b for a, b in pairwise(kept)) for kept in (self.held, self.alive)
        )


class _Saved:
    """A tensor that autograd keeps for the backward pass, without its history: with it, node and tensor would hold each other."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor.detach()


class _Node:
    """Hangs on an autograd node and lives as long."""


class _Gradients:
    """Counts the gradients that are cleared before a step uses them.

    A gradient that is added to stays the same tensor; one that comes after `zero_grad()` is another. So where a parameter gets a
    new tensor and no step has used the last one, the last one was computed for nothing.
    """

    def __init__(self, model: nn.Module, optimizers: Any) -> None:
        self.cleared = 0
        self._waiting: dict[nn.Parameter, Tensor] = {}
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(self._came)
        on_step(optimizers, lambda parameter: self._waiting.pop(parameter, None))

    def _came(self, parameter: Tensor) -> None:
        assert isinstance(parameter, nn.Parameter)
        assert parameter.grad is not None
        before = self._waiting.get(parameter)
        self.cleared += before is not None and before is not parameter.grad
        self._waiting[parameter] = parameter.grad


class _Watch(TorchFunctionMode):
    """Notes each backward pass, and marks the nodes that are made."""

    def __init__(self, saved: weakref.WeakSet[_Saved]) -> None:
        super().__init__()
        self.saved = saved
        self.nodes: weakref.WeakSet[_Node] = weakref.WeakSet()
        self.passes: list[Pass] = []

    @property
    def held(self) -> int:
        """Bytes of saved tensors that some graph holds now."""
        return sum(kept.tensor.nbytes for kept in self.saved)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is Tensor.backward:
            self.passes.append(Pass(nodes_behind(args[0]), self.held))
        made = func(*args, **(kwargs or {}))
        todo = [
            each.grad_fn for each in (made if isinstance(made, tuple | list) else (made,)) if _tracked(each)
        ]
        while todo:
            node = todo.pop()
            if node is not None and not hasattr(node, "variable") and "alive" not in node.metadata:
                node.metadata["alive"] = mark = _Node()
                self.nodes.add(mark)
                todo += [following for following, _ in node.next_functions]
        return made


def _tracked(made: object) -> bool:
    return isinstance(made, Tensor) and made.requires_grad


def nodes_behind(tensor: Tensor) -> int:
    """The autograd nodes that a backward pass from `tensor` goes through, leaves left out."""
    todo, seen = [tensor.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen and not hasattr(node, "variable"):
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(seen)


def cost(settings: Settings, detached: bool, epochs: int = 6) -> Cost:
    """The counts of some epochs of one twin, from the one that the experiment shows on (fewer where the run ends before)."""
    with plain_torch():
        return _measure(settings, script_of(settings), detached, min(epochs, settings.epochs))


def _measure(settings: Settings, script: Script, detached: bool, epochs: int) -> Cost:
    model, data, step = start_model(settings), script.make_data(settings.seed), script.step(detached)
    optimizers = make_optimizers(settings, model)
    used, gradients = note_stepped(optimizers), _Gradients(model, optimizers)
    alive: weakref.WeakSet[_Saved] = weakref.WeakSet()
    made: list[int] = []

    def pack(tensor: Tensor) -> _Saved:
        saved = _Saved(tensor)
        alive.add(saved)
        made.append(tensor.nbytes)
        return saved

    watch = _Watch(alive)
    passes: list[tuple[Pass, ...]] = []
    saved, held, nodes_alive, cleared = [], [], [], []
    first = min(settings.described().shown_epoch, settings.epochs + 1 - epochs)
    for epoch in range(first, first + epochs):
        made.clear()
        watch.passes.clear()
        gradients.cleared = 0
        script.tell(model, epoch)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor), watch:
            _epoch(script, step, model, data, optimizers)
        gc.collect(0)
        passes.append(tuple(watch.passes))
        saved.append(sum(made))
        held.append(watch.held)
        nodes_alive.append(len(watch.nodes))
        cleared.append(gradients.cleared)
    return Cost(
        nodes=tuple(sum(one.nodes for one in epoch) for epoch in passes),
        saved=tuple(saved),
        held=tuple(held),
        unused=_unused(model, used),
        cleared=tuple(cleared),
        alive=tuple(nodes_alive),
        passes=passes[0],
    )


def _epoch(script: Script, step: Step, model: nn.Module, data: Any, optimizers: Any) -> None:
    """One epoch of the loop; when it returns, what it computed is let go."""
    with contextlib.suppress(RuntimeError):  # that autograd refuses is the trace's to tell
        if script.own_optimizers:
            step(model, data, optimizers)
            return
        optimizers.zero_grad()
        loss, _ = step(model, data)
        loss.backward()
        optimizers.step()


def _unused(model: nn.Module, used: set[int]) -> tuple[str, ...]:
    return tuple(n for n, p in model.named_parameters() if p.grad is not None and id(p) not in used)
