"""The facts of a finished recording: frozen, flat, and worked out once for all who ask.

Here stands what the capture saw (calls, events, backward passes) beside what follows from it without judging: the
state of each parameter, the leaves' names, what went into the loss by value (`into_loss`, with certainty, and
`perhaps`, where plain Python numbers lie between), and which call made which node of the graph.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from torch import Tensor
from torch.optim import Optimizer

from ..capture.arguments import is_meant
from ..capture.backward import BackwardPass
from ..capture.data_flow import Call, Entry, Flow
from ..capture.frames import Line
from ..capture.names import Names, add_held
from ..capture.session import Session, Snapshot
from ..capture.source_text import line_that_binds
from ..capture.tape import Event, Made, Tape
from ..record import Location, ParameterState, Raised
from .states import Uses, arrivals, states_of

_NO_GRADIENT = r"element \d+ of \w+ does not require grad|doesn't require gradient|has requires_grad=False"


@dataclass(frozen=True)
class Facts:
    """One recording, ready to be asked."""

    file: str
    keep: int
    calls: tuple[Call, ...]
    events: tuple[Event, ...]
    passes: tuple[BackwardPass, ...]
    """The backward passes of the step, in order."""
    derivatives: tuple[BackwardPass, ...]
    """The passes of `autograd.grad`, in order."""
    inputs: tuple[Entry, ...]
    sinks: tuple[Call, ...]
    made: tuple[Made, ...]
    flow: Flow
    compiled: bool
    """Whether the step called what `torch.compile` gave."""
    stepped: tuple[Optimizer, ...]
    """The optimizers whose `step()` was called."""
    steps: tuple[tuple[int, Optimizer], ...]
    """The same, each with the number of the last call before its step."""
    taken: Mapping[int, int]
    """By the `id` of a parameter: the number of the last call before an optimizer took it, where that was seen."""
    hooks: Mapping[int, Line | None]
    hooked_nodes: Mapping[int, Line | None]
    before: Names
    """The reader's names as the step began."""
    names: Names
    """The reader's names as it ended."""
    calls_made: int
    first_node: int
    loss_value: float | None
    backward_is_ours: bool
    """Whether the step returned its loss and left `backward()` to the recorder."""
    by_hand: bool
    """Whether the step made its update without a `backward()`, of gradients that it computed or set itself."""
    whole_step: bool
    read_later: Mapping[str, int]
    """Variables whose `.grad` the code after a block reads, with the line that does."""
    had_gradients: frozenset[str]
    zero_before: frozenset[int]
    fed: frozenset[int]
    moving: frozenset[int]
    buffers_before: Mapping[str, Snapshot]
    raised: Raised | None
    raised_in: str
    """The method of a custom `Function` that raised: "forward" or "backward"."""
    refused: Tensor | None
    """The tensor that an optimizer refused."""
    used_before: Mapping[int, Line | None]
    """By the `id` of a leaf: the line that used it last in the call of the step before."""
    constant: frozenset[str]
    """The parameters that the step means to leave without a gradient."""
    bits: Mapping[int, str]
    """The reader's name of each leaf, by bit."""
    states: Mapping[str, ParameterState]
    wiped: Mapping[str, Line | None]
    """Parameters whose gradient came and was cleared before anything used it, with the line that did."""
    spent: Mapping[str, Line | None]
    """Parameters whose gradient came, was used, and was cleared afterwards, with the line that did."""
    uses: Uses
    once: Mapping[str, Tensor]
    """Every parameter by the first of its names."""
    held: frozenset[int]
    """The ids of all tensors that a known optimizer holds."""
    roots: tuple[Entry, ...]
    into_loss: frozenset[int]
    perhaps: frozenset[int]
    functions: Mapping[int, Call]
    """By the node of a custom Function: the last call in its forward."""

    @cached_property
    def users(self) -> dict[int, list[Call]]:
        """By the `id` of an entry: the calls it went into."""
        found: dict[int, list[Call]] = {}
        for call in self.calls:
            for entry in call.inputs:
                found.setdefault(id(entry), []).append(call)
        return found

    @cached_property
    def became(self) -> dict[int, list[Entry]]:
        """By the `id` of an entry: the entries that are the same values under another tensor or at a later time."""
        found: dict[int, list[Entry]] = {}
        for storage in self.flow.by_storage:
            for entry in self.flow.sharing(storage):
                for earlier in entry.previous:
                    found.setdefault(id(earlier), []).append(entry)
        return found

    @cached_property
    def moving_loss(self) -> set[int]:
        """The ids of the entries behind the end of the step that autograd knows the way to."""
        seen: set[int] = set()
        todo = list(self.roots)
        while todo:
            entry = todo.pop()
            if entry.tracked and id(entry) not in seen:
                seen.add(id(entry))
                todo += self.before_entry(entry)
        return seen

    @cached_property
    def _starts(self) -> list[int]:
        """The first sequence number of each call that made autograd nodes, in order."""
        return [item.first for item in self.made]

    @cached_property
    def _read(self) -> dict[Line, Location]:
        return {}

    def events_of(self, tensor: Tensor) -> list[Event]:
        """What happened to one tensor, in order."""
        return self.uses.events.get(id(tensor), [])

    def bit(self, tensor: Tensor | None) -> int:
        """The bit of a leaf; -1 for a tensor that the graph has not met as one."""
        return self.flow.graph.bit_of.get(id(tensor), -1)

    def leaf(self, bit: int) -> Tensor:
        """The leaf with that bit."""
        return self.flow.graph.leaves[bit]

    def named(self, bits: int) -> list[str]:
        """The names of the leaves in a set of bits, unnamed ones left out."""
        return [name for bit, name in self.bits.items() if bits >> bit & 1]

    def tensor(self, name: str) -> Tensor:
        """The parameter of that name."""
        return self.names.parameters[name]

    def is_held(self, name: str) -> bool:
        """Whether a known optimizer holds the parameter of that name."""
        return id(self.names.parameters[name]) in self.held

    def trainable(self, name: str) -> bool:
        """Whether a gradient is wanted there at all."""
        return (
            name in self.names.parameters
            and self.names.parameters[name].requires_grad
            and name not in self.constant
        )

    def trainable_among(self, names: Iterable[str]) -> list[str]:
        """Those of the names where a gradient is wanted."""
        return [name for name in names if self.trainable(name)]

    def location(self, line: Line | None) -> Location | None:
        """The line with its text, read once."""
        if line is None:
            return None
        found = self._read.get(line)
        if found is None:
            found = self._read[line] = line.location()
        return found

    def made_by(self, node: int) -> Made:
        """The call that made an autograd node, with the nodes it made beside it."""
        inside = self.functions.get(node)
        if inside is not None:
            return Made(node, node + 1, inside.line, inside.operation)
        at = bisect.bisect_right(self._starts, node) - 1
        if at < 0 or node >= self.made[at].end:
            return Made(node, node + 1, None, "")
        return self.made[at]

    def call_at(self, node: int) -> Call | None:
        """The call that made an autograd node."""
        if node in self.functions:
            return self.functions[node]
        made = self.made_by(node)
        return next(
            (
                call for call in self.calls
                if call.operation == made.operation and call.line == made.line
                and any(e.sequence is not None and made.first <= e.sequence < made.end for e in call.outputs)
            ),
            None,
        )  # fmt: skip

    def arrivals(self, tensor: Tensor) -> list[tuple[BackwardPass, str]]:
        """What each backward pass brought to a leaf."""
        return arrivals(self.passes, self.bit(tensor))

    def before_entry(self, entry: Entry) -> Iterator[Entry]:
        """The entries that an entry was directly made from."""
        yield from entry.previous
        if entry.call is not None:
            yield from entry.call.inputs

    def after_entry(self, entry: Entry) -> Iterator[Entry]:
        """The entries that were directly made from an entry."""
        yield from self.became.get(id(entry), ())
        for call in self.users.get(id(entry), ()):
            yield from call.outputs

    def behind(self, roots: Iterable[Entry]) -> set[int]:
        """The ids of all entries whose values went into `roots`, with certainty."""
        return closure(roots)

    @cached_property
    def working_optimizers(self) -> dict[str, Optimizer]:
        """The optimizers whose `step()` was called, or all that are known where none was."""
        called = {id(optimizer) for optimizer in self.stepped}
        stepped = {name: o for name, o in self.names.optimizers.items() if id(o) in called}
        return stepped or self.names.optimizers

    @property
    def raised_line(self) -> Line | None:
        """Where the reader's code raised."""
        at = self.raised.location if self.raised is not None else None
        return Line(at.file, at.line) if at is not None else None

    def trains(self, optimizer: Optimizer, parameter: Tensor) -> bool:
        """Whether a parameter required a gradient as the optimizer made its last step, or does where it made none."""
        step = max((number for number, one in self.steps if one is optimizer), default=None)
        later = (
            event.kind == "freeze"
            for event in self.events
            if event.tensor is parameter
            and event.kind in ("freeze", "unfreeze")
            and step is not None
            and event.number > step
        )
        return next(later, parameter.requires_grad)

    def frozen_at(self, names: Iterable[str]) -> Line | None:
        """The line that last froze one of these parameters, or else the one that binds the first's variable."""
        named = list(names)
        tensors = {id(self.tensor(n)) for n in named}
        lines = [e.line for e in self.events if e.kind == "freeze" and id(e.tensor) in tensors]
        if lines:
            return lines[-1]
        return line_that_binds(self.file, named[0].partition(".")[0]) if named else None

    @property
    def cannot_train(self) -> bool:
        """Whether `backward()` refused since nothing that it could reach requires a gradient."""
        return self.raised is not None and re.search(_NO_GRADIENT, self.raised.message) is not None


def facts_of(session: Session) -> Facts:
    """Works out the facts of a recording."""
    names, tape = session.names(), session.tape
    if not names.held() <= names.tensors.keys():
        add_held(names, _met(tape))
    first = {id(p): n for n, p in reversed(names.parameters.items())}
    roots = _roots(session)
    into_loss = frozenset(closure(roots))
    uses = Uses.of(session)
    states = states_of(session, names, uses)
    once = {n: p for n, p in names.parameters.items() if first[id(p)] == n}
    meant = {id(p) for n, p in names.parameters.items() if is_meant(n, session.constant)}
    return Facts(
        file=session.file,
        keep=tape.keep,
        calls=tuple(tape.calls),
        events=tuple(tape.events),
        passes=tuple(tape.backwards),
        derivatives=tuple(tape.derivatives),
        inputs=tuple(tape.inputs),
        sinks=tuple(tape.sinks),
        made=tuple(tape.made),
        flow=tape.flow,
        compiled=tape.compiled,
        stepped=tuple(tape.stepped),
        steps=tuple(zip(tape.stepped_after, tape.stepped, strict=True)),
        taken=tape.taken,
        hooks=tape.hooks,
        hooked_nodes=tape.hooked_nodes,
        before=session.before,
        names=names,
        calls_made=session.calls_made,
        first_node=session.first_node,
        loss_value=session.loss_value,
        backward_is_ours=session.backward_is_ours,
        by_hand=not any(run.to_leaves for run in tape.backwards) and session.moved_by_hand(),
        whole_step=session.whole_step,
        read_later=session.read_later,
        had_gradients=frozenset(session.had_gradients),
        zero_before=frozenset(session.zero_before),
        fed=frozenset(session.fed),
        moving=frozenset(session.moving),
        buffers_before=session.buffers,
        raised=session.raised,
        raised_in=session.raised_in,
        refused=session.refused,
        used_before=session.used_before,
        constant=frozenset(n for n, p in names.parameters.items() if id(p) in meant),
        bits=_leaf_names(tape, names, first),
        states={name: state.of for name, state in states.items()},
        wiped={name: state.cleared_by for name, state in states.items() if state.wiped and name in once},
        spent={name: state.cleared_by for name, state in states.items() if state.spent and name in once},
        uses=uses,
        once=once,
        held=frozenset(names.held()),
        roots=roots,
        into_loss=into_loss,
        perhaps=frozenset(closure(roots, tape.sinks)) if tape.sinks else into_loss,
        functions={call.function: call for call in tape.calls if call.function is not None},
    )


def _roots(session: Session) -> tuple[Entry, ...]:
    """The ends of the step: what was differentiated or refused to be, or else what was returned.

    What a step returns that sent its losses back itself is for the log.
    """
    tape = session.tape
    roots = [*tape.refused, *(entry for run in tape.backwards for entry in run.roots)]
    if any(run.to_leaves for run in tape.backwards):
        return tuple(dict.fromkeys(roots))
    taken = tape.differentiated() if session.moved_by_hand() else []
    if not taken:
        found = tape.flow.look_up(session.loss) if session.loss is not None else None
        roots += [found] if found is not None else []
        roots += [
            s.outputs[0] for s in tape.sinks if session.returned is not None and s.result is session.returned
        ]
    return tuple(dict.fromkeys([*roots, *taken]))


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


def closure(
    roots: Iterable[Entry], sinks: Sequence[Call] | None = None, *, through_updates: bool = True
) -> set[int]:
    """The ids of all entries whose values went into `roots`; with `sinks` through plain numbers as well.

    Without `through_updates` not through an edit of a leaf in place: what a weight was moved by is no part of the loss.
    """
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        entry = todo.pop()
        if id(entry) not in seen:
            seen.add(id(entry))
            if through_updates or entry.leaf is None:
                todo += _made_from(entry, sinks)
    return seen


def open_ways(roots: Iterable[Entry], bits: int, sinks: Sequence[Call] | None = None) -> dict[int, int]:
    """By the `id` of an entry: the leaves among `bits` that autograd knows nowhere on some way from there to the end.

    Where it knows a leaf again further on, as behind `h / h.detach().norm()`, that leaf is not lost by the detach: if
    it is lost in the end, then by something later.
    """
    found: dict[int, int] = {}
    todo = [(root, bits) for root in roots]
    while todo:
        entry, lost = todo.pop()
        lost &= ~entry.tracked
        known = found.get(id(entry), 0)
        if lost & ~known:
            found[id(entry)] = known | lost
            todo += [(before, lost) for before in _made_from(entry, sinks)]
    return found


def _made_from(entry: Entry, sinks: Sequence[Call] | None) -> list[Entry]:
    """What went into an entry by value; with `sinks` also what left torch before and may have come back in it."""
    found = [*entry.previous]
    if entry.call is not None:
        found += entry.call.inputs
    if sinks is not None:
        count = max(entry.maybe, entry.call.maybe if entry.call is not None else 0)
        found += [sink.outputs[0] for sink in sinks[:count]]
    return found
