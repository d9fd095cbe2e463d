"""Every name of torch's that torch doesn't promise to keep, looked up here and nowhere else in the recorder.

Beside each stands what is done where a torch has no such name. One has no stand-in: `_sequence_nr` of an autograd
node. Nothing public tells two nodes of a graph apart without keeping them, and their saved activations, alive.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from operator import methodcaller
from typing import Any, Self

import torch
from torch import Tensor, autograd, overrides
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode

PROFILER_ENTER = "_record_function_enter_new"
"""What `torch.profiler.record_function` calls first, and so an optimizer's `step()` and `zero_grad()`. Under another
name the call is told by where it stands: see `inside_optimizer`."""
PROFILER_EXIT = "_record_function_exit._RecordFunction"

FunctionNode: type = getattr(autograd.function, "BackwardCFunction", autograd.function.FunctionCtx)
"""The class of the nodes that custom Functions make, and of the `ctx` in their `forward`."""

number_of: Callable[[Any], int] = methodcaller("_sequence_nr")
"""The number of an autograd node: unique among a thread's nodes, and higher the later a node was made."""


def next_number_by_a_node() -> int:
    """The number that the next autograd node gets, learned by making one."""
    with torch.inference_mode(False), torch.enable_grad():
        return number_of(torch.ones((), requires_grad=True).neg().grad_fn) + 1


next_number: Callable[[], int] = getattr(torch._C._autograd, "_get_sequence_nr", next_number_by_a_node)
"""The number that the next autograd node of this thread gets."""


def has_no_memory(tensor: Tensor) -> bool:
    """Whether a tensor has no memory to read: so it is with those that `torch.func` wraps."""
    try:
        tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return True
    return False


is_wrapped: Callable[[Tensor], bool] = getattr(
    getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", has_no_memory
)
"""Whether a tensor is one that `torch.func` wraps (`vmap`, `grad`), and has no numbers of its own."""


def version_by_content(tensor: Tensor) -> int:
    """A number that changes with the tensor's numbers; 0 where they can't be read."""
    try:
        content = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        return hash(content.numpy().tobytes())
    except (RuntimeError, TypeError, NotImplementedError):
        return 0


def version_of(tensor: Tensor) -> int:
    """A number that changes with every change in place. A tensor made under `inference_mode` counts none itself."""
    try:
        return tensor._version
    except (AttributeError, RuntimeError):
        return version_by_content(tensor)


_SAVED: dict[tuple[type, str], tuple[str, ...]] = {}
"""By the type of an autograd node and a prefix: its attributes that begin so."""


def _saved(node: Any, prefix: str) -> Iterator[Any]:
    """What stands in a node's attributes with that prefix; what was freed is left out."""
    key = type(node), prefix
    if key not in _SAVED:
        _SAVED[key] = tuple(name for name in dir(key[0]) if name.startswith(prefix))
    for name in _SAVED[key]:
        try:
            held = getattr(node, name)
        except RuntimeError:
            continue
        yield from held if isinstance(held, tuple | list) else (held,)


def saved_as_it_lies(node: Any) -> Iterator[Tensor]:
    """The tensors that an autograd node kept for the backward pass.

    They are not unpacked: that could run code of the reader's, or compute a checkpoint anew.
    """
    for held in _saved(node, "_raw_saved_"):
        try:
            tensor = held.data
        except RuntimeError:
            continue
        if isinstance(tensor, Tensor) and held.unpack_hook is None:
            yield tensor


def saved_by_unpacking(node: Any) -> Iterator[Tensor]:
    """The same before torch 2.7, where they can be seen unpacked only."""
    for prefix in ("_saved_", "saved_tensors"):
        yield from (held for held in _saved(node, prefix) if isinstance(held, Tensor))


saved_by: Callable[[Any], Iterator[Tensor]] = (
    saved_as_it_lies
    if hasattr(getattr(torch._C._autograd, "SavedTensor", None), "unpack_hook")
    else saved_by_unpacking
)
"""The tensors that an autograd node kept for the backward pass."""


def has_hook_after(leaf: Tensor) -> bool:
    """Whether the reader has a hook run once a gradient is in `leaf.grad`; False where torch doesn't tell."""
    return bool(getattr(leaf, "_post_accumulate_grad_hooks", None))


def has_hook_before(tensor: Tensor) -> bool:
    """Whether the reader has a hook run on a gradient before it arrives; False where torch doesn't tell."""
    return bool(getattr(tensor, "_backward_hooks", None))


@contextmanager
def eager_stance() -> Iterator[None]:
    """Functions that `torch.compile` gave run as they were written."""
    with torch.compiler.set_stance("force_eager"):
        yield


@contextmanager
def eager_without_stance() -> Iterator[None]:
    """The same before torch 2.6, which brought `set_stance`: what switches compiled code on does nothing meanwhile."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    switches = {k: getattr(dynamo, k, None) for k in ("set_eval_frame", "_maybe_set_eval_frame")}
    found = {name: switch for name, switch in switches.items() if switch is not None}
    for name in found:
        setattr(dynamo, name, lambda callback: callback)
    try:
        yield
    finally:
        for name, switch in found.items():
            setattr(dynamo, name, switch)


class _Eager:
    """Has compiled code run eagerly for as long as any recording is on.

    The switch is one for the whole process: of recordings that overlap the first turns it and the last turns it back.
    """

    def __init__(self) -> None:
        self._lock, self._recordings, self._switch = threading.Lock(), 0, ExitStack()
        self._on = False

    def __enter__(self) -> Self:
        with self._lock:
            self._recordings += 1
        self.look_again()
        return self

    def look_again(self) -> None:
        """For a recording that may have begun before the compiler was loaded: what is not loaded has compiled nothing."""
        if self._on or "torch._dynamo" not in sys.modules:
            return
        with self._lock:
            if self._recordings and not self._on:
                stance = eager_stance if hasattr(torch.compiler, "set_stance") else eager_without_stance
                self._switch.enter_context(stance())
                atexit.register(
                    self._switch.close
                )  # a recording that nobody ends; afterwards torch may be gone
                self._on = True

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._recordings -= 1
            if not self._recordings:
                self._switch.close()
                self._on = False


run_eagerly = _Eager()
"""Compiled code runs as it was written inside: a graph of its own would hide the calls."""


def tells_of_steps(optimizer: Optimizer) -> bool:
    """Whether torch calls its hooks at this optimizer's steps; not for a wrapper that was never made an optimizer."""
    return bool(
        getattr(
            getattr(type(optimizer), "step", None), "hooked", "_patch_step_function" not in vars(Optimizer)
        )
    )


def take_off_the_stack(mode: TorchFunctionMode) -> None:
    """Takes a mode off this thread's stack, wherever it stands: modes that were entered later may still be on."""
    above: list[TorchFunctionMode] = []
    while torch._C._len_torch_function_stack():
        top = overrides._pop_mode()
        if top is mode:
            break
        above.append(top)
    for one in reversed(above):
        overrides._push_mode(one)
