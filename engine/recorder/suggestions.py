"""What each kind of cut or fault is, in half a sentence, and what to write instead, with the reason."""

from __future__ import annotations

WHAT: dict[str, str] = {
    "detach": "`detach` gives the same values without their history",
    "no_grad": "gradients are switched off here, so nothing that is computed is recorded",
    "inference_mode": "inference mode records nothing, and its tensors can't be used in a graph later",
    "data": "`.data` reaches past autograd: what is read or written through it has no history",
    "item": "a Python number has no history",
    "numpy": "a NumPy array has no history",
    "torch_tensor": "building a new tensor out of old ones copies their numbers, not their history",
    "integer": "the result is made of integers or booleans, and those have no derivative",
    "zero_op": "its derivative is zero here",
    "cancel": "two paths bring gradients that add up to zero",
    "custom_function": "the custom Function sends nothing back to it",
    "checkpoint": "a reentrant checkpoint records nothing unless one of its inputs requires grad",
    "inplace": "a tensor was changed in place that autograd still needs",
    "alias": "two tensors share one memory, so a change to one changes the other",
    "non_leaf": "this tensor is computed, so its `.grad` is not kept",
    "not_in_graph": "nothing of it goes into what is differentiated",
    "frozen": "`requires_grad` is False",
    "freed_graph": "the graph was freed by the first backward pass through it",
    "growth": "its graph grows with every call, and all of it stays in memory",
    "create_graph": "a gradient taken without `create_graph=True` is a constant",
    "deepcopy": "a deep copy has leaves of its own, with no path back to the original",
    "serialize": "a tensor with a history can't be sent to another process",
    "unregistered": "layers in a plain list, tuple or dict are not registered with the module",
    "stale_optimizer": "the optimizer holds tensors that the model no longer uses",
    "zero_grad": "the gradient is cleared at the wrong time",
    "non_finite": "a value is nan or infinite",
    "expect_constant": "it was meant to stay constant and got a gradient",
}

SUGGEST: dict[str, str] = {
    "detach": "Leave the `detach` away where the gradient is wanted; keep it where the value is a target.",
    "no_grad": "Move what must be trained out of the block; around frozen layers only, freeze them with "
    "`requires_grad_(False)` instead, which still lets gradients through.",
    "inference_mode": "Use `torch.no_grad()` if the result enters a trained layer, or nothing if its layers train.",
    "data": "Compute with the tensor itself; to edit values use `with torch.no_grad():`, which autograd can check, "
    "or work on a `.clone()`.",
    "item": "Keep the tensor in the arithmetic and take `.item()` only of what is printed or logged.",
    "numpy": "Stay with torch operations on this path; call `.detach().numpy()` only on what leaves for good.",
    "torch_tensor": "Use `torch.stack` or `torch.cat` on tensors, and the tensor itself instead of a copy.",
    "integer": "Use a soft version (softmax, sigmoid, a weighted sum) or a straight-through estimator.",
    "zero_op": "Use a smooth stand-in (`sigmoid(k * x)`, `tanh`) or a straight-through estimator, "
    "`x + (f(x) - x).detach()`.",
    "cancel": "Detach the path that is only meant to carry a value, as in `x + (f(x) - x).detach()`.",
    "custom_function": "Pass every tensor that needs a gradient as an argument of `apply`, and return its gradient "
    "from `backward`.",
    "checkpoint": "Pass `use_reentrant=False`: it records the inputs as they are.",
    "inplace": "Use the out-of-place form, or change a `.clone()`.",
    "alias": "Copy with `.clone()` (or `copy.deepcopy`) what must keep its value.",
    "non_leaf": "Call `.retain_grad()` on it before `backward()`, or make a leaf of it with "
    "`.detach().requires_grad_()`.",
    "not_in_graph": "Add its result to the loss, or take it out of the optimizer.",
    "frozen": "Set `requires_grad_(True)` where it must learn; a layer that must stand still also needs `.eval()`.",
    "freed_graph": "Compute it anew in each step, or `detach()` what is carried over; `retain_graph=True` only if one "
    "graph is really sent back twice.",
    "growth": "Keep `.detach()` or `.item()` of it.",
    "create_graph": "Pass `create_graph=True` if the loss must be differentiated through this gradient.",
    "deepcopy": "Use `torch.func.functional_call` with tensors computed from the original, or train the copy itself.",
    "serialize": "Send `.detach()` of it.",
    "unregistered": "Use `nn.ModuleList`, `nn.ModuleDict` or `nn.ParameterList`.",
    "stale_optimizer": "Build the optimizer after the last change to the model, or `add_param_group` the new ones.",
    "zero_grad": "Call `zero_grad()` once a step, before `backward()`: `zero_grad, forward, backward, step`.",
    "non_finite": "Keep what goes in where the operation and its derivative are defined: `log_softmax` for the log of a "
    "softmax, `clamp(min=eps)` before `log`, `sqrt` or a division.",
    "not_scalar": "`return loss.mean()` or `return loss.sum()`; a step that calls `backward()` itself calls it on that.",
    "expect_constant": "Detach the value, or compute it under `torch.no_grad()`, where it enters the loss.",
}


def listed(names: list[str] | tuple[str, ...], most: int = 4) -> str:
    """Names for a sentence: "`a`, `b` and 3 more"."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def verb(names: list[str] | tuple[str, ...], one: str, many: str) -> str:
    """The verb's form for that many names."""
    return one if len(names) == 1 else many
