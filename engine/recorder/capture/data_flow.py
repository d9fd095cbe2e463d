"""The flow of values: which tensor was made from which, and which leaves autograd still knows behind it.

Every tensor that a recorded call makes gets an `Entry`. An entry holds two sets of leaves, as the bits of an
integer: `tracked`, those that autograd can reach from its `grad_fn`, and `value`, those whose numbers went into it
at all. A cut is a call after which a leaf is still in `value` and no longer in `tracked`.

`tracked` is read from the autograd graph itself and never guessed from the calls. Nodes are known by their sequence
number, which is unique in a thread, so that no node, and with it no saved activation, is kept alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, UntypedStorage, nn

from ..record import Array, GradientState, TensorRecord
from .frames import Line
from .tensors import Content
from .torch_private import number_of

ACCUMULATE = 2**64 - 1
"""The sequence number that every AccumulateGrad node has: the end of a path, at a leaf."""


def _gone() -> None:
    """A weak reference to nothing."""


@dataclass(slots=True, eq=False)
class Entry:
    """One tensor as one call left it."""

    call: Call | None
    position: int
    tracked: int
    value: int
    sequence: int | None
    output_number: int
    requires_grad: bool
    storage: int
    floating: bool
    scalar: bool
    born: int
    """The number of the call before which the entry was made."""
    content: Content | None = None
    previous: tuple[Entry, ...] = ()
    """What an entry that no recorded call made is known to come from: an alias, or what it was before."""
    leaf: int | None = None
    """The bit of the leaf that this is, if it is one."""
    maybe: int = 0
    """How many sinks came before an entry that was made out of torch's sight: any may have gone into it."""
    gradient: Array | None = None
    gradient_state: GradientState = "none"
    met_as_input: bool = False
    name: str = ""
    tensor: Callable[[], Tensor | None] = _gone
    same_memory: Entry | None = None
    """The entry of the same memory before this one."""
    same_node: Entry | None = None
    """The entry that the same autograd node made before this one."""

    def record(self, name: str = "") -> TensorRecord:
        """What was read of the tensor, under a name."""
        assert self.content is not None
        return TensorRecord(name, *self.content)


@dataclass(slots=True, eq=False)
class GradOff:
    """Where gradients were switched off, and by what."""

    kind: str
    line: Line | None
    by_distribution: bool = False
    """Whether a distribution did it, to draw."""


@dataclass(slots=True, eq=False)
class Call:
    """One call of the step, as the mode saw it."""

    number: int
    operation: str
    line: Line | None
    module: nn.Module | None
    inputs: tuple[Entry, ...]
    """The inputs whose values go into the result, leaves and parameters included."""
    outputs: tuple[Entry, ...] = ()
    kind: str = ""
    """The kind of cut that this call would be, were a path to end in it."""
    kind_line: Line | None = None
    drawn: bool = False
    """Whether it would be a cut because a distribution draws here."""
    has_rsample: bool = False
    """Whether that distribution could draw with a history."""
    function: int | None = None
    """The sequence number of the custom Function in whose forward the call stands."""
    function_name: str = ""
    """The name of its node."""
    in_place: bool = False
    in_step: bool = True
    passed: int = 0
    maybe: int = 0
    """How many sinks came before a call with computed Python numbers among its arguments."""
    sink: bool = False
    """Whether the result is no tensor: the values left torch here."""
    result: object = None
    storage: int = 0
    """The memory that an in-place call wrote to."""
    next_node: int = 0
    """For an in-place call: the number that the next autograd node had. Lower ones were made before the edit."""
    about: tuple[Entry, ...] = ()
    """What a derivative was taken with respect to."""
    seen: bool = True
    """False for a link that no call showed: an alias that was made out of the mode's sight."""

    @property
    def seen_by_autograd(self) -> bool:
        """Whether autograd took note of an edit in place: it made a node for it."""
        written = self.outputs[0]
        before = self.inputs[0] if self.inputs else written
        return bool(written.tracked) and written.sequence != before.sequence

    def let_go(self) -> None:
        """Unties the call from its tensors; its line stays, for tensors that outlive the step."""
        self.inputs, self.outputs, self.about, self.result, self.module = (), (), (), None, None


@dataclass(slots=True)
class Graph:
    """The leaves behind each autograd node that was met, as bits."""

    leaves: list[Tensor] = field(default_factory=list)
    bit_of: dict[int, int] = field(default_factory=dict)
    reach: dict[int, int] = field(default_factory=dict)

    def leaf(self, tensor: Tensor) -> int:
        """The number of a leaf's bit."""
        bit = self.bit_of.get(id(tensor))
        if bit is None:
            bit = self.bit_of[id(tensor)] = len(self.leaves)
            self.leaves.append(tensor)
        return bit

    def _bit(self, node: Any) -> int:
        """The leaf at the end of a path; 0 where the node says that it is one and has none."""
        variable = getattr(node, "variable", None)
        return 0 if variable is None else 1 << self.leaf(variable)

    def behind(self, node: Any) -> int:
        """The leaves that autograd reaches from `node`."""
        key = number_of(node)
        if key == ACCUMULATE:
            return self._bit(node)
        known = self.reach.get(key)
        return self._near(node, key, 40) if known is None else known

    def _near(self, node: Any, key: int, depth: int) -> int:
        """What is behind a node that was not met: a call makes a few nodes above those that are known already."""
        reach, bits = self.reach, 0
        for following, _ in node.next_functions:
            if following is None:
                continue
            number = number_of(following)
            if number == ACCUMULATE:
                bits |= self._bit(following)
                continue
            known = reach.get(number)
            if known is None:
                known = self._near(following, number, depth - 1) if depth else self._walk(following)
            bits |= known
        reach[key] = bits
        return bits

    def _walk(self, start: Any) -> int:
        reach = self.reach
        stack: list[tuple[Any, int, list[Any] | None]] = [(start, number_of(start), None)]
        while stack:
            node, key, after = stack.pop()
            if after is None:
                if key in reach:
                    continue
                after = [n for n, _ in node.next_functions if n is not None]
                waiting = [
                    (n, k, None) for n in after if (k := number_of(n)) != ACCUMULATE and k not in reach
                ]
                if waiting:
                    stack.append((node, key, after))
                    stack.extend(waiting)
                    continue
            bits = 0
            for n in after:
                k = number_of(n)
                if k == ACCUMULATE:
                    bits |= self._bit(n)
                else:
                    bits |= reach.get(k, 0)
            reach[key] = bits
        return reach[number_of(start)]


class Storages:
    """A number for every memory that was met, its own for good; the memory itself is free to go.

    Torch gives one Python object for a storage for as long as any tensor has it, so that a weak reference to that
    lives as long as the memory.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._alive: dict[int, Callable[[], UntypedStorage | None]] = {}
        self._last = 0

    def number(self, storage: UntypedStorage) -> int:
        """The storage's number, from 1."""
        known = self._numbers.get(id(storage))
        if known is not None and self._alive[known]() is storage:
            return known
        self._last += 1
        self._numbers[id(storage)] = self._last
        self._alive[self._last] = weakref.ref(storage)
        return self._last

    def holds(self, number: int, address: int) -> bool:
        """Whether an address lies in the memory of that number, which some tensor or array still has."""
        storage = self._alive[number]() if number in self._alive else None
        return storage is not None and 0 <= address - storage.data_ptr() < storage.nbytes()

    def forget_the_dead(self) -> list[int]:
        """The numbers of storages that no tensor has any more; they are not told again."""
        dead = [number for number, storage in self._alive.items() if storage() is None]
        for number in dead:
            del self._alive[number]
        self._numbers = {key: number for key, number in self._numbers.items() if number in self._alive}
        return dead


@dataclass(slots=True)
class Flow:
    """All entries, found by tensor while the tensor lives."""

    graph: Graph = field(default_factory=Graph)
    entries: dict[int, Entry] = field(default_factory=dict)
    storages: Storages = field(default_factory=Storages)
    by_storage: dict[int, Entry] = field(default_factory=dict)
    """The latest entry of each memory, which leads to those before."""
    writes: dict[int, list[Call]] = field(default_factory=dict)
    """In-place calls by the memory they wrote to."""
    by_node: dict[int, Entry] = field(default_factory=dict)
    """The latest entry of each autograd node that made one, by the node's sequence number."""
    clock: int = 0

    def edited_unseen(self) -> set[int]:
        """The memories with numbers that were changed in place without autograd noticing."""
        return {
            storage
            for storage, calls in self.writes.items()
            if any(call.outputs and call.outputs[0].floating and not call.seen_by_autograd for call in calls)
        }

    def forget_the_dead(self) -> None:
        """Drops what is known about tensors and memory that no longer exist."""
        self.entries = {k: v for k, v in self.entries.items() if v.tensor() is not None}
        for key in self.storages.forget_the_dead():
            self.by_storage.pop(key, None)
            self.writes.pop(key, None)
        self.by_node.clear()

    def storage_of(self, tensor: Tensor) -> int:
        """A number for the tensor's memory, shared by its aliases; 0 where it has none of its own."""
        try:
            return self.storages.number(tensor.untyped_storage())
        except (RuntimeError, NotImplementedError):
            return 0

    def look_up(self, tensor: Tensor) -> Entry | None:
        """The latest entry of a tensor, None for one never met."""
        found = self.entries.get(id(tensor))
        return found if found is not None and found.tensor() is tensor else None

    def sharing(self, storage: int) -> list[Entry]:
        """The entries of one memory, in order."""
        found: list[Entry] = []
        entry = self.by_storage.get(storage)
        while entry is not None:
            found.append(entry)
            entry = entry.same_memory
        return found[::-1]

    def made_by(self, sequence: int) -> list[Entry]:
        """The entries that one autograd node made, in order."""
        found: list[Entry] = []
        entry = self.by_node.get(sequence)
        while entry is not None:
            found.append(entry)
            entry = entry.same_node
        return found[::-1]

    def add(
        self, tensor: Tensor, call: Call | None, position: int, value: int, storage: int | None = None
    ) -> Entry:
        """A new entry for the tensor as it is now. `value`: the leaves whose numbers went in."""
        requires_grad = tensor.requires_grad
        tracked, sequence, leaf = 0, None, None
        try:
            node = tensor.grad_fn if requires_grad else None
            is_leaf = node is None
        except (
            RuntimeError
        ):  # a view made under `no_grad` that was changed in place has no history to ask for
            node, is_leaf = None, False
        if node is not None:
            tracked = self.graph.behind(node)
            sequence = number_of(node)
        elif (requires_grad and is_leaf) or isinstance(tensor, nn.Parameter):
            leaf = self.graph.leaf(tensor)
            value |= 1 << leaf
            tracked = 1 << leaf if requires_grad else 0
        storage = self.storage_of(tensor) if storage is None else storage
        entry = Entry(
            call,
            position,
            tracked,
            value | tracked,
            sequence,
            tensor.output_nr,
            requires_grad,
            storage,
            tensor.is_floating_point() or tensor.is_complex(),
            tensor.dim() == 0,
            self.clock,
            leaf=leaf,
            tensor=weakref.ref(tensor),
        )
        self.entries[id(tensor)] = entry
        if storage:
            entry.same_memory = self.by_storage.get(storage)
            self.by_storage[storage] = entry
        if sequence is not None:
            self.link_to_node(entry, sequence)
        return entry

    def link_to_node(self, entry: Entry, sequence: int) -> None:
        """Makes an entry known as what an autograd node made."""
        entry.same_node = self.by_node.get(sequence)
        self.by_node[sequence] = entry


_SEQUENCES = (list, tuple)
_CONTAINERS = (list, tuple, dict)


def tensors_of(values: Iterable[object]) -> list[Tensor]:
    """The same as a list, for the arguments of a call: nearly all are bare tensors or plain values."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, _CONTAINERS):
            found += tensors_in(value, 2)
    return found


def tensors_in(value: object, depth: int = 3) -> Iterator[Tensor]:
    """The tensors in an argument or a result: bare, or in lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif depth and isinstance(value, _SEQUENCES):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)
