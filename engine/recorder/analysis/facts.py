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
from typing import TypeVar

from torch import Tensor
from torch.optim import Optimizer

from ..capture.arguments import is_meant
from ..capture.backward import BackwardPass
from ..capture.data_flow import Call, Entry, Flow
from ..capture.frames import Line
from ..capture.kept import kept
from ..capture.names import Names, add_held, add_stepped, ids_in
from ..capture.postorder import postorder
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
    line: int
    """The line of that file where the step begins."""
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
    unled: frozenset[int]
    """The ids of parameters that no variable leads to: the module that owns them lives, and nobody may mean it to."""
    calls_made: int
    first_node: int
    loss_value: float | None
    backward_is_ours: bool
    """Whether the step returned its loss and left `backward()` to the recorder."""
    by_hand: bool
    """Whether the step made its update without a `backward()`, of gradients that it computed or set itself."""
    whole_step: bool
    lists_intermediates: bool
    read_later: Mapping[str, int]
    """Variables whose `.grad` the code after a block reads, with the line that does."""
    had_gradients: frozenset[str]
    zero_before: frozenset[int]
    fed: frozenset[int]
    moving: frozenset[int]
    buffers_before: Mapping[str, Snapshot]
    growing: tuple[str, ...]
    """Variables whose graph grows from call to call."""
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

    @kept
    def users(self) -> dict[int, list[Call]]:
        """By the `id` of an entry: the calls it went into."""
        found: dict[int, list[Call]] = {}
        for call in self.calls:
            for entry in call.inputs:
                found.setdefault(id(entry), []).append(call)
        return found

    @kept
    def became(self) -> dict[int, list[Entry]]:
        """By the `id` of an entry: the entries that are the same values under another tensor or at a later time."""
        found: dict[int, list[Entry]] = {}
        for storage in self.flow.by_storage:
            for entry in self.flow.sharing(storage):
                for earlier in entry.previous:
                    found.setdefault(id(earlier), []).append(entry)
        return found

    @kept
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

    @kept
    def unseen_edits(self) -> tuple[Call, ...]:
        """The calls of the step that changed a tensor in place without autograd noticing."""
        return tuple(
            call for call in self.calls
            if call.in_place and call.in_step and call.function is None and call.outputs and not call.seen_by_autograd
        )  # fmt: skip

    @kept
    def _tracked_in(self) -> dict[int, list[Entry]]:
        return {}

    def tracked_in(self, storage: int) -> list[Entry]:
        """The entries of one memory that have a history, in order."""
        found = self._tracked_in.get(storage)
        if found is None:
            sharing = self.flow.sharing(storage)
            found = self._tracked_in[storage] = [e for e in sharing if e.tracked and e.leaf is None]
        return found

    @kept
    def _of_leaves(self) -> dict[int, bool]:
        return {}

    def of_leaves_alone(self, entry: Entry) -> bool:
        """Whether no data went into an entry: then it is the same in every step until a parameter moves."""
        known = self._of_leaves
        for one in postorder([entry], lambda one: () if id(one) in known else self._before_computed(one)):
            if id(one) not in known:
                before = self._before_computed(one)
                known[id(one)] = one.leaf is not None or (bool(before) and all(known[id(e)] for e in before))
        return known[id(entry)]

    def _before_computed(self, entry: Entry) -> list[Entry]:
        return [] if entry.leaf is not None else list(self.before_entry(entry))

    @kept
    def makes_leaves(self) -> bool:
        """Whether a call of the step made a leaf that then went into the loss."""
        made = (entry for call in self.calls for entry in call.outputs)
        return any(e.leaf is not None and e.tracked and id(e) in self.into_loss for e in made)

    @kept
    def before_layers(self) -> set[int]:
        """The ids of the entries whose values go through a layer on their way to the loss."""
        todo: list[Entry] = []
        for call in self.calls:
            layers = {id(e) for e in call.inputs if e.leaf is not None and e.tracked and not e.scalar}
            if layers and any(id(o) in self.moving_loss for o in call.outputs):
                todo += [entry for entry in call.inputs if layers - {id(entry)}]
        for renewed in (entry for entries in self.became.values() for entry in entries):
            if renewed.leaf is not None and renewed.tracked:
                todo += renewed.previous
        seen: set[int] = set()
        while todo:
            entry = todo.pop()
            if id(entry) not in seen:
                seen.add(id(entry))
                todo += entry.previous
                if entry.call is not None and any(id(o) in self.into_loss for o in entry.call.outputs):
                    todo += entry.call.inputs
        return seen

    @kept
    def uses_of(self) -> dict[int, list[tuple[Call, Entry]]]:
        """By the `id` of a living tensor: the calls it went into, each with what was known of it there."""
        found: dict[int, list[tuple[Call, Entry]]] = {}
        for call in self.calls:
            for entry in call.inputs:
                tensor = entry.tensor()
                if tensor is not None:
                    found.setdefault(id(tensor), []).append((call, entry))
        return found

    @kept
    def differentiated(self) -> frozenset[int]:
        """The ids of the living tensors by which the step takes a derivative."""
        about = (entry.tensor() for call in self.calls for entry in call.about)
        return frozenset(id(tensor) for tensor in about if tensor is not None)

    @kept
    def trainable_bits(self) -> int:
        """The leaves where a gradient is wanted."""
        return bits_of(bit for bit, name in self.bits.items() if self.trainable(name))

    @kept
    def zero_bits(self) -> int:
        """The named leaves that were all zeros when this call of the step began."""
        return bits_of(bit for bit in self.bits if id(self.leaf(bit)) in self.zero_before)

    @kept
    def starting(self) -> int:
        """The leaves that were all zeros before this step, which moves them."""
        return bits_of(
            bit
            for bit in bits_in(self.zero_bits & self.trainable_bits)
            if self.states[self.bits[bit]] == "gradient" and (not self.held or self.is_held(self.bits[bit]))
        )

    @kept
    def fed_modules(self) -> frozenset[str]:
        """The modules of which a parameter got a gradient."""
        return frozenset(name.rpartition(".")[0] for name, of in self.states.items() if of == "gradient")

    @kept
    def held_by_each(self) -> dict[str, set[int]]:
        """By the name of an optimizer: the ids of the tensors that it holds."""
        return {name: ids_in(optimizer) for name, optimizer in self.names.optimizers.items()}

    @kept
    def _places(self) -> dict[int, tuple[int, str]]:
        """By the `id` of a parameter: which it is among all, and its first name."""
        return {id(p): (at, name) for at, (name, p) in enumerate(self.once.items())}

    @kept
    def _made_outputs(self) -> list[tuple[int, int]]:
        """(node, number of the call) of every output that a node made, by node."""
        return sorted(
            (entry.sequence, at)
            for at, call in enumerate(self.calls)
            for entry in call.outputs
            if entry.sequence is not None
        )

    @kept
    def _starts(self) -> list[int]:
        """The first sequence number of each call that made autograd nodes, in order."""
        return [item.first for item in self.made]

    @kept
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
        return [self.bits[bit] for bit in bits_in(bits) if bit in self.bits]

    def held_by(self, optimizer: Optimizer) -> list[str]:
        """The names of the parameters that an optimizer holds, in order."""
        places = (self._places.get(key) for key in ids_in(optimizer))
        return [name for _, name in sorted(place for place in places if place is not None)]

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
            and self.wants(self.names.parameters[name])
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
        first = bisect.bisect_left(self._made_outputs, (made.first, 0))
        end = bisect.bisect_left(self._made_outputs, (made.end, 0))
        for at in sorted(at for _, at in self._made_outputs[first:end]):
            call = self.calls[at]
            if call.operation == made.operation and call.line == made.line:
                return call
        return None

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

    @kept
    def behind_passes(self) -> dict[tuple[int, ...], frozenset[int]]:
        """By numbers of backward passes: what went into their roots, as far as anybody asked."""
        return {}

    @kept
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

    def wants(self, parameter: Tensor) -> bool:
        """Whether a parameter required a gradient as its optimizer made its last step, or does where none made any.

        A player of a game is frozen while the other's turn is.
        """
        step = self._last_steps.get(id(parameter))
        if step is not None:
            for event in self.events_of(parameter):
                if event.number > step and event.kind in ("freeze", "unfreeze"):
                    return event.kind == "freeze"
        return parameter.requires_grad

    @kept
    def _last_steps(self) -> dict[int, int]:
        """By the `id` of a parameter: the number of the last call before the last step of an optimizer that holds it."""
        return {key: number for number, optimizer in self.steps for key in ids_in(optimizer)}

    def frozen_at(self, names: Iterable[str]) -> Line | None:
        """The line that last froze one of these parameters, or else the one that binds the first's variable."""
        named = list(names)
        freezes = [e for n in named for e in self.events_of(self.tensor(n)) if e.kind == "freeze"]
        if freezes:
            return max(freezes, key=lambda event: event.number).line
        return self.line_that_binds(named[0]) if named else None

    def line_that_binds(self, path: str) -> Line | None:
        """The line that assigns the variable at the head of a path, as `net` of `net.weight`, as the step sees it."""
        return line_that_binds(self.file, path.partition(".")[0].partition("[")[0], self.line)

    @property
    def cannot_train(self) -> bool:
        """Whether `backward()` refused since nothing that it could reach requires a gradient."""
        return self.raised is not None and re.search(_NO_GRADIENT, self.raised.message) is not None


def bits_of(numbers: Iterable[int]) -> int:
    """The set of bits with these numbers."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def bits_in(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest."""
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)


F = TypeVar("F", bound=Facts)


def facts_of(session: Session, kind: type[F]) -> F:
    """Works out the facts of a recording; `kind` is what more is to be known of them."""
    names, tape = session.names(), session.tape
    add_stepped(names, tape.stepped)
    if not names.held() <= names.tensors.keys():
        add_held(names, _met(tape))
    first = {id(p): n for n, p in reversed(names.parameters.items())}
    roots = _roots(session)
    into_loss = frozenset(closure(roots))
    uses = Uses.of(session)
    states = states_of(session, names, uses)
    once = {n: p for n, p in names.parameters.items() if first[id(p)] == n}
    meant = (
        {id(p) for n, p in names.parameters.items() if is_meant(n, session.constant)}
        if session.constant
        else ()
    )
    return kind(
        file=session.file,
        line=session.line,
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
        unled=session.unled(),
        calls_made=session.calls_made,
        first_node=session.first_node,
        loss_value=session.loss_value,
        backward_is_ours=session.backward_is_ours,
        by_hand=not tape.backwards and session.moved_by_hand(),
        whole_step=session.whole_step,
        lists_intermediates=session.lists_intermediates,
        read_later=session.read_later,
        had_gradients=frozenset(session.had_gradients),
        zero_before=frozenset(session.zero_before),
        fed=frozenset(session.fed),
        moving=frozenset(session.moving),
        buffers_before=session.buffers,
        growing=session.growth.growing(),
        raised=session.raised,
        raised_in=session.raised_in,
        refused=session.refused,
        used_before=session.used_before,
        constant=frozenset(n for n, p in names.parameters.items() if id(p) in meant)
        if meant
        else frozenset(),
        bits=_leaf_names(tape, names, first),
        states={name: state.of for name, state in states.items()},
        wiped={name: state.cleared_by for name, state in states.items() if state.wiped and name in once},
        spent={name: state.cleared_by for name, state in states.items() if state.spent and name in once},
        uses=uses,
        once=once,
        held=frozenset(names.held()),
        roots=roots,
        into_loss=into_loss,
        perhaps=frozenset(closure_through(roots, tape.sinks)) if tape.sinks else into_loss,
        functions={call.function: call for call in tape.calls if call.function is not None},
    )


def _roots(session: Session) -> tuple[Entry, ...]:
    """The ends of the step: what was differentiated or refused to be, or else what was returned.

    What a step returns that sent its losses back itself is for the log.
    """
    tape = session.tape
    roots = [*tape.refused, *(entry for run in tape.backwards for entry in run.roots)]
    if tape.backwards:
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


def closure(roots: Iterable[Entry], *, through_updates: bool = True) -> set[int]:
    """The ids of all entries whose values went into `roots`.

    Without `through_updates` not through an edit of a leaf in place: what a weight was moved by is no part of the loss.
    """
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        entry = todo.pop()
        if id(entry) not in seen:
            seen.add(id(entry))
            if through_updates or entry.leaf is None:
                todo += entry.previous
                if entry.call is not None:
                    todo += entry.call.inputs
    return seen


def closure_through(roots: Iterable[Entry], sinks: Sequence[Call]) -> set[int]:
    """The same through plain numbers as well, which left torch in `sinks`."""
    ends: list[Entry | int] = list(roots)
    return {_key(one) for one in postorder(ends, lambda one: _made_from(one, sinks))}


def open_ways(roots: Iterable[Entry], bits: int, sinks: Sequence[Call] = ()) -> dict[int, int]:
    """By the `id` of an entry: the leaves among `bits` that autograd knows nowhere on some way from there to the end.

    Where it knows a leaf again further on, as behind `h / h.detach().norm()`, that leaf is not lost by the detach: if
    it is lost in the end, then by something later.
    """
    ends: list[Entry | int] = list(roots)
    found = {_key(end): bits for end in ends}
    order = list(postorder(ends, lambda one: _made_from(one, sinks))) if bits else []
    for one in reversed(order):
        lost = found.get(_key(one), 0)  # plain numbers can lead around in a circle
        if not isinstance(one, int):
            lost &= ~one.tracked
            found[id(one)] = lost
        for before in _made_from(one, sinks):
            found[_key(before)] = found.get(_key(before), 0) | lost
    return found


def _key(one: Entry | int) -> int:
    return one if isinstance(one, int) else id(one)


def _made_from(one: Entry | int, sinks: Sequence[Call]) -> list[Entry | int]:
    """What went into an entry by value; with `sinks` also what left torch before and may have come back in it.

    Of these there may be many, and many entries that come after them: -n stands for the first n sinks together.
    """
    if isinstance(one, int):
        last = sinks[-one - 1].outputs[0]
        return [last] if one == -1 else [last, one + 1]
    found: list[Entry | int] = [*one.previous]
    if one.call is not None:
        found += one.call.inputs
    if sinks:
        count = max(one.maybe, one.call.maybe if one.call is not None else 0)
        if count:
            found.append(-min(count, len(sinks)))
    return found
