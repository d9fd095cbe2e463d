"""Copies of tensors that nobody can change: read-only arrays backed by bytes, or statistics above a size.

Nothing here keeps the tensor. A copy is made with the recorder's mode off and without autograd noticing, so it
neither shows up as a call nor touches a version counter.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..record import Array
from .torch_private import is_wrapped

_STRIDED = torch.strided
_FIRST = 16
"""How many elements settle, nearly always, that a tensor is not all zeros."""
_PLAIN_TYPES = (Tensor, torch.nn.Parameter)
_NO_NUMPY = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}


def is_plain(tensor: Tensor) -> bool:
    """Whether the numbers can be read: no meta, sparse, quantized or functorch-wrapped tensor."""
    return (
        tensor.layout is _STRIDED
        and not tensor.is_meta
        and not tensor.is_quantized
        and not is_wrapped(tensor)
    )


def read_only(tensor: Tensor, keep: int) -> Array | None:
    """A read-only copy, same shape; None where it has more than `keep` elements or can't be read."""
    if tensor.numel() > keep or is_wrapped(tensor):
        return None
    try:  # the others that are not plain refuse by themselves
        wider = _NO_NUMPY.get(tensor.dtype)
        array = (tensor if wider is None else tensor.detach().to(wider)).numpy(force=True)
    except (RuntimeError, TypeError, NotImplementedError):
        return None
    copy: Array = np.ndarray(array.shape, array.dtype, array.tobytes())
    return copy


def statistics(tensor: Tensor) -> tuple[float, float, float] | None:
    """(minimum, maximum, mean), or None for an empty tensor and one whose numbers can't be read."""
    if not tensor.numel() or not is_plain(tensor) or tensor.is_complex():
        return None
    try:
        low, high = tensor.detach().aminmax()
        mean = tensor.detach().mean(dtype=None if tensor.is_floating_point() else torch.float64)
        return float(low), float(high), float(mean)
    except (RuntimeError, TypeError, NotImplementedError):
        return None


_TYPE_NAMES: dict[torch.dtype, str] = {}
_NUMBERS: dict[torch.dtype, type[ctypes.c_float] | type[ctypes.c_double]] = {
    torch.float32: ctypes.c_float,
    torch.float64: ctypes.c_double,
}
_AT_ADDRESS = {
    dtype: [number * count for count in range(_FIRST + 1)]
    for dtype, number in ((torch.float32, ctypes.c_float), (torch.float64, ctypes.c_double))
}
"""By dtype: the C arrays of 0 to `_FIRST` such numbers."""


def is_zero(tensor: Tensor) -> bool:
    """Whether every element is zero (a NaN is not).

    Asked of every edge of a backward pass, and nearly always settled by the first few elements, which are read
    from memory directly: a torch operation would take ten times as long as the question is worth.
    """
    number = _NUMBERS.get(tensor.dtype)
    if number is not None and type(tensor) in _PLAIN_TYPES and tensor.is_cpu and tensor.layout is _STRIDED:
        address = tensor.data_ptr()
        if address and number.from_address(address).value:
            return False
    else:
        number = None
    if tensor.is_meta:
        return False
    if tensor.layout != torch.strided:
        tensor = tensor.detach().coalesce().values() if tensor.layout == torch.sparse_coo else tensor
    if not tensor.numel():
        return False
    if number is not None:
        arrays = _AT_ADDRESS[tensor.dtype]
        strides, address = tensor.stride(), tensor.data_ptr()
        side_by_side = min(_FIRST, tensor.shape[strides.index(1)]) if 1 in strides else 1
        if address and any(arrays[side_by_side].from_address(address)):
            return False
        low, high = tensor.detach().aminmax()
        return float(low) == 0.0 == float(high)
    return not bool(tensor.any())


Content = tuple[tuple[int, ...], str, bool, str | None, bool, Array | None, tuple[float, float, float] | None]
"""The fields of a `TensorRecord` after its name."""


def content_of(tensor: Tensor, keep: int, measure: int) -> Content:
    """The tensor as it is now: its values up to `keep` elements, their statistics up to `measure`."""
    count, dtype, requires_grad = tensor.numel(), tensor.dtype, tensor.requires_grad
    node = grad_fn_of(tensor)
    values = read_only(tensor, keep) if count <= keep else None
    measured = statistics(tensor) if values is None and count <= measure else None
    kind = _TYPE_NAMES.get(dtype) or _TYPE_NAMES.setdefault(dtype, str(dtype).removeprefix("torch."))
    grad_fn = None if node is None else type(node).__name__
    return tuple(tensor.shape), kind, requires_grad, grad_fn, node is None, values, measured


def grad_fn_of(tensor: Tensor) -> Any:
    """The autograd node that made the tensor, None for a leaf.

    None as well for a view that was made under `no_grad` and then changed in place: torch raises when asked.
    """
    try:
        return tensor.grad_fn if tensor.requires_grad else None
    except RuntimeError:
        return None
