"""What torch calls things: which calls carry no values, which change a tensor in place, which leave for Python."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from torch import Tensor

from .data_flow import tensors_in
from .torch_private import PROFILER_ENTER, PROFILER_EXIT

PROPERTIES = frozenset(["data", "grad", "T", "mT", "H", "mH", "real", "imag"])
NO_VALUES = frozenset(
    [
        "size",
        "dim",
        "ndimension",
        "numel",
        "nelement",
        "stride",
        "storage_offset",
        "data_ptr",
        "element_size",
        "is_floating_point",
        "is_complex",
        "is_contiguous",
        "is_signed",
        "is_same_size",
        "is_pinned",
        "is_cuda",
        "type",
        "get_device",
        "__len__",
        "__repr__",
        "__format__",
        "__str__",
        "__bool__",
        "__hash__",
        "__contains__",
        "is_nonzero",
        "equal",
        "allclose",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "untyped_storage",
        "storage",
        "typed_storage",
        "_is_view",
        "has_names",
        "result_type",
        "can_cast",
        "is_tensor",
        "is_storage",
        PROFILER_ENTER,
        PROFILER_EXIT,
        "_is_all_true",
        "_is_any_true",
        "is_inference",
        "__dir__",
        "__reduce_ex__",
        "__array_wrap__",
        "_typed_storage",
        "is_neg",
        "is_conj",
        "names",
        "rename_",
        "_version",
        "_has_compatible_shallow_copy_type",
        "retain_grad",
        "is_shared",
        "share_memory_",
        "set_default_dtype",
    ]
)
SHAPE_ONLY = frozenset(
    [
        "zeros_like",
        "ones_like",
        "empty_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "full_like",
        "new_zeros",
        "new_ones",
        "new_empty",
        "new_full",
        "new_empty_strided",
    ]
)
FIRST_ONLY = frozenset(["expand_as", "view_as", "reshape_as", "type_as", "resize_as_", "to", "set_"])
REST_ONLY = frozenset(["new_tensor"])
"""Of the first argument only its type is taken."""
EACH_ITS_OWN = frozenset(
    ["broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d", "align_tensors"]
)
SINKS = {
    "item": "item",
    "__float__": "item",
    "__int__": "item",
    "__index__": "item",
    "__complex__": "item",
    "tolist": "item",
    "numpy": "numpy",
    "__array__": "numpy",
}
COPIES = frozenset(["tensor", "as_tensor", "asarray", "scalar_tensor", "new_tensor"])
KINDS = {"detach": "detach", "detach_": "detach", "data": "data", "data=": "data", "detach_copy": "detach"}


def changed_by(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor]:
    """The tensors that a call with this name changes in place."""
    if "out" in kwargs and kwargs["out"] is not None:
        return list(tensors_in(kwargs["out"]))
    if name in CHANGE_FIRST or (name[-1] == "_" and not name.endswith("__")):
        return list(tensors_in(args[:1]))
    return []


CHANGE_FIRST = frozenset(
    [
        "__iadd__",
        "__isub__",
        "__imul__",
        "__itruediv__",
        "__ifloordiv__",
        "__ipow__",
        "__imod__",
        "__iand__",
        "__ior__",
        "__ixor__",
        "__ilshift__",
        "__irshift__",
        "__imatmul__",
        "__setitem__",
        "data=",
    ]
)


def numbers_in(value: object, known: Collection[int] = (), depth: int = 3) -> list[object]:
    """The plain numbers and arrays in an argument: bare, or in lists and tuples.

    A list whose `id` is `known` is given as it is.
    """
    if isinstance(value, float | int | complex):
        return [value]
    if isinstance(value, Tensor | str | bytes):
        return []
    if type(value).__module__ == "numpy" or (isinstance(value, list) and id(value) in known):
        return [value]
    if depth and isinstance(value, list | tuple):
        return [number for item in value for number in numbers_in(item, known, depth - 1)]
    return []
