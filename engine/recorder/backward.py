"""A backward pass, watched: what came back to every node of the graph, and by which edge.

Just before the pass the graph is walked from the roots, and each node that made the output of a call gets a hook
that notes whether what it sends along each of its edges is zero, and copies what came to that output. The nodes
inside of a call, of which a transformer has four times as many, get none. The hooks return nothing, so that the
gradients stay the very same bits, and they are taken off when the pass is over, also when it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from engine.recorder.flow import ACCUMULATE, Entry, Flow
from engine.recorder.frames import Line
from engine.recorder.records import GradientState
from engine.recorder.tensors import grad_fn_of, is_zero, read_only

Target = tuple[int, bool]
"""Where an edge of the graph leads: (sequence number of a node, False) or (bit of a leaf, True)."""


@dataclass(slots=True)
class BackwardPass:
    """One backward pass and the graph that it ran through."""

    number: int
    roots: tuple[Entry, ...]
    line: Line | None
    edges: dict[int, tuple[tuple[Target | None, int], ...]] = field(default_factory=dict)
    """By node: where each of its edges leads, and the number of the output there."""
    operations: dict[int, str] = field(default_factory=dict)
    """By node of a custom Function: its name."""
    sent: dict[int, tuple[GradientState, ...]] = field(default_factory=dict)
    """By node that ran: what it sent along each edge."""
    came: dict[int, tuple[GradientState, ...]] = field(default_factory=dict)
    """By node that ran: what came to each of its outputs."""
    arrived: dict[int, GradientState] = field(default_factory=dict)
    """By leaf's bit: what came to a leaf in all."""
    python_nodes: set[int] = field(default_factory=set)
    finished: bool = False
    to_leaves: bool = True
    """False for `autograd.grad`, which puts nothing in the leaves' `.grad`."""


def state_of(gradient: Tensor | None) -> GradientState:
    """None, all zeros, or a value."""
    if gradient is None:
        return "none"
    return "zero" if is_zero(gradient) else "value"


@contextmanager
def watched(record: BackwardPass, roots: list[Tensor], flow: Flow, keep: int) -> Iterator[None]:
    """Runs its body with every node behind `roots` watched."""
    handles: list[Any] = []
    try:
        _watch(record, roots, flow, keep, handles)
        yield
        record.finished = True
    finally:
        for handle in handles:
            handle.remove()


def _watch(record: BackwardPass, roots: list[Tensor], flow: Flow, keep: int, handles: list[Any]) -> None:
    graph = flow.graph
    outputs = {key for key, _ in flow.by_node}
    todo = [node for tensor in roots if (node := grad_fn_of(tensor)) is not None]
    while todo:
        node = todo.pop()
        key = node._sequence_nr()
        if key in record.edges:
            continue
        edges: list[tuple[Target | None, int]] = []
        for following, number in node.next_functions:
            if following is None:
                edges.append((None, 0))
                continue
            child = following._sequence_nr()
            if child != ACCUMULATE:
                edges.append(((child, False), number))
                todo.append(following)
            elif hasattr(following, "variable"):
                bit = graph.leaf(following.variable)
                edges.append(((bit, True), 0))
                if bit not in record.arrived and record.to_leaves:
                    record.arrived[bit] = "none"
                    handles.append(following.register_prehook(_leaf_hook(record, bit)))
            else:
                edges.append((None, 0))
        record.edges[key] = tuple(edges)
        python = isinstance(node, BackwardCFunction)
        if python:
            record.python_nodes.add(key)
            record.operations[key] = type(node).__name__
        if record.to_leaves and (python or key in outputs):
            handles.append(node.register_hook(_node_hook(record, key, flow, keep)))


def _leaf_hook(record: BackwardPass, bit: int) -> Callable[[Any], None]:
    def note(gradients: tuple[Tensor | None, ...]) -> None:
        record.arrived[bit] = state_of(gradients[0])

    return note


def _node_hook(record: BackwardPass, key: int, flow: Flow, keep: int) -> Callable[[Any, Any], None]:
    def note(sent: tuple[Tensor | None, ...], came: tuple[Tensor | None, ...]) -> None:
        record.sent[key] = tuple([state_of(gradient) for gradient in sent])
        states = record.came[key] = tuple([state_of(gradient) for gradient in came])
        for number, (gradient, state) in enumerate(zip(came, states, strict=True)):
            if gradient is None:
                continue
            for entry in flow.by_node.get((key, number), ()):
                before, entry.gradient_state = entry.gradient_state, state
                if before == "value" and state == "zero":
                    entry.gradient_state = "value"
                array = read_only(gradient, keep) if gradient.numel() <= keep else None
                if array is not None and entry.gradient is not None and array.shape == entry.gradient.shape:
                    total = np.add(entry.gradient, array)  # a second pass came through: the two add up
                    entry.gradient = np.frombuffer(total.tobytes(), total.dtype).reshape(total.shape)
                else:
                    entry.gradient = array

    return note
