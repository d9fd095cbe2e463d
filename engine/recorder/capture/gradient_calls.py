"""The calls that are about gradients themselves, each noted in its own way.

Gradients switched off and on, `requires_grad`, `.grad` read or set, `backward()`, `autograd.grad`, and what an
optimizer does. They make no values of the step's own, but decide where its gradients go.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from .backward import BackwardPass, watch
from .data_flow import Call, tensors_in
from .frames import Caller, Line, Passed, find_caller, function_around, judged, outside
from .outputs import note_outputs
from .source_text import decorator_line
from .tape import GradientRead, Tape, local_name
from .torch_private import next_number, number_of
from .vocabulary import changed_by


def inside_optimizer(
    tape: Tape, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], caller: Caller
) -> Any:
    """A call from inside an optimizer: what it clears and what it moves.

    A call with a text is the profiler's, should torch name it otherwise than we know.
    """
    if args and isinstance(args[0], str):
        note_optimizer(tape, args)
    out = func(*args, **kwargs)
    changed = changed_by(name, args, kwargs)
    if changed:
        tape.tick()
        for tensor in changed:
            tape.note("clear" if name.endswith("zero_") else "optimizer", caller.line, _leaf_of(tape, tensor))
    return out


def _leaf_of(tape: Tape, tensor: Tensor) -> Tensor:
    """The leaf whose memory an optimizer changes by another name, such as `p.data`; else the tensor itself."""
    flow = tape.flow
    if id(tensor) in flow.graph.bit_of:
        return tensor
    entry = flow.by_storage.get(flow.storage_of(tensor))
    while entry is not None and entry.leaf is None:
        entry = entry.same_memory
    return tensor if entry is None or entry.leaf is None else flow.graph.leaves[entry.leaf]


def note_optimizer(tape: Tape, args: tuple[Any, ...]) -> None:
    """Notes `step()` of an optimizer, which names itself to torch's profiler.

    Its calls on tensors don't tell: an optimizer whose parameters all starve makes none.
    """
    kind, _, _ = str(args[0]).partition("#")
    frame: FrameType | None = outside() if kind == "Optimizer.step" else None
    while frame is not None and not judged(frame) & Passed.READER:
        optimizer = frame.f_locals.get("self")
        if isinstance(optimizer, Optimizer):
            tape.add_stepped(optimizer)
            return
        frame = frame.f_back


def note_taken(tape: Tape, tensor: Tensor) -> None:
    """Notes that an optimizer takes a parameter: it asks each whether it is a leaf."""
    frame = outside()
    if judged(frame) & Passed.OPTIMIZER and frame.f_code.co_name == "add_param_group":
        tape.add_taken(tensor)


def read_grad(tape: Tape, func: Any, args: tuple[Any, ...]) -> Any:
    """`.grad` was read: of a tensor that keeps none, or to be used as a value."""
    out = func(*args)
    tensor = args[0]
    frame = outside()
    by = judged(frame)
    if out is not None and by & (Passed.READER | Passed.PACKAGE):
        number, storage = tape.tick(), tape.flow.storage_of(out)
        tape.add_read(GradientRead(number, id(tensor), storage, weakref.ref(out)))
    if not by & Passed.READER:
        return out
    caller = find_caller(frame)
    if out is None:
        if not tensor.is_leaf and not tensor.retains_grad:
            entry = tape.entry_of(tensor, caller)
            tape.note("grad_of_non_leaf", caller.line, tensor, entry)
    elif tape.backwards:
        roots = tuple(entry for run in tape.backwards for entry in run.roots)
        call = Call(tape.tick(), "grad", caller.line, caller.module, roots, in_step=tape.in_step)
        call.about = (tape.entry_of(tensor, caller),)
        note_outputs(tape, call, "grad", [out], caller)
        if call.kind and torch.is_grad_enabled():  # under `no_grad` it is an update by hand
            call.kind = "create_graph"
    return out


def grad_enabled(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Gradients were switched off or on.

    An `enable_grad` that ends inside a `no_grad` switches nothing off of its own: the `no_grad` goes on.
    """
    frame = outside()
    by = frame.f_locals.get("self")
    by = by if isinstance(by, torch.enable_grad | torch.set_grad_enabled) else None
    before = torch.is_grad_enabled()
    out = func(*args, **kwargs)
    now = torch.is_grad_enabled()
    if before and not now:
        if by is not None and frame.f_code.co_name == "__exit__" and tape.resume(by):
            return out
        caller = find_caller()
        line = caller.line
        if caller.decorated is not None:
            code = caller.decorated
            first = Line(code.co_filename, code.co_firstlineno)
            line = decorator_line(code.co_filename, code.co_firstlineno, "grad") or first
        kind = "checkpoint" if caller.passed & Passed.CHECKPOINT else "no_grad"
        tape.switch_off(kind, line, by_distribution=bool(caller.passed & Passed.DISTRIBUTION))
    elif now:
        tape.switch_on(by)
    return out


def flag(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`requires_grad_()` and `requires_grad = ...`."""
    caller = find_caller()
    tensor = args[0]
    before = tensor.requires_grad
    out = func(*args, **kwargs)
    tape.tick()
    if before != tensor.requires_grad:
        tape.note("unfreeze" if tensor.requires_grad else "freeze", caller.line, tensor)
    return out


def set_grad(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`.grad = ...`."""
    had = args[0].grad is not None
    out = func(*args, **kwargs)
    if had or args[1] is not None:
        caller = find_caller()
        tape.tick()
        tape.note("clear" if args[1] is None else "set_grad", caller.line, args[0])
    return out


def backward(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`loss.backward()` and `torch.autograd.backward(...)`."""
    roots = list(tensors_in(args[0])) if args else list(tensors_in(kwargs))
    return watched_backward(tape, roots, lambda: func(*args, **kwargs), find_caller())


def watched_backward(tape: Tape, roots: list[Tensor], run: Callable[[], Any], caller: Caller) -> Any:
    """Runs a backward pass with every node of its graph watched."""
    entries = tuple(tape.entry_of(tensor, caller) for tensor in roots)
    record = tape.add_pass(entries, caller.line)
    return watch(record, roots, tape.flow, tape.keep, run)


def _depends(record: BackwardPass) -> bool:
    """Whether the roots depend on anything they are differentiated by: else the derivative is zero, graph or not."""
    reach = 0
    for root in record.roots:
        reach |= root.tracked
    return any(entry.leaf is None or reach >> entry.leaf & 1 for entry in record.about)


def autograd_grad(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.autograd.grad(...)`."""
    caller = find_caller()
    roots = list(tensors_in(args[0] if args else kwargs.get("outputs")))
    wrt = list(tensors_in(args[1] if len(args) > 1 else kwargs.get("inputs")))
    entries = [tape.entry_of(tensor, caller) for tensor in roots]
    about = [tape.entry_of(tensor, caller) for tensor in wrt]
    call = Call(tape.tick(), "autograd.grad", caller.line, caller.module, (), in_step=tape.in_step)
    first = next_number()
    record = BackwardPass(call.number, tuple(entries), caller.line, to_leaves=False)
    record.about = tuple(about)
    if all(entry.leaf is not None for entry in about):
        asked = 0
        for entry in about:
            asked |= entry.tracked
        record.asked = asked or -1
    record.called = tuple(tape.names.tensors.get(id(t)) or local_name(t, caller) for t in wrt)
    tape.add_derivative(record)
    out = watch(record, roots, tape.flow, 0, lambda: func(*args, **kwargs))
    tape.add_nodes(first, next_number(), call.line, "autograd.grad")
    call.inputs = (*entries, *about)
    call.about = tuple(about)
    around = function_around()
    if around is not None:  # a custom Function's own affair: it says what its derivative is
        call.function = number_of(around[0])
    note_outputs(tape, call, "autograd.grad", list(tensors_in(out)), caller)
    if call.kind and call.function is None:
        call.kind = "create_graph" if _depends(record) else ""
    return out
