"""The tape: the calls and events of a step, and what is known about each tensor at any moment.

A tensor is known by its latest entry (see `flow`). One that is met for the first time is an input of the step, or an
alias that was made out of the mode's sight; one that changed since it was last met gets a new entry.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from .backward import BackwardPass
from .data_flow import Call, Entry, Flow, GradOff
from .frames import Caller, Line, Passed, judged
from .names import Names
from .source_text import line_that_calls
from .tensors import content_of, grad_fn_of, is_plain, read_only
from .torch_private import number_of

_NUMBER = attrgetter("number")
EventKind = Literal[
    "backward", "clear", "set_grad", "freeze", "unfreeze", "optimizer", "grad_of_non_leaf", "array_edit"
]


class Made(NamedTuple):
    """A call that made autograd nodes: those with sequence numbers from `first` to before `end`."""

    first: int
    end: int
    line: Line | None
    operation: str


class GradientRead(NamedTuple):
    """Code outside of torch looked at a leaf's `.grad`."""

    number: int
    leaf: int
    """The `id` of the leaf."""
    storage: int
    gradient: Callable[[], Tensor | None]
    """The gradient, while it lives."""


@dataclass(slots=True)
class Event:
    """Something that decides about gradients and is no call on values, in the order of the calls."""

    kind: EventKind
    number: int
    line: Line | None
    tensor: Tensor | None = None
    entry: Entry | None = None
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
    results: dict[int, Call] = field(default_factory=dict)
    """The last of these that gave an object, by the `id` of that."""
    backwards: list[BackwardPass] = field(default_factory=list)
    derivatives: list[BackwardPass] = field(default_factory=list)
    """The passes of `autograd.grad`, which puts nothing in any `.grad`."""
    inputs: list[Entry] = field(default_factory=list)
    began: int = -1
    """The number of the last call before this step."""
    brought: set[int] = field(default_factory=set)
    """Entries from before this step that were met in it, by `id`."""
    local_modules: dict[str, object] = field(default_factory=dict)
    """Modules that the step made, where no variable outside of it leads to a parameter."""
    refused: list[Entry] = field(default_factory=list)
    """Tensors that refused a hook, since no gradient will ever come to them."""
    hooks: dict[int, Line | None] = field(default_factory=dict)
    """The lines that registered a hook on a tensor, by its `id`."""
    hooked_nodes: dict[int, Line | None] = field(default_factory=dict)
    """The same by the node of the graph that made the tensor."""
    stepped: list[Optimizer] = field(default_factory=list)
    """The optimizers whose `step()` was called."""
    stepping: Caller | None = None
    """Whence the method of an optimizer was called that runs at this moment."""
    taken: dict[int, int] = field(default_factory=dict)
    """By the `id` of a parameter: the number of the last call before an optimizer took it, where that was seen."""
    stepped_after: list[int] = field(default_factory=list)
    """For each of them the number of the last call before its step."""
    reads: list[GradientRead] = field(default_factory=list)
    off: GradOff | None = None
    paused: weakref.WeakKeyDictionary[object, GradOff] = field(default_factory=weakref.WeakKeyDictionary)
    """By what switched gradients on where they were off, such as an `enable_grad`: what holds again as it ends."""
    in_step: bool = True
    arrays: dict[int, Line | None] = field(default_factory=dict)
    """Memory that a NumPy array looks into, with the line that made the array."""
    compiled: bool = False
    """Whether the step called what `torch.compile` gave."""
    looked: set[tuple[int, int]] = field(default_factory=set)
    """Where that was looked for: pairs of the `id`s of a reader's code and of the code that called it."""
    made: list[Made] = field(default_factory=list)
    """Every call that made autograd nodes, in order."""

    # Everything below writes; nobody else does.

    def tick(self) -> int:
        """The number of what happens next."""
        self.flow.clock += 1
        return self.flow.clock

    def note(
        self, kind: EventKind, line: Line | None, tensor: Tensor | None = None, entry: Entry | None = None
    ) -> None:
        """Notes an event at this moment."""
        self.events.append(Event(kind, self.flow.clock, line, tensor, entry, self.in_step))

    def add(self, call: Call) -> None:
        """Adds a call that made tensors."""
        self.calls.append(call)

    def add_entry(self, tensor: Tensor, call: Call, position: int, value: int) -> Entry:
        """A new entry for a tensor that a call made; `value`: the leaves whose numbers went in."""
        entry = self.flow.add(tensor, call, position, value)
        if self.in_step:
            entry.content = content_of(tensor, self.keep, self.measure)
        return entry

    def add_sink(self, call: Call) -> None:
        """Adds a call whose values left torch."""
        self.calls.append(call)
        self.sinks.append(call)
        self.results[id(call.result)] = call
        if call.kind == "numpy" and call.inputs[0].storage:
            self.arrays[call.inputs[0].storage] = call.line

    def add_nodes(self, first: int, end: int, line: Line | None, operation: str) -> None:
        """Notes who made the autograd nodes from `first` to before `end`, where there are any."""
        if end != first:
            self.made.append(Made(first, end, line, operation))

    def add_write(self, call: Call, changed: list[Tensor]) -> None:
        """Notes what a call changed in place."""
        call.in_place = True
        storages = [self.flow.storage_of(tensor) for tensor in changed]
        call.storage = storages[0]
        for storage in dict.fromkeys(storages):
            self.flow.writes.setdefault(storage, []).append(call)

    def add_pass(self, roots: tuple[Entry, ...], line: Line | None) -> BackwardPass:
        """Begins a backward pass that puts gradients into leaves."""
        record = BackwardPass(self.tick(), roots, line)
        self.backwards.append(record)
        self.note("backward", line)
        return record

    def add_derivative(self, record: BackwardPass) -> None:
        """Notes an `autograd.grad`."""
        self.derivatives.append(record)

    def add_taken(self, tensor: Tensor) -> None:
        """Notes the moment at which an optimizer took a parameter first."""
        self.taken.setdefault(id(tensor), self.flow.clock)

    def add_hook(self, tensor: Tensor, node: int | None, line: Line | None) -> None:
        """Notes the line that registered a hook on a tensor."""
        self.hooks[id(tensor)] = line
        if node is not None:
            self.hooked_nodes[node] = line

    def add_refused(self, tensor: Tensor) -> None:
        """Notes a tensor that refused a hook."""
        self.refused.append(self.entry_of(tensor))

    def add_stepped(self, optimizer: Optimizer) -> None:
        """Notes an optimizer whose `step()` was called."""
        self.stepped.append(optimizer)
        self.stepped_after.append(self.flow.clock)

    def enter_optimizer(self, caller: Caller) -> None:
        """A method of an optimizer begins."""
        self.stepping = caller

    def leave_optimizer(self) -> None:
        """It ends."""
        self.stepping = None

    def add_read(self, read: GradientRead) -> None:
        """Notes that code outside of torch read a `.grad`."""
        self.reads.append(read)

    def add_local_modules(self, caller: Caller) -> None:
        """Notes the modules that are variables of the functions on the stack."""
        self.local_modules.update(local_modules(caller))

    def switch_off(self, kind: str, line: Line | None, *, by_distribution: bool = False) -> None:
        """Gradients are off from here on."""
        self.off = GradOff(kind, line, by_distribution)

    def switch_on(self, by: object = None) -> None:
        """Gradients are on again; `by` may give them back as they were (`resume`)."""
        if by is not None and self.off is not None:
            self.paused[by] = self.off
        self.off = None

    def resume(self, by: object) -> bool:
        """What `by` has interrupted goes on; False where that is nothing."""
        found = self.paused.pop(by, None)
        self.off = self.off if found is None else found
        return found is not None

    def saw_compiled(self) -> None:
        """The step called what `torch.compile` gave."""
        self.compiled = True

    def has_looked(self, pair: tuple[int, int]) -> bool:
        """Whether compiled code was looked for there already; it is from now on."""
        if pair in self.looked:
            return True
        self.looked.add(pair)
        return False

    def before_step(self) -> None:
        """What follows runs before the step begins."""
        self.in_step = False

    def forget_step(self) -> None:
        """Forgets the calls of the step before; what is known about living tensors stays."""
        self.names = Names({})
        for call in self.calls:
            if call.in_step:
                call.let_go()
        self.calls = [call for call in self.calls if not call.in_step]
        self.events = [event for event in self.events if event.kind in ("freeze", "unfreeze")]
        for event in self.events:
            event.in_step = False
        self.backwards, self.derivatives = [], []
        self.inputs = []
        self.refused = []
        self.stepped, self.stepped_after, self.reads, self.stepping = [], [], [], None
        self.sinks = [call for call in self.sinks if not call.in_step]
        self.results = {id(call.result): call for call in self.sinks}

    def start_step(self, names: Names) -> None:
        """A step begins, with the reader's names as they are now."""
        self.forget_step()
        self.names = names
        self.local_modules = {}
        self.began = self.flow.clock
        self.brought = set()
        self.flow.forget_the_dead()
        self.in_step = True
        self.tick()
        self.compiled, self.looked = False, set()

    def release(self) -> None:
        """Lets everything go. Calls and entries point at each other: untied, they need no garbage collection."""
        for call in self.calls:
            call.let_go()
        self.calls, self.events, self.sinks, self.inputs, self.results = [], [], [], [], {}
        self.backwards, self.derivatives = [], []
        self.flow = Flow()

    def differentiated(self) -> list[Entry]:
        """What `autograd.grad` was asked to differentiate."""
        calls = [call for call in self.calls if call.operation == "autograd.grad" and call.in_step]
        return [entry for call in calls for entry in call.inputs[: len(call.inputs) - len(call.about)]]

    def entry_of(self, tensor: Tensor, caller: Caller | None = None) -> Entry:
        """What is known about a tensor at this moment."""
        known = self.flow.look_up(tensor)
        if known is None:
            return self._meet(tensor, caller)
        if known.born <= self.began and self.in_step and id(known) not in self.brought:
            self._bring_in(tensor, known)
        writes = self.flow.writes.get(known.storage)
        late = writes[bisect_right(writes, known.born, key=_NUMBER) :] if writes else []
        if known.requires_grad == tensor.requires_grad and not late:
            node = grad_fn_of(tensor) if known.requires_grad else None
            if (number_of(node) if node is not None else None) == known.sequence:
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
            self.flow.link_to_node(known, known.sequence)
        if not isinstance(tensor, torch.nn.Parameter):
            known.content = content_of(tensor, self.keep, self.measure)
            known.met_as_input = True
            self.inputs.append(known)

    def _check_array(self, tensor: Tensor, known: Entry) -> None:
        """Notes an edit of the tensor's numbers through a NumPy array over its memory."""
        before = known.record().values if known.content is not None else None
        now = read_only(tensor, self.keep)
        if before is not None and now is not None and before.tobytes() != now.tobytes():
            line = self.arrays.pop(known.storage)
            self.note("array_edit", line, tensor, known)

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
            renewed.content = content_of(tensor, self.keep, self.measure)
        if tracked & ~renewed.tracked:
            call = Call(self.flow.clock, "alias", late[-1].line, None, tuple(through), seen=False)
            call.outputs, call.kind, call.kind_line = (renewed,), "data", late[-1].line
            call.in_step = self.in_step
            self.calls.append(call)
        return renewed

    def _meet(self, tensor: Tensor, caller: Caller | None) -> Entry:
        """A tensor that no recorded call made: an input, or an alias made out of the mode's sight."""
        storage = self.flow.storage_of(tensor)
        alias = self.flow.by_storage.get(storage)
        name = self.names.tensors.get(id(tensor), "")
        entry = self.flow.add(tensor, None, 0, 0, storage)
        entry.name = name
        if alias is not None and grad_fn_of(tensor) is None and tensor.storage_offset() == 0:
            self._alias(tensor, entry, alias, caller)
        elif self.sinks and not name and not entry.tracked:
            array = self._array_of(tensor)
            if array is None:
                entry.maybe = len(self.sinks)
            else:
                entry.previous, entry.value = (array,), entry.value | array.value
        if self.in_step and (entry.leaf is None or not isinstance(tensor, torch.nn.Parameter)):
            entry.content = content_of(tensor, self.keep, self.measure)
            entry.met_as_input = True
            self.inputs.append(entry)
            if not name and caller is not None:
                entry.name = local_name(tensor, caller)
        return entry

    def _array_of(self, tensor: Tensor) -> Entry | None:
        """What left torch as the NumPy array over whose memory this tensor was made: `torch.from_numpy(h.numpy())`."""
        if not self.arrays or not tensor.is_cpu or not is_plain(tensor):
            return None
        address = tensor.data_ptr()
        held = {number for number in self.arrays if self.flow.storages.holds(number, address)}
        sinks = (s for s in reversed(self.sinks) if s.inputs and s.inputs[0].storage in held)
        return next((sink.outputs[0] for sink in sinks if sink.kind == "numpy"), None)

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


def local_modules(caller: Caller) -> dict[str, object]:
    """The modules that are variables of the functions on the stack, from the step inwards."""
    found: dict[str, object] = {}
    frame = caller.frame
    while frame is not None and not judged(frame) & Passed.RECORDER:
        if judged(frame) & Passed.READER:
            here = {n: v for n, v in frame.f_locals.items() if isinstance(v, torch.nn.Module) and n != "self"}
            found = {**found, **here}
        frame = frame.f_back
    return found


def local_name(tensor: Tensor, caller: Caller) -> str:
    """The variable of the reader's running function that holds a tensor, or ""."""
    if caller.frame is None:
        return ""
    return next((k for k, v in caller.frame.f_locals.items() if v is tensor), "")
