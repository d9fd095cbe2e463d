"""The mode that sees every torch call of a step, and the tape it writes them on.

`TorchFunctionMode` is local to its thread and shows Python-level calls: `F.linear` inside `nn.Linear` is one call,
and so is a loss function. After each call the tape notes the tensors that came in and went out, what autograd
knows behind them (see `flow`), and the reader's line. It also notes what is no call on tensors and still decides
where gradients go: gradients switched off, numbers that leave for Python, `.grad` read, set or cleared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor
from torch._C._autograd import _get_sequence_nr
from torch.overrides import TorchFunctionMode

from engine.recorder.backward import BackwardPass, watched
from engine.recorder.flow import Call, Entry, Flow, GradOff, tensors_in
from engine.recorder.frames import Caller, Line, Passed, find_caller, function_around, judged
from engine.recorder.names import Names
from engine.recorder.source import block_around, decorator_line, line_that_calls
from engine.recorder.tensors import read_only, tensor_record
from engine.recorder.vocabulary import (
    COPIES,
    EACH_ITS_OWN,
    FIRST_ONLY,
    KINDS,
    NO_VALUES,
    PROPERTIES,
    SHAPE_ONLY,
    SINKS,
    changed_by,
    numbers_in,
)

EventKind = Literal[
    "backward", "clear", "set_grad", "freeze", "unfreeze", "optimizer", "grad_of_non_leaf", "array_edit"
]


@dataclass(slots=True)
class Event:
    """Something that decides about gradients and is no call on values, in the order of the calls."""

    kind: EventKind
    number: int
    line: Line | None
    tensor: Tensor | None = None
    entry: Entry | None = None
    backward: BackwardPass | None = None
    in_step: bool = True


@dataclass(slots=True)
class Tape:
    """What one thread's calls left behind."""

    keep: int
    measure: int
    names: Names
    flow: Flow = field(default_factory=Flow)
    calls: list[Call] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    sinks: list[Call] = field(default_factory=list)
    backwards: list[BackwardPass] = field(default_factory=list)
    inputs: list[Entry] = field(default_factory=list)
    began: int = -1
    """The number of the last call before this step."""
    brought: set[int] = field(default_factory=set)
    """Entries from before this step that were met in it, by `id`."""
    refused: list[Entry] = field(default_factory=list)
    """Tensors that refused a hook, since no gradient will ever come to them."""
    off: GradOff | None = None
    in_step: bool = True
    arrays: dict[int, Line | None] = field(default_factory=dict)
    """Memory that a NumPy array looks into, with the line that made the array."""
    made: list[tuple[int, int, Line | None, str]] = field(default_factory=list)
    """(first sequence number, the one after the last, line, operation) of every call that made autograd nodes, in order."""

    def start_step(self) -> None:
        """Forgets the calls of the step before; what is known about living tensors stays."""
        for call in self.calls:
            if call.in_step:
                call.let_go()
        self.calls = [call for call in self.calls if not call.in_step]
        self.events = [event for event in self.events if event.kind in ("freeze", "unfreeze")]
        for event in self.events:
            event.in_step = False
        self.backwards = []
        self.inputs = []
        self.began = self.flow.clock
        self.brought = set()
        self.refused = []
        self.sinks = [call for call in self.sinks if not call.in_step]
        self.flow.forget_the_dead()
        self.in_step = True
        self.flow.clock += 1

    def release(self) -> None:
        """Lets everything go. Calls and entries point at each other: untied, they need no garbage collection."""
        for call in self.calls:
            call.let_go()
        self.calls, self.events, self.sinks, self.backwards, self.inputs = [], [], [], [], []
        self.flow = Flow()

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes the call and notes it. What the call raises goes through."""
        name = func.__name__
        if name in NO_VALUES:
            return self._unvalued(name, func, args, kwargs)
        if name == "__get__":
            name = func.__self__.__name__
            if name not in PROPERTIES:
                return func(*args, **kwargs)
            if name == "grad":
                return self._read_grad(func, args)
        elif name == "__set__":
            name = func.__self__.__name__ + "="
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, func, args, kwargs)
        return self._plain(name, func, args, kwargs)

    def _unvalued(self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name not in ("register_hook", "retain_grad"):
            return func(*args, **kwargs)
        try:
            return func(*args, **kwargs)
        except RuntimeError:
            self.refused.append(self.entry_of(args[0]))
            raise

    def _plain(self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        caller = find_caller(sys._getframe(3))
        if caller.passed & Passed.OPTIMIZER:
            return self._inside_optimizer(name, func, args, kwargs, caller)
        if name in SHAPE_ONLY:
            given: list[Tensor] = []
        elif name in FIRST_ONLY:
            given = list(tensors_in(args[:1]))
        else:
            given = list(tensors_in(args))
            if kwargs:
                given += tensors_in({k: v for k, v in kwargs.items() if k != "out"})
        inputs = [self.entry_of(tensor, caller) for tensor in given]
        self.flow.clock += 1
        call = Call(self.flow.clock, name, caller.line, caller.module, (), passed=caller.passed)
        call.in_step = self.in_step
        if self.sinks and name not in SHAPE_ONLY:
            self._add_numbers(call, inputs, args, caller)
        first = _get_sequence_nr()
        out = func(*args, **kwargs)
        last = _get_sequence_nr()
        if last != first:
            self.made.append((first, last, call.line, name))
        call.inputs = tuple(inputs)
        if not torch.is_grad_enabled():
            if self.off is None and not torch.is_inference_mode_enabled():
                self._inside_function(call)
        elif self.off is not None:  # a custom Function gave the mode back without a call
            self.off = None
        made = list(tensors_in(out))
        changed = changed_by(name, args, kwargs)
        if changed:
            call.in_place = True
            made = changed
            call.storage = self.flow.storage_of(changed[0])
            if name == "zero_":
                self.events.append(Event("clear", call.number, call.line, changed[0]))
            self.flow.writes.setdefault(call.storage, []).append(call)
        if not made:
            if name in SINKS and inputs:
                self._sink(call, name, out)
            return out
        self._note_outputs(call, name, made, caller)
        return out

    def _inside_function(self, call: Call) -> None:
        """Gradients are off and nobody switched them: the call stands in the forward of a custom Function."""
        around = function_around(sys._getframe(4))
        if around is not None:
            function, applied = around
            call.function = function._sequence_nr()
            if type(function).__name__ == "CheckpointFunctionBackward":
                call.kind, call.kind_line = "checkpoint", applied

    def _note_outputs(self, call: Call, name: str, made: list[Tensor], caller: Caller) -> None:
        inputs = call.inputs
        value = 0
        for entry in inputs:
            value |= entry.value
        one_by_one = name in EACH_ITS_OWN and len(inputs) == len(made)
        outputs = []
        for i, tensor in enumerate(made):
            entry = self.flow.add(tensor, call, i, inputs[i].value if one_by_one else value)
            if self.in_step:
                entry.record = tensor_record(tensor, "", _node_name(tensor), self.keep, self.measure)
            outputs.append(entry)
        call.outputs = tuple(outputs)
        self.calls.append(call)
        if value:
            self._judge(call, name, made[0], caller)

    def _judge(self, call: Call, name: str, made: Tensor, caller: Caller) -> None:
        """The kind of cut that this call is, should a path end in it, and the line that is to blame."""
        tracked = 0
        for entry in call.inputs:
            tracked |= entry.tracked
        if not tracked and name not in KINDS and name not in COPIES:
            call.kind = ""
            return
        if all(entry.tracked for entry in call.outputs) and not any(
            tracked & ~entry.tracked for entry in call.outputs
        ):
            call.kind = ""
            return
        blind = next((entry for entry in call.outputs if not entry.tracked), call.outputs[0])
        call.kind_line = call.kind_line or call.line
        if name in KINDS:
            call.kind = "deepcopy" if caller.passed & Passed.DEEPCOPY else KINDS[name]
            call.kind_line = call.line
        elif name in COPIES:
            call.kind = "torch_tensor"
        elif call.function is not None:
            call.kind = "checkpoint" if call.kind == "checkpoint" else "custom_function"
        elif torch.is_inference_mode_enabled() or made.is_inference():
            call.kind = "inference_mode" if blind.floating else "integer"
            if blind.floating:
                call.kind_line = block_around(caller.frame, "inference_mode") or call.line
        elif caller.passed & Passed.DISTRIBUTION and not blind.tracked:
            call.kind = "no_grad"  # `sample()`: most switch gradients off, and the others draw integers
        elif not torch.is_grad_enabled() and blind.floating:
            off = self.off
            call.kind = off.kind if off is not None else "custom_function"
            if off is not None:
                call.kind_line = off.line or block_around(caller.frame, "no_grad") or call.line
        elif not blind.tracked:
            call.kind = "integer"

    def _sink(self, call: Call, name: str, out: object) -> None:
        call.kind, call.kind_line, call.sink, call.result = SINKS[name], call.line, True, out
        value = 0
        for entry in call.inputs:
            value |= entry.value
        if call.kind == "numpy" and call.inputs[0].storage:
            self.arrays[call.inputs[0].storage] = call.line
        left = Entry(call, 0, 0, value, None, 0, False, True, 0, True, True, self.flow.clock)
        call.outputs = (left,)
        self.calls.append(call)
        self.sinks.append(call)

    def _add_numbers(self, call: Call, inputs: list[Entry], args: tuple[Any, ...], caller: Caller) -> None:
        """Links numbers among the arguments to the sinks they came from, or says that they may come from one."""
        constants = caller.frame.f_code.co_consts if caller.frame is not None else ()
        for number in numbers_in(args):
            sink = next((s for s in reversed(self.sinks) if s.result is number), None)
            if sink is not None and not isinstance(number, int):
                inputs.append(sink.outputs[0])
            elif not any(number is constant for constant in constants) and not isinstance(number, int):
                call.maybe = len(self.sinks)

    def entry_of(self, tensor: Tensor, caller: Caller | None = None) -> Entry:
        """What is known about a tensor at this moment."""
        known = self.flow.look_up(tensor)
        if known is None:
            return self._meet(tensor, caller)
        if known.born <= self.began and self.in_step and id(known) not in self.brought:
            self._bring_in(tensor, known)
        writes = self.flow.writes.get(known.storage)
        late = [w for w in writes if w.number > known.born] if writes else []
        if known.requires_grad == tensor.requires_grad and not late:
            node = tensor.grad_fn if known.requires_grad else None
            if (node._sequence_nr() if node is not None else None) == known.sequence:
                if known.storage in self.arrays:
                    self._check_array(tensor, known)
                return known
        return self._renew(tensor, known, late)

    def _bring_in(self, tensor: Tensor, known: Entry) -> None:
        """A tensor from before this step: an input of it, unless it is a parameter."""
        self.brought.add(id(known))
        known.gradient, known.gradient_state = None, "none"
        known.name = self.names.tensors.get(id(tensor), known.name)
        if known.sequence is not None:
            self.flow.by_node.setdefault((known.sequence, known.output_number), []).append(known)
        if not isinstance(tensor, torch.nn.Parameter):
            known.record = tensor_record(tensor, "", _node_name(tensor), self.keep, self.measure)
            known.met_as_input = True
            self.inputs.append(known)

    def _check_array(self, tensor: Tensor, known: Entry) -> None:
        """Notes an edit of the tensor's numbers through a NumPy array over its memory."""
        before = known.record.values if known.record is not None else None
        now = read_only(tensor, self.keep)
        if before is not None and now is not None and before.tobytes() != now.tobytes():
            line = self.arrays.pop(known.storage)
            self.events.append(Event("array_edit", self.flow.clock, line, tensor, known))

    def _renew(self, tensor: Tensor, known: Entry, late: list[Call]) -> Entry:
        """A tensor that changed since it was last met: in place through an alias, or inside a custom Function."""
        through = [w.outputs[0] for w in late if w.outputs and w.outputs[0] is not known]
        value, tracked = known.value, 0
        for entry in through:
            value |= entry.value
            tracked |= entry.tracked
        renewed = self.flow.add(tensor, None, known.position, value)
        renewed.previous = (known, *through)
        renewed.name = known.name
        if self.in_step:
            renewed.record = tensor_record(tensor, "", _node_name(tensor), self.keep, self.measure)
        if tracked & ~renewed.tracked:
            call = Call(self.flow.clock, "alias", late[-1].line, None, tuple(through), seen=False)
            call.outputs, call.kind, call.kind_line = (renewed,), "data", late[-1].line
            call.in_step = self.in_step
            self.calls.append(call)
        return renewed

    def _meet(self, tensor: Tensor, caller: Caller | None) -> Entry:
        """A tensor that no recorded call made: an input, or an alias made out of the mode's sight."""
        storage = self.flow.storage_of(tensor)
        aliases = list(self.flow.by_storage.get(storage, ())) if storage else []
        name = self.names.tensors.get(id(tensor), "")
        entry = self.flow.add(tensor, None, 0, 0)
        entry.name = name
        if aliases and (tensor.is_leaf or not tensor.requires_grad) and tensor.storage_offset() == 0:
            self._alias(tensor, entry, aliases[-1], caller)
        elif self.sinks and not name and not entry.tracked:
            entry.maybe = len(self.sinks)
        if self.in_step and not isinstance(tensor, torch.nn.Parameter):
            entry.record = tensor_record(tensor, "", _node_name(tensor), self.keep, self.measure)
            entry.met_as_input = True
            self.inputs.append(entry)
            if not name and caller is not None:
                entry.name = _local_name(tensor, caller)
        return entry

    def _alias(self, tensor: Tensor, entry: Entry, of: Entry, caller: Caller | None) -> None:
        """`nn.Parameter(h)` and its like: a new leaf over the memory of a tensor that has a history."""
        entry.previous = (of,)
        entry.value |= of.value
        if of.tracked & ~entry.tracked:
            file = caller.line.file if caller is not None and caller.line is not None else ""
            made = of.call.line if of.call is not None else None
            line = line_that_calls(made.file if made else file, "Parameter") or made
            call = Call(self.flow.clock, "Parameter", line, None, (of,), (entry,), "detach", line, seen=False)
            call.in_step = self.in_step
            self.calls.append(call)

    def _inside_optimizer(
        self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], caller: Caller
    ) -> Any:
        out = func(*args, **kwargs)
        changed = changed_by(name, args, kwargs)
        if changed:
            self.flow.clock += 1
            kind: EventKind = "clear" if name.endswith("zero_") else "optimizer"
            for tensor in changed:
                self.events.append(Event(kind, self.flow.clock, caller.line, tensor))
        return out

    def _read_grad(self, func: Any, args: tuple[Any, ...]) -> Any:
        out = func(*args)
        tensor = args[0]
        frame = sys._getframe(3)
        if not judged(frame.f_code) & Passed.READER:
            return out
        caller = find_caller(frame)
        if out is None:
            if not tensor.is_leaf and not tensor.retains_grad:
                entry = self.entry_of(tensor, caller)
                self.events.append(Event("grad_of_non_leaf", self.flow.clock, caller.line, tensor, entry))
        elif self.backwards:
            self.flow.clock += 1
            roots = tuple(entry for run in self.backwards for entry in run.roots)
            call = Call(self.flow.clock, "grad", caller.line, caller.module, roots, in_step=self.in_step)
            call.about = (self.entry_of(tensor, caller),)
            self._note_outputs(call, "grad", [out], caller)
            if call.kind:
                call.kind = "create_graph"
        return out

    def _grad_enabled(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before = torch.is_grad_enabled()
        out = func(*args, **kwargs)
        now = torch.is_grad_enabled()
        if before and not now:
            caller = find_caller(sys._getframe(3))
            line = caller.line
            if caller.decorated is not None and judged(caller.decorated) & Passed.READER:
                code = caller.decorated
                first = Line(code.co_filename, code.co_firstlineno)
                line = decorator_line(code.co_filename, code.co_firstlineno, "grad") or first
            self.off = GradOff("checkpoint" if caller.passed & Passed.CHECKPOINT else "no_grad", line)
        elif now:
            self.off = None
        return out

    def _flag(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """`requires_grad_()` and `requires_grad = ...`."""
        caller = find_caller(sys._getframe(3))
        tensor = args[0]
        before = tensor.requires_grad
        out = func(*args, **kwargs)
        self.flow.clock += 1
        if before != tensor.requires_grad:
            kind: EventKind = "unfreeze" if tensor.requires_grad else "freeze"
            self.events.append(Event(kind, self.flow.clock, caller.line, tensor, in_step=self.in_step))
        return out

    def _set_grad(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        had = args[0].grad is not None
        out = func(*args, **kwargs)
        if had or args[1] is not None:
            caller = find_caller(sys._getframe(3))
            self.flow.clock += 1
            kind: EventKind = "clear" if args[1] is None else "set_grad"
            self.events.append(Event(kind, self.flow.clock, caller.line, args[0]))
        return out

    def _backward(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        roots = list(tensors_in(args[0])) if args else list(tensors_in(kwargs))
        return self.backward(roots, lambda: func(*args, **kwargs), find_caller(sys._getframe(3)))

    def backward(self, roots: list[Tensor], run: Callable[[], Any], caller: Caller) -> Any:
        """Runs a backward pass with every node of its graph watched."""
        entries = tuple(self.entry_of(tensor, caller) for tensor in roots)
        self.flow.clock += 1
        record = BackwardPass(self.flow.clock, entries, caller.line)
        self.backwards.append(record)
        self.events.append(Event("backward", self.flow.clock, caller.line, backward=record))
        with watched(record, roots, self.flow, self.keep):
            return run()

    def _autograd_grad(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        caller = find_caller(sys._getframe(3))
        roots = list(tensors_in(args[0] if args else kwargs.get("outputs")))
        wrt = list(tensors_in(args[1] if len(args) > 1 else kwargs.get("inputs")))
        entries = [self.entry_of(tensor, caller) for tensor in roots]
        about = [self.entry_of(tensor, caller) for tensor in wrt]
        self.flow.clock += 1
        call = Call(self.flow.clock, "autograd.grad", caller.line, caller.module, (), in_step=self.in_step)
        first = _get_sequence_nr()
        record = BackwardPass(self.flow.clock, tuple(entries), caller.line, to_leaves=False)
        with watched(record, roots, self.flow, 0):
            out = func(*args, **kwargs)
        self.made.append((first, _get_sequence_nr(), call.line, "autograd.grad"))
        call.inputs = (*entries, *about)
        call.about = tuple(about)
        self._note_outputs(call, "autograd.grad", list(tensors_in(out)), caller)
        if call.kind:
            call.kind = "create_graph"
        return out


class CallMode(TorchFunctionMode):
    """Sends every torch call of this thread through a tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._tape.call(func, args, kwargs or {})


def _node_name(tensor: Tensor) -> str | None:
    node = tensor.grad_fn if tensor.requires_grad else None
    return None if node is None else type(node).__name__


def _local_name(tensor: Tensor, caller: Caller) -> str:
    if caller.frame is None:
        return ""
    return next((k for k, v in caller.frame.f_locals.items() if v is tensor), "")


_SPECIAL: dict[str, Callable[..., Any]] = {
    "_set_grad_enabled": Tape._grad_enabled,
    "requires_grad_": Tape._flag,
    "requires_grad=": Tape._flag,
    "grad=": Tape._set_grad,
    "backward": Tape._backward,
    "grad": Tape._autograd_grad,
}
