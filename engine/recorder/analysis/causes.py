"""Why an operation passed zeros back: the other factor is all zeros, the other branch was taken, every unit is off.

`zeros` finds the operation; here its inputs and outputs are looked at. Each cause has advice of its own, since a
straight-through estimator helps a `round` and would harm a mask.
"""

from __future__ import annotations

import numpy as np

from ..capture.data_flow import Call, Entry
from ..capture.frames import Passed
from ..capture.torch_private import has_hook_after, has_hook_before
from .cause import Cause
from .facts import Facts
from .flat_spots import flat_spot

_PRODUCTS = frozenset(
    [
        "mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm",
        "mv", "dot", "inner", "outer", "einsum", "linear", "bilinear", "addmm", "baddbmm", "addmv", "addcmul", "addbmm",
        "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "tensordot", "kron",
        "scaled_dot_product_attention", "rnn_tanh_cell", "rnn_relu_cell", "lstm_cell", "gru_cell", "prod", "lerp", "lerp_",
        "addcmul_", "multi_dot", "chain_matmul", "addr", "ger", "vdot",
    ]
)  # fmt: skip
_ADDED = {
    "linear": 2, "conv1d": 2, "conv2d": 2, "conv3d": 2, "conv_transpose1d": 2, "conv_transpose2d": 2,
    "conv_transpose3d": 2, "bilinear": 3, "addmm": 0, "baddbmm": 0, "addmv": 0, "addcmul": 0, "addcmul_": 0,
    "addbmm": 0, "addr": 0,
}  # fmt: skip
"""Of a product that adds something as well: which of its inputs that is. It is no factor."""
_NORMS = frozenset(["batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "_weight_norm"])
_OF_SEVERAL = frozenset(
    ["multi_head_attention_forward", "_native_multi_head_attention", "lstm", "gru", "rnn_tanh"]
)
"""Calls that have several products inside: there a matrix is a factor, and a vector a bias."""
_UNITS_OFF = frozenset(["relu", "relu_", "threshold", "threshold_", "relu6", "clamp_min", "clamp_min_"])
_RANGES = frozenset(["clamp", "clamp_", "clip", "clip_", "clamp_max", "hardtanh", "hardtanh_", "hardsigmoid"])
_BRANCHES = frozenset(
    ["where", "masked_fill", "masked_fill_", "maximum", "minimum", "max", "min", "fmax", "fmin"]
)

_TIMES = frozenset(["mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply"])
_JOINS = frozenset(["cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "pad"])

_FACTOR = (
    "Look at where it is computed. If it is intended (a mask, a first hidden state), there is nothing to "
    "fix: `--calls 5`, or `run --step 6`, shows whether other steps give a gradient."
)
_STARTS_AT_ZERO = "If it is initialised to zero on purpose (LoRA, LayerScale), there is nothing to fix: the first step changes it."
_BOTH = "Initialise one of the two to other values: with both at zero, neither ever learns."
_BRANCH = (
    "If only this batch does it, there is nothing to fix: `--calls 5`, or `run --step 6`, shows whether other "
    "steps give a gradient. "
    "Otherwise look at the condition."
)
_OFF = "Try a smaller learning rate, another initial bias, or an activation with a slope below zero, such as `leaky_relu`."
_OUTSIDE = "Clamp only what is reported, or use a soft bound: `tanh`, `sigmoid`."
_ONE_ENTRY = "Pass the `dim` over which the entries compete; for a single output use `sigmoid`."
_CHANGED = "Look at the factor: a `max_norm` of 0, or a scale of 0, wipes every gradient."
_NOT_USED = "Add its result to the loss, or do not compute it: what is sliced away does not affect the loss."
_WEIGHT = (
    "Give this term a weight other than 0, or remove it. If the weight is 0 in this step alone, as in a warm-up, "
    "there is nothing to fix: record a later step."
)
_HOOK = (
    "Return the gradient from the hook, or None to leave it as it is; to freeze use `requires_grad_(False)`."
)


def cause_of(node: int, bit: int, facts: Facts) -> Cause | None:
    """Why the call that made `node` sent zeros towards the leaf with that bit, None where nothing more is known."""
    if node in facts.hooked_nodes:
        why = "a hook on its result replaces the gradient by zeros"
        return Cause(why, _HOOK, facts.hooked_nodes[node])
    call = facts.call_at(node)
    if call is None:
        return None
    operation = call.operation
    flat = flat_spot(call, bit, facts)
    if flat is not None:
        return flat
    if operation in _UNITS_OFF:
        return Cause(f"every unit of this `{operation}` is off", _OFF)
    if operation in _RANGES:
        return Cause(f"every element is outside the range of this `{operation}`", _OUTSIDE)
    if operation in _BRANCHES:
        return Cause(f"`{operation}` took every element from elsewhere", _BRANCH)
    if "softmax" in operation and _constant(call.outputs[0]):
        return Cause(f"a `{operation}` over one entry is a constant", _ONE_ENTRY)
    if operation in _TIMES and len(call.inputs) == 1:
        return Cause("it is multiplied by 0 here", _WEIGHT)
    if operation in _JOINS:
        why = f"only other parts of what this `{operation}` joins go on to the loss"
        return Cause(why, _NOT_USED, passes=_in_a_package(call))
    factors = [entry for entry in _factors(call, facts) if not entry.value >> bit & 1]
    return _zero_factor(call, factors, facts)


def starts_at_zero(leaf: int, facts: Facts) -> bool:
    """Whether a leaf is all zeros before its first step, and that step will move it."""
    return bool(facts.starting >> leaf & 1)


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
            "it arrived, and its `.grad` was changed to zeros here", _CHANGED, writes[-1].line, after=True
        )
    if not has_hook_before(leaf) and not has_hook_after(leaf):
        return None
    return Cause("a hook on it replaces the gradient by zeros", _HOOK, facts.hooks.get(id(leaf)), after=True)


def _factors(call: Call, facts: Facts) -> list[Entry]:
    """The inputs of a call that multiply the gradient of another input."""
    operation, inputs = call.operation, call.inputs
    if operation in _NORMS:  # after the input the scale, then the bias; running statistics are neither
        return [e for e in inputs[1:] if e.leaf is not None or e.tracked][:1]
    if operation in _OF_SEVERAL:
        return [e for e in inputs if e.leaf is not None and facts.leaf(e.leaf).dim() > 1]
    if operation not in _PRODUCTS:
        return []
    added = _ADDED.get(operation)
    return [entry for at, entry in enumerate(inputs) if at != added]


def _zero_factor(call: Call, factors: list[Entry], facts: Facts) -> Cause | None:
    """What is said of a factor of zeros: the one that a step will move, where there is one."""
    starting = [e for e in factors if _all_zero(e, facts) is not False and _learns(e, facts)]
    zeros = [e for e in factors if _all_zero(e, facts)]
    if not starting and not zeros:
        return None
    factor = (starting or zeros)[0]
    who = "its scale" if call.operation in _NORMS else "the other factor"
    if _name(factor, facts):
        who += f", `{_name(factor, facts)}`,"
    elif factor.call is not None and factor.call.line is not None and factor.call.line != call.line:
        who += f", made on line {factor.call.line.line},"
    if starting:
        return Cause(f"{who} is all zeros before its first step", _STARTS_AT_ZERO, passes=True)
    trained = factor.tracked & facts.trainable_bits
    first_state = call.operation.endswith("_cell") and not trained
    both = bool(trained) and not trained & ~facts.zero_bits
    meant = first_state or _made_by_a_package(factor, facts)
    return Cause(f"{who} is all zeros", _BOTH if both else _FACTOR, passes=meant)


def _in_a_package(call: Call) -> bool:
    return bool(call.passed & Passed.INSTALLED)


def _made_by_a_package(factor: Entry, facts: Facts) -> bool:
    """Whether an installed package made these zeros of nothing that the reader gave it: first queries, a start state."""
    todo, seen = [factor], set[int]()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        if entry.leaf is not None or (
            not entry.previous and (entry.call is None or not _in_a_package(entry.call))
        ):
            return False
        todo += facts.before_entry(entry)
    return True


def _learns(factor: Entry, facts: Facts) -> bool:
    """Whether a factor is, or was made by, a parameter that is all zeros before its first step."""
    return bool(factor.tracked & facts.starting)


def _name(entry: Entry, facts: Facts) -> str:
    return (facts.bits.get(entry.leaf) if entry.leaf is not None else None) or entry.name


def _all_zero(entry: Entry, facts: Facts) -> bool | None:
    """Whether every element is zero; None where the tensor was too large to be looked at."""
    if entry.leaf is not None:
        return id(facts.leaf(entry.leaf)) in facts.zero_before
    lowest, highest = _range(entry)
    return None if lowest is None else lowest == 0 == highest


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
