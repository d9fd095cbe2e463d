"""What the epochs of a run cost autograd: nodes gone through, numbers saved for the way back, and what is still held.

Times differ from machine to machine and from moment to moment; these counts are the same wherever they are repeated.
A tensor that is saved for backward is wrapped, and the wrapper lives as long as the graph that needs it: those still
alive after an epoch are what a training loop that keeps graphs piles up.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from engine.optimizers import maker
from engine.settings import Settings
from engine.source import Script, Step, script_of
from engine.training import plain_torch, start_model


@dataclass(frozen=True)
class Cost:
    """The counts of the first epochs of one twin, an epoch each."""

    nodes: tuple[int, ...]
    """Autograd nodes that the backward passes went through; where one refused, those it would have."""
    saved: tuple[int, ...]
    """Bytes saved for the way back."""
    held: tuple[int, ...]
    """Bytes of them that some graph still holds after the epoch."""
    unused: tuple[str, ...]
    """Parameters that got a gradient which no optimizer used."""

    @property
    def grows(self) -> bool:
        """Whether more is held after each epoch than after the one before."""
        return len(self.held) > 2 and all(a < b for a, b in zip(self.held, self.held[1:], strict=False))


class _Saved:
    """A tensor that autograd keeps for the way back, without its history: with it, node and tensor would hold each other."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor.detach()


class _Backwards(TorchFunctionMode):
    """Counts the nodes behind each loss that is sent back."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes = 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is Tensor.backward:
            self.nodes += nodes_behind(args[0])
        return func(*args, **(kwargs or {}))


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
    """The counts of the first epochs of one twin (as many as the settings have, if those are fewer)."""
    with plain_torch():
        return _measure(settings, script_of(settings), detached, min(epochs, settings.epochs))


def _measure(settings: Settings, script: Script, detached: bool, epochs: int) -> Cost:
    model, data, step = start_model(settings), script.make_data(settings.seed), script.step(detached)
    make_optimizer = maker(settings.optimizer, settings.learning_rate)
    own = script.make_optimizers
    optimizers = make_optimizer(model.parameters()) if own is None else own(model, make_optimizer)
    alive: weakref.WeakSet[_Saved] = weakref.WeakSet()
    made: list[int] = []

    def pack(tensor: Tensor) -> _Saved:
        saved = _Saved(tensor)
        alive.add(saved)
        made.append(tensor.nbytes)
        return saved

    nodes, saved, held = [], [], []
    for epoch in range(1, epochs + 1):
        made.clear()
        if script.told_the_epoch:
            model.epoch = epoch  # type: ignore[assignment]
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor), _Backwards() as seen:
            _epoch(script, step, model, data, optimizers)
        gc.collect(0)
        nodes.append(seen.nodes)
        saved.append(sum(made))
        held.append(sum(kept.tensor.nbytes for kept in alive))
    return Cost(tuple(nodes), tuple(saved), tuple(held), _unused(model, optimizers, own is not None))


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


def _unused(model: nn.Module, optimizers: Any, several: bool) -> tuple[str, ...]:
    every = list(optimizers) if several and isinstance(optimizers, tuple) else [optimizers]
    used = {id(p) for one in every for group in one.param_groups for p in group["params"]}
    return tuple(n for n, p in model.named_parameters() if p.grad is not None and id(p) not in used)
