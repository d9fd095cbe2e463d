"""Runs a step under the tape and backpropagates its loss: one recording, of any number of calls.

The step runs as it would alone: nothing is seeded, copied or changed, and what it raises is kept as part of the
record. A loss that the step backpropagated itself is not backpropagated again.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor
from torch.optim import Optimizer

from ..record import Raised
from .frames import Line, Passed, find_caller, judged, method_of_a_function
from .gradient_calls import watched_backward
from .growth import Growth
from .mode import CallMode
from .names import Names, read_names
from .summands import summands
from .tape import Tape
from .tensors import is_zero
from .torch_private import next_number, version_of

KEEP = 1_024
"""Elements up to which the values of a tensor are kept; above it only minimum, maximum and mean."""
MEASURE = 16_384
"""Elements up to which minimum, maximum and mean are computed; above it only shape and type are recorded."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A buffer before a step. Small ones are copied: batch norm moves its statistics without a new version."""

    tensor: Tensor
    version: int
    copy: Tensor | None

    @classmethod
    def of(cls, buffer: Tensor) -> Snapshot:
        """The buffer as it is now."""
        small = buffer.numel() <= 16_384 and not buffer.is_meta
        return cls(buffer, version_of(buffer), buffer.detach().clone() if small else None)

    def moved(self, buffer: Tensor) -> bool:
        """Whether the buffer is another one by now, or holds other numbers."""
        if buffer is not self.tensor:
            return True
        if self.copy is not None and self.copy.shape == buffer.shape:
            return not torch.equal(self.copy, buffer.detach())
        return version_of(buffer) != self.version


class Session:
    """One recording: any number of calls of a step, told apart, with one diagnosis at the end."""

    def __init__(
        self,
        variables: Callable[[], Mapping[str, object]],
        optimizers: Iterable[Optimizer] = (),
        keep: int = KEEP,
        constant: Iterable[str] = (),
        file: str = "",
        measure: int = MEASURE,
        line: int = 0,
        unled: Callable[[], frozenset[int]] = frozenset,
    ) -> None:
        self.unled = unled
        """Gives the parameters, by `id`, that no variable leads to and that are named by the module which owns them."""
        self.file = file
        self.line = line
        self._variables = variables
        self._optimizers = list(optimizers)
        self.constant = tuple(constant)
        self.calls_made = 0
        self.before = self.names()
        self.tape = Tape(keep, measure, self.before)
        if not torch.is_grad_enabled():
            self.tape.switch_off("no_grad", None)
        self.backward_is_ours = False
        """Whether the backward pass was this recorder's, since the step only returned its loss."""
        self.whole_step = True
        """False for a block of code: what comes after it is not seen."""
        self.lists_intermediates = True
        """False where the variables are all those of a program: what it computes on the way is no news there."""
        self.read_later: dict[str, int] = {}
        """Variables whose `.grad` the code after a block reads, with the line that does."""
        self.loss: Tensor | None = None
        self.returned: object = None
        self.loss_value: float | None = None
        self.raised: Raised | None = None
        self.raised_in: str = ""
        """The method of a custom `Function` that raised: "forward" or "backward"."""
        self.refused: Tensor | None = None
        """The tensor that an optimizer refused."""
        self.old_grads: dict[int, tuple[Tensor, int]] = {}
        """By the `id` of a parameter: the gradient that it had when this call of the step began, and its version."""
        self.buffers: dict[str, Snapshot] = {}
        self.growth = Growth()
        self.several = False
        self.had_gradients: set[str] = set()
        self.zero_before: set[int] = set()
        """Parameters, by `id`, that were all zeros when this call of the step began."""
        self.fed: set[int] = set()
        """Parameters, by `id`, that got a gradient in an earlier call of the step."""
        self.used_before: dict[int, Line | None] = {}
        """By the `id` of a leaf: the line that used it last in the call of the step before this one."""
        self.moving: set[int] = set()
        """Optimizers, by `id`, that made a step with a learning rate other than 0 in any call."""
        self.gave_no_tensor = False
        self.first_node = 0

    def names(self) -> Names:
        """The reader's names as they are now."""
        made = self.tape.local_modules if self.calls_made else {}
        return read_names({**made, **self._variables()}, self._optimizers)

    def know(self, optimizer: Optimizer) -> None:
        """An optimizer that belongs to the step, whatever leads to it."""
        if not any(one is optimizer for one in self._optimizers):
            self._optimizers.append(optimizer)

    def begin(self, clear: bool = False) -> None:
        """Makes ready for one call of the step; `clear` takes the gradients of the call before away."""
        # A step that calls `backward()` itself clears its gradients itself as well, or means to gather them.
        clears_itself = bool(self.tape.stepped) or (bool(self.tape.backwards) and not self.backward_is_ours)
        if self.calls_made:
            self.fed |= {
                id(self.tape.flow.graph.leaves[bit])
                for run in self.tape.backwards
                for bit, s in run.arrived.items()
                if s == "value"
            }
            self.used_before = {
                id(self.tape.flow.graph.leaves[entry.leaf]): call.line
                for call in self.tape.calls
                if call.in_step
                for entry in call.inputs
                if entry.leaf is not None
            }
            # A module that the reader let go must not live on in what is known of the step before: it would be named.
            self.before = Names({})
            self.tape.forget_step()
            self.before = self.names()
        self.had_gradients = {name for name, p in self.before.parameters.items() if p.grad is not None}
        for parameter in self.before.parameters.values() if clear and not clears_itself else ():
            parameter.grad = None
        self.calls_made += 1
        self.first_node = next_number()
        self.tape.start_step(self.before)
        self.old_grads = {
            id(p): (p.grad, version_of(p.grad)) for p in self.before.parameters.values() if p.grad is not None
        }
        self.zero_before = {id(p) for p in self.before.parameters.values() if is_zero(p)}
        self.buffers = {name: Snapshot.of(b) for name, (b, _) in self.before.buffers.items()}

    def run(self, step: Callable[[], object], clear: bool = False) -> None:
        """One call of the step and the backward pass of the loss it returns."""
        self.begin(clear)
        loss: object = None
        with CallMode(self.tape):
            try:
                loss = step()
            except Exception as error:
                self.note_error(error, "step")
        self.take_loss(loss)
        if self.raised is None:
            self._backpropagate(loss)
        self.note_moving()
        if self.several:
            self.growth.measure(self._variables())

    def end_of_block(self) -> None:
        """Code that is no function of the reader's has come to its end: what is its loss, and what has grown?"""
        self.take_loss_of_passes()
        self.note_moving()
        self.growth.measure(self._variables())

    def note_moving(self) -> None:
        """Remembers which optimizers made a step that moves anything."""
        self.moving |= {
            id(o) for o in self.tape.stepped if any(float(g.get("lr", 1.0)) for g in o.param_groups)
        }

    def take_loss(self, loss: object) -> None:
        """Remembers what the step returned, and which number is its loss."""
        self.returned = loss
        self.loss = loss if isinstance(loss, Tensor) else None
        if self.loss is None:
            self.take_loss_of_passes()
        elif self.loss.numel() == 1 and not self.loss.is_meta:
            self.loss_value = float(self.loss.detach())

    def take_loss_of_passes(self) -> None:
        """Takes as the loss what was backpropagated, where no tensor was returned.

        Of several passes none is the loss: then it is the number that was returned, or nothing.
        """
        runs = self.tape.backwards
        number = self.returned if isinstance(self.returned, float) else None
        self.loss_value = runs[0].loss if len(runs) == 1 else number

    def _backpropagate(self, loss: object) -> None:
        if self._is_done(loss):
            return
        if not isinstance(loss, Tensor):
            self.gave_no_tensor = True
            message = f"'{type(loss).__name__}' object has no attribute 'backward'"
            self.raised = Raised("AttributeError", f"step() returned no tensor: {message}", "backward", None)
            return
        self.backward_is_ours = True
        try:
            ours = replace(find_caller(), line=None)  # no line of the reader's started it
            watched_backward(self.tape, [loss], loss.backward, ours)
        except Exception as error:
            self.note_error(error, "backward")

    def _is_done(self, loss: object) -> bool:
        """Whether the step called `backward()` itself: what it returns then is for the log."""
        roots = [root for run in self.tape.backwards for root in run.roots]
        if not roots:
            if not self.moved_by_hand():
                return False
            # Gradients that were set by hand and used: what is returned without a history is for the log.
            if not isinstance(loss, Tensor) or not loss.requires_grad:
                return True
            roots = self.tape.differentiated()
        entry = self.tape.flow.look_up(loss) if isinstance(loss, Tensor) else None
        if entry is None or not entry.tracked or not entry.scalar:
            return True
        sent = {id(term) for root in roots for term in (root, *summands(root))}
        return all(id(term) in sent or not term.tracked for term in summands(entry))

    def moved_by_hand(self) -> bool:
        """Whether the step made an update of gradients that it computed or set itself, without a `backward()`."""
        tape = self.tape
        if tape.stepped or any(event.kind == "set_grad" for event in tape.events):
            return True
        taken = [call.number for call in tape.calls if call.operation == "autograd.grad"]
        parameters = {tape.flow.storage_of(p) for p in self.before.parameters.values()} if taken else set()
        return any(c.in_place and c.storage in parameters and c.number > taken[0] for c in tape.calls)

    def note_error(self, error: BaseException, stage: Literal["load", "step", "backward"]) -> None:
        """Keeps what was raised, word for word, with the reader's innermost line."""
        line, outer = None, None
        for frame, number in traceback.walk_tb(error.__traceback__):
            if judged(frame) & Passed.READER:
                line = Line(frame.f_code.co_filename, number)
            self.raised_in = method_of_a_function(frame, outer) or self.raised_in
            if judged(frame) & Passed.OPTIMIZER:
                one = frame.f_locals.get("param")
                self.refused = one if isinstance(one, Tensor) and not one.is_leaf else self.refused
            outer = frame
        location = line.location() if line is not None else None
        call = self.calls_made if self.several else None
        self.raised = Raised(type(error).__name__, str(error), stage, location, call)
