"""Why an operation sent zeros back: the other factor is all zeros, the other branch was taken, every unit is off.

`zeros` finds the operation; here its inputs and outputs are looked at. Each cause has advice of its own, since a
straight-through estimator helps a `round` and would harm a mask.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..capture.data_flow import Call, Entry
from ..capture.frames import Line
from ..capture.torch_private import has_hook_after, has_hook_before
from .facts import Facts


class Cause(NamedTuple):
    """Half a sentence that says why, and what to do."""

    why: str
    advice: str
    line: Line | None = None
    """The line to blame where it is not the operation's."""
    passes: bool = False
    """Whether one step of training is known to end it."""
    after: bool = False
    """Whether the gradient came and was made zeros afterwards, so that other calls of the step don't matter."""


_PRODUCTS = frozenset(
    [
        "mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm",
        "mv", "dot", "inner", "outer", "einsum", "linear", "bilinear", "addmm", "baddbmm", "addmv", "addcmul", "addbmm",
        "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "tensordot", "kron",
        "scaled_dot_product_attention", "rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell", "prod",
    ]
)  # fmt: skip
_UNITS_OFF = frozenset(["relu", "relu_", "threshold", "threshold_", "relu6", "clamp_min", "clamp_min_"])
_RANGES = frozenset(["clamp", "clamp_", "clip", "clip_", "clamp_max", "hardtanh", "hardtanh_", "hardsigmoid"])
_BRANCHES = frozenset(
    ["where", "masked_fill", "masked_fill_", "maximum", "minimum", "max", "min", "fmax", "fmin"]
)

_FACTOR = (
    "Look at where it is computed. If it is meant (a mask, a first hidden state), nothing is to be mended: "
    "`--calls 5` shows whether other steps bring a gradient."
)
_STARTS_AT_ZERO = (
    "If it starts at zeros on purpose (LoRA, LayerScale), nothing is to be mended: one step ends it."
)
_BOTH = "Start one of the two at other values: with both at zero neither ever moves."
_BRANCH = (
    "If that is how this batch is, nothing is to be mended: `--calls 5` shows whether other steps bring a gradient. "
    "Otherwise look at the condition."
)
_OFF = "Try a smaller learning rate, another initial bias, or a unit with a slope below zero such as `leaky_relu`."
_OUTSIDE = "Clamp only what is reported, or use a bound that is soft: `tanh`, `sigmoid`."
_ONE_ENTRY = "Pass the `dim` over which the entries compete; for a single output use `sigmoid`."
_CHANGED = "Look at the factor: a `max_norm` of 0, or a scale of 0, wipes every gradient."
_HOOK = (
    "Return the gradient from the hook, or None to leave it as it is; to freeze use `requires_grad_(False)`."
)


def cause_of(node: int, bit: int, facts: Facts) -> Cause | None:
    """Why the call that made `node` sent zeros towards the leaf with that bit, None where nothing more is known."""
    if node in facts.hooked_nodes:
        why = "a hook on its result puts zeros in the gradient's place"
        return Cause(why, _HOOK, facts.hooked_nodes[node])
    call = facts.call_at(node)
    if call is None:
        return None
    operation = call.operation
    if operation in _UNITS_OFF:
        return Cause(f"every unit of this `{operation}` is off", _OFF)
    if operation in _RANGES:
        return Cause(f"every element is outside the range of this `{operation}`", _OUTSIDE)
    if operation in _BRANCHES:
        return Cause(f"`{operation}` took every element from elsewhere", _BRANCH)
    if "softmax" in operation and _constant(call.outputs[0]):
        return Cause(f"a `{operation}` over one entry is a constant", _ONE_ENTRY)
    if operation in _PRODUCTS:
        return _zero_factor(call, bit, facts)
    return None


def is_product(node: int, facts: Facts) -> bool:
    """Whether the call that made `node` multiplies: where no factor is zero, its derivative isn't either."""
    call = facts.call_at(node)
    return call is not None and call.operation in _PRODUCTS


def changed_after(bit: int, facts: Facts) -> Cause | None:
    """What put zeros in the place of the gradient that came to a leaf: a hook, or a later change of its `.grad`."""
    leaf = facts.flow.graph.leaves[bit]
    writes = facts.flow.writes.get(facts.flow.storage_of(leaf.grad)) if leaf.grad is not None else None
    if writes:
        return Cause(
            "it came, and its `.grad` was changed to zeros here", _CHANGED, writes[-1].line, after=True
        )
    if not has_hook_before(leaf) and not has_hook_after(leaf):
        return None
    return Cause(
        "a hook on it puts zeros in the gradient's place", _HOOK, facts.hooks.get(id(leaf)), after=True
    )


def _zero_factor(call: Call, bit: int, facts: Facts) -> Cause | None:
    others = [entry for entry in call.inputs if not entry.value >> bit & 1 and _all_zero(entry, facts)]
    if not others:
        return None
    factor = others[0]
    who = "the other factor"
    if _name(factor, facts):
        who += f", `{_name(factor, facts)}`,"
    elif factor.call is not None and factor.call.line is not None and factor.call.line != call.line:
        who += f", made on line {factor.call.line.line},"
    trained = [n for n in facts.named(factor.tracked) if facts.trainable(n)]
    zero = facts.zero_before
    if any(facts.states.get(n) == "gradient" and id(facts.tensor(n)) in zero for n in trained):
        return Cause(f"{who} is all zeros before its first step", _STARTS_AT_ZERO, passes=True)
    first_state = call.operation.endswith("_cell") and not trained
    both = bool(trained) and all(id(facts.tensor(n)) in zero for n in trained)
    return Cause(f"{who} is all zeros", _BOTH if both else _FACTOR, passes=first_state)


def _name(entry: Entry, facts: Facts) -> str:
    named = facts.named(1 << entry.leaf) if entry.leaf is not None else []
    return named[0] if named else entry.name


def _all_zero(entry: Entry, facts: Facts) -> bool:
    if entry.leaf is not None:
        return id(facts.flow.graph.leaves[entry.leaf]) in facts.zero_before
    lowest, highest = _range(entry)
    return lowest == 0 == highest


def _constant(entry: Entry) -> bool:
    lowest, highest = _range(entry)
    return lowest is not None and lowest == highest


def _range(entry: Entry) -> tuple[float | None, float | None]:
    record = entry.record() if entry.content is not None else None
    if record is None or record.dtype.startswith("complex"):
        return None, None
    if record.values is not None and record.values.size:
        return float(np.min(record.values)), float(np.max(record.values))
    return (record.measured[0], record.measured[1]) if record.measured is not None else (None, None)
