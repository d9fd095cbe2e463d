"""A backward pass, watched: what came back to every node of the graph, and by which edge.

Just before the pass the graph is walked from the roots, and each node that made the output of a call gets a hook
that notes whether what it sends along each of its edges is zero, and copies what came to that output. The nodes
inside of a call, of which a transformer has four times as many, get none. Nor does a leaf without a gradient: what
came to it is its gradient after the pass. The hooks return nothing, so that the gradients stay the very same bits,
and they are taken off when the pass is over, also when it raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from ..record import GradientState
from .data_flow import ACCUMULATE, Entry, Flow
from .frames import Line, Passed
from .tensors import grad_fn_of, is_zero, read_only
from .torch_private import FunctionNode, has_hook_after, number_of, saved_by

Target = tuple[int, bool]
"""Where an edge of the graph leads: (sequence number of a node, False) or (bit of a leaf, True)."""


Gradients = tuple[Tensor | None, ...]
SMALL = 16_384
"""Numbers up to which what a node got and sent is held until the step is diagnosed."""
ROOM = 4_000_000
"""Numbers that are held of one pass in all."""


@dataclass(slots=True)
class BackwardPass:
    """One backward pass and the graph that it ran through."""

    number: int
    roots: tuple[Entry, ...]
    line: Line | None
    next: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    """By node: for each of its edges where it leads. A node is given by its sequence number, a leaf by the complement
    of its bit: plain numbers, since a graph has thousands of edges."""
    outputs: dict[tuple[int, int], int] = field(default_factory=dict)
    """By (node, number of the edge): the number of the output that it leads to, where that is not the first."""
    operations: dict[int, str] = field(default_factory=dict)
    """By node of a custom Function: its name."""
    sent: dict[int, tuple[GradientState, ...]] = field(default_factory=dict)
    """By node that ran: what it sent along each edge."""
    came: dict[int, tuple[GradientState, ...]] = field(default_factory=dict)
    """By node that ran: what came to each of its outputs."""
    held: dict[int, tuple[Gradients, Gradients]] = field(default_factory=dict)
    """By node that ran: what it sent and what came to it, where that is small. Held, and looked at only if need be."""
    room: int = ROOM
    """Numbers that can still be held."""
    arrived: dict[int, GradientState] = field(default_factory=dict)
    """By leaf's bit: what came to a leaf in all."""
    python_nodes: set[int] = field(default_factory=set)
    reads: dict[int, list[int]] = field(default_factory=dict)
    """By memory that was edited without autograd noticing: the nodes that kept numbers of it for the backward pass."""
    finished: bool = False
    fresh: list[int] = field(default_factory=list)
    """The bits of leaves whose gradient after the pass is what came to them."""
    about: tuple[Entry, ...] = ()
    """What `autograd.grad` was asked to differentiate with respect to."""
    asked: int = -1
    """The leaves, as bits, whose gradients are asked for: all where something else is."""
    called: tuple[str, ...] = ()
    """What the reader calls each of these there, where a variable holds it."""
    to_leaves: bool = True
    """False for `autograd.grad`, which puts nothing in the leaves' `.grad`."""

    def settle(self, flow: Flow) -> None:
        """Notes what has come to the leaves that have no hook: the pass is over, or comes no further."""
        for bit in self.fresh:
            self.arrived[bit] = state_of(flow.graph.leaves[bit].grad)

    @property
    def loss(self) -> float | None:
        """What was backpropagated: the sum of the roots; None where one is no single number or was not read.

        What a `GradScaler` has scaled counts as it was before.
        """
        records = [root.record() for root in map(_unscaled, self.roots) if root.content is not None]
        values = [
            record.values for record in records if record.values is not None and record.values.size == 1
        ]
        if not values or len(values) < len(self.roots):
            return None
        return sum(float(value.reshape(())[()]) for value in values)

    def edges(self, node: int) -> list[tuple[Target | None, int]]:
        """Where each edge of a node leads, and the number of the output there."""
        return [
            (_target(to), self.outputs.get((node, edge), 0))
            for edge, to in enumerate(self.next.get(node, ()))
        ]


def _unscaled(root: Entry) -> Entry:
    while root.call is not None and root.call.passed & Passed.SCALER and root.call.inputs:
        root = root.call.inputs[0]
    return root


def _target(to: int | None) -> Target | None:
    if to is None:
        return None
    return (to, False) if to >= 0 else (~to, True)


def state_of(gradient: Tensor | None) -> GradientState:
    """None, all zeros, or a value."""
    if gradient is None:
        return "none"
    return "zero" if is_zero(gradient) else "value"


def watch(record: BackwardPass, roots: list[Tensor], flow: Flow, keep: int, run: Callable[[], Any]) -> Any:
    """What `run` returns, which sends `roots` back: every node behind them is watched meanwhile."""
    handles: list[Any] = []
    try:
        leaves = _watch(record, roots, flow, keep, handles)
        if record.to_leaves:
            record.fresh = _watch_leaves(record, leaves, flow, handles)
        out = run()
        record.finished = True
        return out
    finally:
        for handle in handles:
            handle.remove()
        record.settle(flow)


def _watch(
    record: BackwardPass, roots: list[Tensor], flow: Flow, keep: int, handles: list[Any]
) -> dict[int, Any]:
    """Hooks the nodes and returns those that put a gradient in a leaf, by the leaf's bit."""
    leaf, by_node, edges, to_leaves = flow.graph.leaf, flow.by_node, record.next, record.to_leaves
    leaves: dict[int, Any] = {}
    edited = flow.edited_unseen() if flow.writes else None
    todo: list[Any] = [node for tensor in roots if (node := grad_fn_of(tensor)) is not None]
    while todo:
        node = todo.pop()
        key = number_of(node)
        if key in edges:
            continue
        targets: list[int | None] = []
        for following, number in node.next_functions:
            child = ACCUMULATE if following is None else number_of(following)
            if child != ACCUMULATE:
                if number:
                    record.outputs[key, len(targets)] = number
                targets.append(child)
                if child not in edges:
                    todo.append(following)
                continue
            variable = getattr(following, "variable", None)
            if variable is None:
                targets.append(None)
            else:
                bit = leaf(variable)
                targets.append(~bit)
                leaves[bit] = following
        edges[key] = tuple(targets)
        if edited:
            for saved in saved_by(node):
                storage = flow.storage_of(saved)
                if storage in edited:
                    record.reads.setdefault(storage, []).append(key)
        python = isinstance(node, FunctionNode)
        if python:
            record.python_nodes.add(key)
            record.operations[key] = type(node).__name__
        if to_leaves and (python or key in by_node):
            handles.append(node.register_hook(partial(_note_node, record, key, by_node.get(key), keep)))

    return leaves


def _watch_leaves(record: BackwardPass, leaves: dict[int, Any], flow: Flow, handles: list[Any]) -> list[int]:
    """Hooks the leaves to which a gradient may be added that is not all that stands there after the pass.

    These have one from before, or lose it by a hook of the reader's; and Python code in the graph may send other
    passes through the same leaves. The others are returned, by bit.
    """
    fresh: list[int] = []
    for bit, node in leaves.items():
        record.arrived[bit] = "none"
        leaf = flow.graph.leaves[bit]
        if record.python_nodes or leaf.grad is not None or has_hook_after(leaf):
            handles.append(node.register_prehook(partial(_note_leaf, record, bit)))
        else:
            fresh.append(bit)
    return fresh


def _note_leaf(record: BackwardPass, bit: int, gradients: tuple[Tensor | None, ...]) -> None:
    record.arrived[bit] = state_of(gradients[0])


def _note_node(
    record: BackwardPass,
    key: int,
    entry: Entry | None,
    keep: int,
    sent: Gradients,
    came: Gradients,
) -> None:
    size = 0
    for gradient in sent + came:
        if gradient is not None:
            size += gradient.numel()
    if size <= SMALL and size <= record.room:
        record.room -= size
        record.held[key] = sent, came
    record.sent[key] = tuple(map(state_of, sent))
    states = record.came[key] = tuple(map(state_of, came))
    while entry is not None:
        gradient = came[entry.output_number]
        if gradient is not None:
            _add_gradient(entry, gradient, states[entry.output_number], keep)
        entry = entry.same_node


def _add_gradient(entry: Entry, gradient: Tensor, state: GradientState, keep: int) -> None:
    before, entry.gradient_state = entry.gradient_state, state
    if before == "value" and state == "zero":
        entry.gradient_state = "value"
    array = read_only(gradient, keep) if gradient.numel() <= keep else None
    if array is not None and entry.gradient is not None and array.shape == entry.gradient.shape:
        total = np.add(entry.gradient, array)  # a second pass came through: the two add up
        entry.gradient = np.frombuffer(total.tobytes(), total.dtype).reshape(total.shape)
    else:
        entry.gradient = array
