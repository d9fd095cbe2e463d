"""The facts of a finished recording, worked out once for all who diagnose it.

The states of the parameters, the leaves' names, what went into the loss by value (`into_loss`, with certainty, and
`perhaps`, where plain Python numbers lie between), and which call used what.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from .arguments import is_meant
from .backward import BackwardPass
from .flow import Call, Entry
from .frames import Line
from .names import Names, add_held
from .recorder import Recorder
from .records import Location, ParameterState, Raised
from .tape import Event, Tape
from .tensors import is_zero
from .torch_private import has_hook_after, version_of


@dataclass
class Scene:
    """One recording, ready to be asked."""

    recorder: Recorder
    tape: Tape
    names: Names
    bits: dict[int, str]
    """The reader's name of each leaf, by bit."""
    raised: Raised | None
    states: dict[str, ParameterState] = field(default_factory=dict)
    wiped: dict[str, Line | None] = field(default_factory=dict)
    """Parameters whose gradient came and was cleared before any optimizer used it, with the line that did."""
    once: dict[str, Tensor] = field(default_factory=dict)
    """Every parameter by the first of its names."""
    held: set[int] = field(default_factory=set)
    roots: tuple[Entry, ...] = ()
    into_loss: set[int] = field(default_factory=set)
    perhaps: set[int] = field(default_factory=set)
    constant: frozenset[str] = frozenset()
    functions: dict[int, Call] = field(default_factory=dict)
    """By the node of a custom Function: the last call in its forward."""
    hidden: dict[str, Tensor] = field(default_factory=dict)
    """Parameters of layers that are registered nowhere, by path."""
    read: dict[Line, Location] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    """The first sequence number of each call that made autograd nodes, in order."""

    @cached_property
    def users(self) -> dict[int, list[Call]]:
        """By the `id` of an entry: the calls it went into."""
        found: dict[int, list[Call]] = {}
        for call in self.tape.calls:
            for entry in call.inputs:
                found.setdefault(id(entry), []).append(call)
        return found

    @cached_property
    def became(self) -> dict[int, list[Entry]]:
        """By the `id` of an entry: the entries that are the same values under another tensor or at a later time."""
        found: dict[int, list[Entry]] = {}
        for storage in self.tape.flow.by_storage:
            for entry in self.tape.flow.sharing(storage):
                for earlier in entry.previous:
                    found.setdefault(id(earlier), []).append(entry)
        return found

    def bit(self, tensor: Tensor | None) -> int:
        """The bit of a leaf; -1 for a tensor that the graph has not met as one."""
        return self.tape.flow.graph.bit_of.get(id(tensor), -1)

    def named(self, bits: int) -> list[str]:
        """The names of the leaves in a set of bits, unnamed ones left out."""
        return [name for bit, name in self.bits.items() if bits >> bit & 1]

    def tensor(self, name: str) -> Tensor:
        """The parameter of that name."""
        return self.names.parameters[name]

    def trainable(self, name: str) -> bool:
        """Whether a gradient is wanted there at all."""
        return (
            name in self.names.parameters
            and self.names.parameters[name].requires_grad
            and name not in self.constant
        )

    def starving(self, name: str) -> bool:
        """Whether a wanted gradient did not come, or came as zeros."""
        return self.states.get(name) in ("none", "zero") and self.trainable(name)

    def location(self, line: Line) -> Location:
        """The line with its text, read once."""
        found = self.read.get(line)
        if found is None:
            found = self.read[line] = line.location()
        return found

    def made_at(self, node: int) -> tuple[Line | None, str]:
        """The line and operation that made an autograd node."""
        _, _, line, operation = self.made_by(node)
        return line, operation

    def made_by(self, node: int) -> tuple[int, int, Line | None, str]:
        """The nodes that were made beside an autograd node, from the first to before the last, and by what."""
        inside = self.functions.get(node)
        if inside is not None:
            return node, node + 1, inside.line, inside.operation
        made = self.tape.made
        if len(self.starts) != len(made):
            self.starts = [item[0] for item in made]
        at = bisect.bisect_right(self.starts, node) - 1
        if at < 0 or node >= made[at][1]:
            return node, node + 1, None, ""
        return made[at]

    def call_at(self, node: int) -> Call | None:
        """The call that made an autograd node."""
        if node in self.functions:
            return self.functions[node]
        line, operation = self.made_at(node)
        at = bisect.bisect_right(self.starts, node) - 1
        first, last = self.tape.made[at][:2] if at >= 0 else (0, 0)
        return next(
            (
                call for call in self.tape.calls
                if call.operation == operation and call.line == line
                and any(e.sequence is not None and first <= e.sequence < last for e in call.outputs)
            ),
            None,
        )  # fmt: skip

    def cannot_train(self) -> bool:
        """Whether `backward()` refused since nothing that it could reach requires a gradient."""
        return self.raised is not None and (
            "does not require grad" in self.raised.message
            or "doesn't require gradient" in self.raised.message
        )


def look_at(recorder: Recorder) -> Scene:
    """Works out the facts of a recording."""
    names = recorder.names()
    tape = recorder.tape
    if not names.held() <= names.tensors.keys():
        add_held(names, _met(tape))
    first = {id(p): n for n, p in reversed(names.parameters.items())}
    bits = _leaf_names(tape, names, first)
    scene = Scene(recorder, tape, names, bits, recorder.raised)
    scene.once = {n: p for n, p in names.parameters.items() if first[id(p)] == n}
    scene.held = names.held()
    if recorder.constant:
        scene.constant = frozenset(n for n in names.parameters if is_meant(n, recorder.constant))
    roots = [*tape.refused, *(entry for run in tape.backwards for entry in run.roots)]
    if recorder.loss is not None:
        found = tape.flow.look_up(recorder.loss)
        roots += [found] if found is not None else []
    returned = [
        s.outputs[0] for s in tape.sinks if recorder.returned is not None and s.result is recorder.returned
    ]
    scene.roots = tuple(dict.fromkeys([*roots, *returned]))
    scene.into_loss = closure(scene.roots, tape, False)
    scene.perhaps = closure(scene.roots, tape, True) if tape.sinks else scene.into_loss
    scene.functions = {call.function: call for call in tape.calls if call.function is not None}
    for name, tensor in names.parameters.items():
        scene.states[name] = _state(scene, name, tensor)
    return scene


def _leaf_names(tape: Tape, names: Names, first: dict[int, str]) -> dict[int, str]:
    """The name of each leaf, by its bit: the reader's where there is one."""
    found = {}
    for bit, tensor in enumerate(tape.flow.graph.leaves):
        name = first.get(id(tensor)) or names.tensors.get(id(tensor), "")
        if name:
            found[bit] = name
    return found


def _met(tape: Tape) -> set[int]:
    """The ids of the leaves that the step used, or that a gradient was sent to."""
    leaves = tape.flow.graph.leaves
    used = {e.leaf for call in tape.calls if call.in_step for e in call.inputs if e.leaf is not None}
    return {id(leaves[bit]) for bit in used.union(*(run.arrived for run in tape.backwards))}


def closure(roots: Iterable[Entry], tape: Tape, perhaps: bool) -> set[int]:
    """The ids of all entries whose values went into `roots`; with `perhaps` through plain numbers as well."""
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        todo += entry.previous
        if entry.call is not None:
            todo += entry.call.inputs
        if perhaps:
            count = max(entry.maybe, entry.call.maybe if entry.call is not None else 0)
            todo.extend(sink.outputs[0] for sink in tape.sinks[:count])
    return seen


def before(entry: Entry) -> Iterator[Entry]:
    """The entries that an entry was directly made from."""
    yield from entry.previous
    if entry.call is not None:
        yield from entry.call.inputs


def after(entry: Entry, scene: Scene) -> Iterator[Entry]:
    """The entries that were directly made from an entry."""
    yield from scene.became.get(id(entry), ())
    for call in scene.users.get(id(entry), ()):
        yield from call.outputs


def arrivals(scene: Scene, tensor: Tensor) -> list[tuple[BackwardPass, str]]:
    """What each backward pass brought to a leaf."""
    bit = scene.bit(tensor)
    return [(run, run.arrived[bit]) for run in scene.tape.backwards if run.arrived.get(bit, "none") != "none"]


def _state(scene: Scene, name: str, tensor: Tensor) -> ParameterState:
    gradient = tensor.grad
    if gradient is None:
        came = arrivals(scene, tensor)
        cleared = [e for e in scene.tape.events if e.kind == "clear" and e.tensor is tensor]
        if came and has_hook_after(tensor):
            return "gradient"  # a hook took it as soon as it was there
        if came and cleared and cleared[-1].number > came[-1][0].number:
            if _read_between(scene.tape, tensor, came[0][0].number, cleared[-1].number):
                return "gradient"
            if _moved_between(scene.tape.events, tensor, came[0][0].number, cleared[-1].number):
                return "gradient" if any(state == "value" for _, state in came) else "zero"
            scene.wiped[name] = cleared[-1].line
        return "none"
    old, version = scene.recorder.old_grads.get(id(tensor), (None, -1))
    if gradient is old and version_of(gradient) == version:
        return "none"
    if old is not None:
        came = arrivals(scene, tensor)
        if came and all(state == "zero" for _, state in came):
            return "zero"
    return "zero" if is_zero(gradient) else "gradient"


def _read_between(tape: Tape, tensor: Tensor, after: int, until: int) -> bool:
    """Whether the step itself used the `.grad` as a value, as an update by hand does."""
    bit = tape.flow.graph.bit_of.get(id(tensor), -1)
    return any(
        call.operation == "grad" and after < call.number < until and any(e.leaf == bit for e in call.about)
        for call in tape.calls
    )


def _moved_between(events: Iterable[Event], tensor: Tensor, after: int, until: int) -> bool:
    return any(e.kind == "optimizer" and e.tensor is tensor and after < e.number < until for e in events)
