"""Operations that have a derivative, and none where they were called: all padding, saturated, at a minimum, overwritten.

Each has advice of its own: a straight-through estimator, which helps a `round`, would harm every one of them.
"""

from __future__ import annotations

from torch import nn

from ..capture.data_flow import Call, Entry
from .cause import Cause
from .facts import Facts
from .intent import goes_through_a_layer

_BOUNDS = frozenset(
    [
        "clamp", "clamp_", "clip", "clip_", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_", "hardtanh",
        "hardtanh_", "hardsigmoid", "relu", "relu_", "relu6", "threshold", "threshold_",
    ]
)  # fmt: skip
_HINGES = frozenset(["clamp", "clamp_", "clip", "clip_", "clamp_min", "clamp_min_", "relu", "relu_"])
_SATURATE = frozenset(
    [
        "sigmoid", "sigmoid_", "expit", "tanh", "tanh_", "softmax", "softmin", "gumbel_softmax", "log_softmax", "erf",
        "logsigmoid", "softplus", "exp", "exp_", "exp2", "silu", "gelu", "mish", "elu", "selu", "celu", "log_sigmoid",
    ]
)  # fmt: skip
_FLAT_AT_ZERO = frozenset(
    ["pow", "pow_", "__pow__", "square", "square_", "abs", "abs_", "__abs__", "absolute", "norm", "vector_norm",
     "linalg_norm", "linalg_vector_norm", "cos", "cosh", "mul", "__mul__", "dist", "frobenius_norm"]
)  # fmt: skip
_OVERWRITE = frozenset(
    ["__setitem__", "copy_", "fill_", "zero_", "index_fill", "index_fill_", "index_copy", "index_copy_", "scatter",
     "scatter_", "index_put", "index_put_", "masked_scatter", "masked_scatter_", "uniform_", "normal_"]
)  # fmt: skip
_MARGINS = frozenset(
    ["margin_ranking_loss", "hinge_embedding_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
     "cosine_embedding_loss", "multi_margin_loss", "multilabel_margin_loss"]
)  # fmt: skip
_DISTANCES = frozenset(["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
_LIKELIHOODS = frozenset(["cross_entropy", "nll_loss"])

_PADDING = (
    "Use that index for padding only (if it is 0, start the others at 1), or remove `padding_idx`. A batch of nothing "
    "but padding is not a fault in the code."
)
_START_INSIDE = (
    "Start it inside the range. To keep a parameter within bounds, clamp it after `optimizer.step()`: "
    "`with torch.no_grad(): p.clamp_(...)`."
)
_HINGE = (
    "If it is a margin that every example of this batch satisfies, there is nothing to fix. Otherwise try "
    "another initial bias, a smaller learning rate, or a soft bound."
)
_SATURATED = (
    "Bring its inputs closer to zero: normalise them, divide them by a temperature, or start with smaller "
    "weights; for a loss, use the version that takes logits."
)
_ELSEWHERE = "Initialise it to other values: at zero the slope is zero, and training never leaves it."
_WRITTEN_OVER = "Use the old values before they are overwritten, or overwrite only part of them."
_DROPPED = "Lower `p`: what is dropped gets no gradient in this step."
_KEPT_MARGIN = (
    "If every example already satisfies the margin, there is nothing to fix; harder examples give a gradient."
)
_FITTED = (
    "If the model already fits its data, there is nothing to fix. Otherwise look at the target: it may be the "
    "prediction itself."
)
_IGNORED = "Look at the targets: those equal to `ignore_index` give no gradient, nor does one predicted with certainty."
_GRID = "Use `mode='bilinear'`, and keep the grid between -1 and 1: outside the image nothing changes."
_ONE_NORMALISED = "Normalise over more than one entry: over a single one the result is a constant."


def flat_spot(call: Call, bit: int, facts: Facts) -> Cause | None:
    """Why a call sent zeros towards a leaf although it has a derivative, None where it isn't known."""
    name = call.operation
    source = call.inputs[0] if call.inputs else None
    if name in ("embedding", "embedding_bag"):
        return _padding(call)
    if source is None:
        return None
    if name in _BOUNDS and facts.of_leaves_alone(source):
        who = facts.bits.get(bit, "the parameter")
        return Cause(f"`{who}` lies outside the range of this `{name}`", _START_INSIDE)
    if name in _HINGES and not goes_through_a_layer(call.outputs, facts):
        off = name.startswith("relu")
        why = (
            f"every unit of this `{name}` is off"
            if off
            else f"every element is outside the range of this `{name}`"
        )
        return Cause(why, _HINGE)
    if name in _SATURATE and not _constant_over_one(call):
        return Cause(f"every input of this `{name}` lies in its flat region", _SATURATED)
    if name in _FLAT_AT_ZERO and _is_zero(source, facts) and source.value >> bit & 1:
        others = call.inputs[1:]
        if all(entry.value >> bit & 1 for entry in others) and (others or "mul" not in name):
            return Cause(f"the input of this `{name}` is all zeros, where its slope is zero", _ELSEWHERE)
    if name in _OVERWRITE:
        return Cause(f"this `{name}` overwrites every element", _WRITTEN_OVER)
    if "dropout" in name:
        return Cause(f"this `{name}` dropped every element", _DROPPED)
    if name in _MARGINS:
        return Cause(f"every example satisfies the margin of this `{name}`", _KEPT_MARGIN)
    if name in _DISTANCES:
        return Cause(f"this `{name}` is at its minimum: prediction and target are equal", _FITTED)
    if name in _LIKELIHOODS:
        return Cause(f"no target of this `{name}` gives a gradient", _IGNORED)
    if name == "grid_sample":
        return Cause("this `grid_sample` does not change with the grid here", _GRID)
    if name in ("layer_norm", "rms_norm") and _shape(source)[-1:] == (1,):
        return Cause(f"a `{name}` over one entry is a constant", _ONE_NORMALISED)
    return None


def _padding(call: Call) -> Cause | None:
    """All indices are those of the padding, as far as the module or the indices tell."""
    indices = next((entry for entry in call.inputs if not entry.floating), None)
    record = indices.record() if indices is not None and indices.content is not None else None
    values = None if record is None else record.values
    first = None if values is None or not values.size else int(values.flat[0])
    if values is None or first is None or (values != first).any():
        return None
    module = call.module
    if isinstance(module, nn.Embedding | nn.EmbeddingBag) and module.padding_idx != first:
        return None
    return Cause(f"every index is {first}, the row of `padding_idx`, which gets no gradient", _PADDING)


def _is_zero(entry: Entry, facts: Facts) -> bool:
    if entry.leaf is not None:
        return id(facts.flow.graph.leaves[entry.leaf]) in facts.zero_before
    record = entry.record() if entry.content is not None else None
    return record is not None and record.values is not None and not record.values.any()


def _constant_over_one(call: Call) -> bool:
    """Whether a softmax runs over a single entry: that is another cause."""
    return "softmax" in call.operation and 1 in _shape(call.outputs[0])


def _shape(entry: Entry) -> tuple[int, ...]:
    return entry.content[0] if entry.content is not None else ()
