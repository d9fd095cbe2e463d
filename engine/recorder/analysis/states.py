"""What a step left in each parameter's `.grad`, and whether what came was used before it was cleared.

A gradient that is gone at the end (None, or zeros in its place) is no fault where something used it before: an
optimizer, an update by hand, a sum that gathers it. So each clearing is held against the uses before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor, distributed
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from ..capture.backward import BackwardPass
from ..capture.data_flow import Call, Flow
from ..capture.frames import Line
from ..capture.kept import kept
from ..capture.names import Names, ids_in
from ..capture.session import Session
from ..capture.tape import Event, GradientRead
from ..capture.tensors import is_zero
from ..capture.torch_private import has_hook_after, version_of
from ..record import ParameterState

_CLEARING = frozenset(["zero_", "_foreach_zero_", "fill_", "__setitem__"])
"""Calls that put zeros in a gradient's place; others, such as a product, change what it was."""
_OF_PARALLEL = "_DDPSinkBackward"
"""The custom Function by which DistributedDataParallel notes that a backward pass begins."""


class State(NamedTuple):
    """What a step left in one parameter's `.grad`."""

    of: ParameterState
    spent: bool = False
    """Whether a gradient came, was used, and was cleared afterwards."""
    wiped: bool = False
    """Whether a gradient came and was cleared before anything used it."""
    cleared_by: Line | None = None


_FED = State("gradient")


@dataclass(frozen=True)
class Uses:
    """What used the gradients of a step."""

    calls: tuple[Call, ...]
    reads: tuple[GradientRead, ...]
    steps: tuple[tuple[int, Optimizer], ...]
    """The optimizers whose `step()` was called, each with the number of the last call before it."""
    events: Mapping[int, list[Event]]
    """By the `id` of a tensor: what happened to it."""
    flow: Flow
    ours: frozenset[int]
    """The `id`s of gradients that live on since the recorder itself holds them."""

    @classmethod
    def of(cls, session: Session) -> Uses:
        """The uses in a finished recording."""
        tape = session.tape
        steps = zip(tape.stepped_after, tape.stepped, strict=True)
        events = by_tensor(tape.events)
        ours = frozenset([*events, *(id(old) for old, _ in session.old_grads.values())])
        return cls(tuple(tape.calls), tuple(tape.reads), tuple(steps), events, tape.flow, ours)

    def between(self, tensor: Tensor, after: int, until: int) -> bool:
        """Whether something used the gradient of a leaf between two moments."""
        if any(e.kind == "optimizer" and after < e.number < until for e in self.events.get(id(tensor), ())):
            return True
        if any(after <= number < until for number in self._steps_of.get(id(tensor), ())):
            return True
        return self._by_hand(tensor, after, until)

    def stepped_between(self, after: int, until: int) -> bool:
        """Whether any optimizer made its step between two moments."""
        return any(after <= number < until for number, _ in self.steps)

    def _by_hand(self, tensor: Tensor, after: int, until: int) -> bool:
        """Whether code that read the `.grad` made something of it, or keeps it."""
        memory: dict[int, int] = {}
        for read in self._reads_of.get(id(tensor), ()):
            if after < read.number < until:
                memory.setdefault(read.storage, read.number)
                kept = read.gradient()
                if kept is not None and kept is not tensor.grad and id(kept) not in self.ours:
                    return True
        if not memory:
            return False
        return any(
            first < call.number < until and (call.sink or any(e.storage not in memory for e in call.outputs))
            for storage, first in memory.items()
            for call in self._calls_on.get(storage, ())
        )

    def changes(self, tensor: Tensor) -> Iterator[Change]:
        """What happened to a leaf's `.grad` other than backward passes."""
        for event in self.events.get(id(tensor), ()):
            if event.kind in ("clear", "set_grad"):
                yield Change(event.number, event.line, True)
        if tensor.grad is None:
            return
        for event in self.events.get(id(tensor.grad), ()):
            if event.kind == "clear":
                yield Change(event.number, event.line, True)
        for write in self.flow.writes.get(self.flow.storage_of(tensor.grad), ()):
            yield Change(write.number, write.line, write.operation in _CLEARING)

    @kept
    def _steps_of(self) -> dict[int, list[int]]:
        """By the `id` of a parameter: the numbers of the last calls before the steps of optimizers that hold it."""
        found: dict[int, list[int]] = {}
        for number, optimizer in self.steps:
            for key in ids_in(optimizer):
                found.setdefault(key, []).append(number)
        return found

    @kept
    def _calls_on(self) -> dict[int, list[Call]]:
        """By memory: the calls that it went into."""
        found: dict[int, list[Call]] = {}
        for call in self.calls:
            for storage in {entry.storage for entry in call.inputs}:
                found.setdefault(storage, []).append(call)
        return found

    @kept
    def _reads_of(self) -> dict[int, list[GradientRead]]:
        found: dict[int, list[GradientRead]] = {}
        for read in self.reads:
            found.setdefault(read.leaf, []).append(read)
        return found


class Change(NamedTuple):
    """One thing that took a gradient away, put another in its place, or edited it."""

    number: int
    line: Line | None
    clears: bool
    """Whether it leaves nothing of what was there, or may: of another gradient nobody knows what it was made of."""


def states_of(session: Session, names: Names, uses: Uses) -> dict[str, State]:
    """The state of every parameter, by name."""
    shared = (
        filled_by_others(names) if not any(map(hides_passes, session.tape.backwards)) else frozenset[int]()
    )
    return {
        name: _state(session, tensor, uses, id(tensor) in shared) for name, tensor in names.parameters.items()
    }


def filled_by_others(names: Names) -> frozenset[int]:
    """The `id`s of the parameters in whose `.grad` DistributedDataParallel puts what other processes have."""
    modules = {id(module): module for layers in names.layers.values() for _, module in layers}
    wrapped = (one for one in modules.values() if isinstance(one, DistributedDataParallel))
    return frozenset(id(p) for one in wrapped for p in one.parameters() if p.requires_grad)


def misses_a_gradient(session: Session) -> bool:
    """Whether DistributedDataParallel waits for the gradient of a parameter that no backward pass came to."""
    tape = session.tape
    if not (distributed.is_available() and distributed.is_initialized() and tape.backwards):
        return False
    leaves = tape.flow.graph.leaves
    reached = {id(leaves[b]) for run in tape.backwards for b, s in run.arrived.items() if s != "none"}
    return not filled_by_others(session.names()) <= reached


def hides_passes(run: BackwardPass) -> bool:
    """Whether Python code in the graph, such as a reentrant checkpoint, may have sent passes of its own unseen."""
    return bool({*run.operations.values()} - {_OF_PARALLEL})


def arrivals(passes: Iterable[BackwardPass], bit: int) -> list[tuple[BackwardPass, str]]:
    """What each backward pass brought to the leaf with that bit."""
    return [(run, run.arrived[bit]) for run in passes if run.arrived.get(bit, "none") != "none"]


def by_tensor(events: Iterable[Event]) -> dict[int, list[Event]]:
    """The events of each tensor, by its `id`, in order."""
    found: dict[int, list[Event]] = {}
    for event in events:
        if event.tensor is not None:
            found.setdefault(id(event.tensor), []).append(event)
    return found


def _state(session: Session, tensor: Tensor, uses: Uses, shared: bool) -> State:
    gradient, tape = tensor.grad, session.tape
    old, version = session.old_grads.get(id(tensor), (None, -1))
    if gradient is not None and old is None and not is_zero(gradient):
        return _FED
    came = arrivals(tape.backwards, tape.flow.graph.bit_of.get(id(tensor), -1))
    if gradient is None:
        if came and has_hook_after(tensor):
            return _FED  # a hook took it as soon as it was there
        return _cleared(tensor, came, uses) or State("none")
    if gradient is old and version_of(gradient) == version:
        return State("none")
    if old is not None and came and all(state == "zero" for _, state in came):
        return State("zero")
    if shared and not came and not _set(tensor, uses):
        return State("none")  # it came from other processes: this one's loss knows nothing of it
    if not is_zero(gradient):
        return _FED
    cleared = _cleared(tensor, came, uses) if any(s == "value" for _, s in came) else None
    return cleared or State("zero")


def _set(tensor: Tensor, uses: Uses) -> bool:
    """Whether the reader's own code put the gradient there."""
    return any(event.kind == "set_grad" for event in uses.events.get(id(tensor), ()))


def _cleared(tensor: Tensor, came: list[tuple[BackwardPass, str]], uses: Uses) -> State | None:
    """The state of a leaf whose gradient was cleared after it had come; None where that is not what happened."""
    last = max(uses.changes(tensor), default=None, key=lambda change: change.number)
    if not came or last is None or last.number < came[-1][0].number:
        return None
    if uses.between(tensor, came[0][0].number, last.number):
        value = any(state == "value" for _, state in came)
        return State("gradient" if value else "zero", spent=value, cleared_by=last.line)
    if not last.clears:
        return None
    return State("none" if tensor.grad is None else "zero", wiped=True, cleared_by=last.line)
