"""The mode that sees every torch call of a step, and the tape it writes them on.

`TorchFunctionMode` is local to its thread and shows Python-level calls: `F.linear` inside `nn.Linear` is one call,
and so is a loss function. After each call the tape notes the tensors that came in and went out, what autograd
knows behind them (see `flow`), and the reader's line. It also notes what is no call on tensors and still decides
where gradients go: gradients switched off, numbers that leave for Python, `.grad` read, set or cleared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from .compiled import look_for_compiled
from .data_flow import Call, Entry, tensors_in, tensors_of
from .frames import Caller, Passed, find_caller, function_around, judged, outside
from .gradient_calls import (
    autograd_grad,
    backward,
    flag,
    grad_enabled,
    inside_optimizer,
    note_optimizer,
    note_taken,
    read_grad,
    set_grad,
)
from .outputs import note_outputs
from .tape import Tape
from .torch_private import PROFILER_ENTER, PROFILER_EXIT, next_number, number_of, run_eagerly
from .vocabulary import (
    FIRST_ONLY,
    NO_VALUES,
    PROPERTIES,
    REST_ONLY,
    SHAPE_ONLY,
    SINKS,
    changed_by,
    numbers_in,
)
from .warned import at_the_reader


class CallMode(TorchFunctionMode):
    """Sends every torch call of this thread through a tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def __enter__(self) -> Self:
        run_eagerly.__enter__()
        at_the_reader.__enter__()
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        at_the_reader.__exit__(*raised)
        run_eagerly.__exit__(*raised)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return see(self._tape, func, args, kwargs or {})


def see(tape: Tape, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Makes the call and notes it. What the call raises goes through."""
    name = func.__name__
    if name in NO_VALUES:
        return _unvalued(tape, name, func, args, kwargs)
    if name == "__get__":
        name = func.__self__.__name__
        if name not in PROPERTIES:
            if name == "is_leaf":
                note_taken(tape, args[0])
            return func(*args, **kwargs)
        if name == "grad":
            return read_grad(tape, func, args)
    elif name == "__set__":
        name = func.__self__.__name__ + "="
    special = _SPECIAL.get(name)
    if special is not None:
        return special(tape, func, args, kwargs)
    return _plain(tape, name, func, args, kwargs)


def _unvalued(tape: Tape, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if name == PROFILER_ENTER:
        note_optimizer(tape, args)
        if str(args[0]).startswith("Optimizer."):
            caller = find_caller()
            look_for_compiled(tape, caller.passed, caller.frame)
            tape.enter_optimizer(caller)
    elif name == PROFILER_EXIT:
        tape.leave_optimizer()
    if name in ("register_hook", "register_post_accumulate_grad_hook"):
        caller = find_caller()
        tape.add_hook(args[0], tape.entry_of(args[0], caller).sequence, caller.line)
    if name not in ("register_hook", "retain_grad"):
        return func(*args, **kwargs)
    try:
        return func(*args, **kwargs)
    except RuntimeError:
        tape.add_refused(args[0])
        raise


def _plain(tape: Tape, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if tape.stepping is not None and judged(outside()) & Passed.OPTIMIZER:
        return inside_optimizer(tape, name, func, args, kwargs, tape.stepping)
    caller = find_caller()
    if not tape.compiled:
        look_for_compiled(tape, caller.passed, caller.frame)
    if caller.passed & Passed.OPTIMIZER:
        return inside_optimizer(tape, name, func, args, kwargs, caller)
    if name in SHAPE_ONLY:
        given: list[Tensor] = []
    elif name in FIRST_ONLY:
        given = tensors_of(args[:1])
    elif name in REST_ONLY:
        given = tensors_of(args[1:])
    else:
        given = tensors_of(args)
        if kwargs:
            given += tensors_of([v for k, v in kwargs.items() if k != "out"])
    if not tape.names.parameters and tape.in_step and caller.module is not None:
        tape.add_local_modules(caller)
    inputs = [tape.entry_of(tensor, caller) for tensor in given]
    call = Call(tape.tick(), name, caller.line, caller.module, (), passed=caller.passed)
    call.in_step = tape.in_step
    if tape.sinks and name not in SHAPE_ONLY:
        _add_numbers(tape, call, inputs, args, caller)
    first = next_number()
    out = func(*args, **kwargs)
    tape.add_nodes(first, next_number(), call.line, name)
    call.inputs = tuple(inputs)
    if not torch.is_grad_enabled():
        if tape.off is None and not torch.is_inference_mode_enabled():
            _inside_function(tape, call)
    elif tape.off is not None:  # a custom Function gave the mode back without a call
        tape.switch_on()
    made = [out] if isinstance(out, Tensor) else list(tensors_in(out))
    changed = changed_by(name, args, kwargs)
    if changed:
        call.next_node = first
        made = changed
        tape.add_write(call, changed)
        for one in changed if name in ("zero_", "_foreach_zero_") else ():
            tape.note("clear", call.line, one)
    if not made:
        if name in SINKS and inputs:
            _sink(tape, call, name, out)
        return out
    note_outputs(tape, call, name, made, caller)
    return out


def _inside_function(tape: Tape, call: Call) -> None:
    """Gradients are off and nobody switched them: the call stands in the forward of a custom Function."""
    around = function_around()
    if around is not None:
        function, applied = around
        call.function, call.function_name = number_of(function), type(function).__name__
        if call.function_name == "CheckpointFunctionBackward":
            call.kind, call.kind_line = "checkpoint", applied


def _sink(tape: Tape, call: Call, name: str, out: object) -> None:
    call.kind, call.kind_line, call.sink, call.result = SINKS[name], call.line, True, out
    value = 0
    for entry in call.inputs:
        value |= entry.value
    left = Entry(call, 0, 0, value, None, 0, False, 0, True, True, tape.flow.clock)
    call.outputs = (left,)
    tape.add_sink(call)


def _add_numbers(tape: Tape, call: Call, inputs: list[Entry], args: tuple[Any, ...], caller: Caller) -> None:
    """Links numbers among the arguments to the sinks they came from, or says that they may come from one."""
    constants = caller.frame.f_code.co_consts if caller.frame is not None else ()
    for number in numbers_in(args, tape.results):
        sink = tape.results.get(id(number))
        if sink is not None and not isinstance(number, int):
            inputs.append(sink.outputs[0])
        elif not any(number is constant for constant in constants) and not isinstance(number, int):
            call.maybe = len(tape.sinks)


def computes(name: str, args: tuple[Any, ...]) -> bool:
    """Whether a call makes something of tensors, and neither asks about one nor switches anything."""
    about = name in NO_VALUES or name in _SPECIAL or name in ("__get__", "__set__")
    return (not about or name in ("backward", "grad")) and bool(tensors_of(args))


def may_lose_a_gradient(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call made before a step can matter to it: one on what wants a gradient, or about gradients."""
    if name in _SPECIAL or name in NO_VALUES or name in ("__get__", "__set__"):
        return True
    return any(tensor.requires_grad for tensor in (*tensors_of(args), *tensors_of(kwargs.values())))


_SPECIAL: dict[str, Callable[..., Any]] = {
    "_set_grad_enabled": grad_enabled,
    "requires_grad_": flag,
    "requires_grad=": flag,
    "grad=": set_grad,
    "backward": backward,
    "grad": autograd_grad,
}
