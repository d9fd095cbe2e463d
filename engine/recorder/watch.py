"""`StepWatch`: records one step of a training that runs by itself, in a script or in a trainer of a library.

Torch reports each optimizer's step, so a turn of a training is what lies between two of them (see `capture.turns`).
Every turn up to the one that is asked for is recorded and then forgotten, so that also a turn that raises is told of
without a second run. What comes before the first turn, such as the model being built, is followed only where it
touches a tensor that wants a gradient: a parameter may be lost or frozen there. The first turn begins with the first
forward pass, or, in a training without modules, with the first call on a tensor after an optimizer was made.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any, Literal

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.hooks import RemovableHandle

from .analysis.states import misses_a_gradient
from .capture.frames import Passed, find_caller, outside
from .capture.mode import CallMode, computes, may_lose_a_gradient, see
from .capture.names import inside_of, read_names
from .capture.session import KEEP, Session
from .capture.stack import frames_around, frames_of, living_optimizers, owners, variables_in
from .capture.tape import Tape
from .capture.torch_private import run_eagerly, take_off_the_stack
from .capture.turns import Moment, Turns
from .capture.warned import at_the_reader
from .diagnosis import diagnose
from .report import StepRecord

NOT_YET = "The step has not ended, so it is not known whether it would get a gradient."


class StepWatch:
    """Watches the training of this process until its turn number `turn` (from 1) has ended, then calls `ended`.

    `ended` gets the record, inside the optimizer's `step()` that ended the turn: what it raises ends the training.
    `file` is the script, whose lines need no file's name in the report; where it isn't known, that of the outermost
    line of the reader's. `optimizers` gives those that take part, where that is known, else all that live are taken;
    `variables` gives such as have names already. With `training` there may be an optimizer from the start, with
    `every` each turn up to the one that is asked for gets a record: `last`.

    It watches between `start` and `stop`, in the thread that trains, and stops by itself when the record is there and
    in a forked process.
    """

    def __init__(
        self,
        turn: int,
        file: str,
        ended: Callable[[StepRecord], None],
        *,
        optimizers: Callable[[], Iterable[Optimizer]] | None = None,
        variables: Callable[[], Mapping[str, object]] = dict,
        training: bool = False,
        every: bool = False,
    ) -> None:
        self._turn = turn
        self._ended = ended
        self._optimizers = optimizers
        self._around = variables
        self._trains = training
        self._every = every
        self.last: StepRecord | None = None
        self._turns = Turns()
        self._frames: tuple[FrameType, ...] = ()
        self._unled: frozenset[int] = frozenset()
        self._session = Session(self._variables, keep=KEEP, file=file, unled=lambda: self._unled)
        self._session.whole_step = self._session.lists_intermediates = False
        self._session.tape.before_step()
        self._mode = _WatchMode(self._session.tape, self.hears)
        self._thread = threading.get_ident()
        self._process = os.getpid()
        self._hooks: list[RemovableHandle] = []
        self._first_forward: RemovableHandle | None = None
        self._listens = False
        self._telling = threading.RLock()
        self.over = False
        """Whether the record is made, or is being told why there is none."""
        self.optimizer_steps = 0
        self.before: StepRecord | None = None
        """The record of the turn before, where DistributedDataParallel may raise because of it."""

    @property
    def turns(self) -> int:
        """How many turns have ended."""
        return self._turns.made

    @property
    def moments(self) -> int:
        """Counts what has been recorded: it stays where the training stands."""
        return self._session.tape.flow.clock

    def fed_before(self) -> frozenset[str]:
        """The parameters that got a gradient in an earlier turn."""
        return frozenset(n for n, p in self._session.before.parameters.items() if id(p) in self._session.fed)

    def start(self) -> None:
        """Watches this thread from here on."""
        self._hooks.append(register_optimizer_step_post_hook(self._stepped))
        self._first_forward = register_module_forward_pre_hook(self._forward)
        self._mode.__enter__()
        self._listens = True
        itself = weakref.ref(self)  # what is registered stays so for good
        os.register_at_fork(after_in_child=lambda: watch.stop() if (watch := itself()) else None)

    def stop(self) -> None:
        """Leaves torch as it was before `start`."""
        if not self._hooks:
            return
        self._listens = False
        for hook in (*self._hooks, self._first_forward):
            if hook is not None:
                hook.remove()
        self._hooks, self._first_forward = [], None
        run_eagerly.__exit__(None, None, None)
        if threading.get_ident() == self._thread:  # in another thread it stays, and lets every call go by
            take_off_the_stack(self._mode)
            at_the_reader.__exit__(None, None, None)
        if os.getpid() == self._process:
            self._session.tape.release()

    def begin(self) -> None:
        """The first turn begins here, whatever is computed next."""
        if self._listens and not self._session.tape.in_step:
            self._begin()

    def finish(self) -> StepRecord | None:
        """The record of a training that ended before its turn had: what there is of that turn, or else the turn before.

        None where nothing was computed.
        """
        session = self._session
        if not self._listens:
            return None
        record = self.last
        if record is None and session.tape.in_step:
            with self._aside(()):
                session.end_of_block()
                record = diagnose(session)
        self.stop()
        return record

    def failed(self, error: Exception) -> StepRecord | None:
        """The record of a training that raised before its turn had ended; None where there is no step to report."""
        session = self._session
        with self._telling:
            self.over = True
        if not self._listens:
            return None
        with self._aside(frames_of(error.__traceback__)):
            begun, runs = session.tape.in_step, session.tape.backwards
            inside: Literal["step", "backward"] = "backward" if runs and not runs[-1].finished else "step"
            session.note_error(error, inside if begun else "load")
            if not begun:
                session.before = session.names()
            session.end_of_block()
            record = diagnose(session)
        self.stop()
        explained = any(finding.text.startswith(f"{type(error).__name__}: ") for finding in record.findings)
        return record if begun or explained else None

    def so_far(self, frames: tuple[FrameType, ...]) -> StepRecord | None:
        """The record of a turn that comes to no end, since its thread stands in `frames`; None where none has begun.

        It is made in another thread. What the gradients came to is known; why others did not come is not, so nothing
        is accused.
        """
        session = self._session
        with self._telling:
            if self.over or not self._listens or not session.tape.in_step:
                return None
            with self._aside(frames):
                for run in session.tape.backwards:
                    if not run.finished:
                        run.settle(session.tape.flow)
                session.end_of_block()
                record = diagnose(session)
            self._listens = False
        parameters = tuple(
            p if p.state == "gradient" else p._replace(reason=NOT_YET) for p in record.parameters
        )
        return replace(record, parameters=parameters, cuts=(), findings=(), notes=(), verdict=NOT_YET)

    def hears(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call is to be recorded; a first one of the reader's own may begin the first turn."""
        run_eagerly.look_again()
        if not self._listens or self._session.tape.in_step:
            return self._listens
        if self._training() and torch.is_grad_enabled() and computes(name, args):
            passed = find_caller().passed
            if passed & Passed.READER and not passed & Passed.OPTIMIZER:
                self._begin()
                return True
        return may_lose_a_gradient(name, args, kwargs)

    def _training(self) -> bool:
        """Whether there is an optimizer yet: what is computed from now on is for a step."""
        return self._trains or bool(self._session.tape.taken)

    def _forward(self, module: nn.Module, inputs: object) -> None:
        run_eagerly.look_again()
        if not self._listens or self._session.tape.in_step or threading.get_ident() != self._thread:
            return
        # Gradients may be off by mistake; before there is an optimizer, or in eval mode, they are off on purpose.
        if torch.is_grad_enabled() or (module.training and self._training()):
            self._begin()

    def _begin(self) -> None:
        """The next turn begins here."""
        if self._first_forward is not None:
            self._first_forward.remove()
            self._first_forward = None
        frames = frames_around(outside())
        with self._aside(frames):
            if frames and not self._session.file:
                self._session.file = frames[0].f_code.co_filename
            self._session.calls_made = self._turns.made
            self._session.begin()

    def _stepped(self, optimizer: Optimizer, args: object, kwargs: object) -> None:
        if self._listens:
            record = self._record_at(optimizer)
            if record is not None:
                self.stop()
                self._ended(record)

    def _record_at(self, optimizer: Optimizer) -> StepRecord | None:
        """An optimizer has stepped: the record, if that ends the turn that was asked for."""
        self.optimizer_steps += 1
        self._session.know(optimizer)
        moment = self._turns.step(id(optimizer), self._taking_part())
        if threading.get_ident() != self._thread:
            self._move_here()
        if self._session.tape.in_step and (moment is Moment.END or (moment is Moment.AGAIN and self._every)):
            with self._telling:
                self.over = self._turns.made >= self._turn
            with self._aside(frames_around(outside())):
                self._session.end_of_block()
                done, misses = self._turns.made >= self._turn, misses_a_gradient(self._session)
                record = diagnose(self._session) if done or misses or self._every else None
                if done:
                    self.last = record
                    return record
                self.before = record if misses else None
                self.last = record if self._every else None
        if moment is not Moment.WITHIN:
            self._begin()
        return None

    def _taking_part(self) -> Iterator[int]:
        """The optimizers of the training. A player of a game may be frozen while the other's turn is."""
        if self._optimizers is not None:
            yield from (id(inside_of(one)) for one in self._optimizers())
            return
        tape = self._session.tape
        switched_off = {
            id(event.tensor)
            for event in tape.events
            if event.kind == "freeze" and event.number > tape.taken.get(id(event.tensor), event.number)
        }
        yield from (id(one) for one in living_optimizers(switched_off))

    def _move_here(self) -> None:
        """The training runs in another thread than the one that built it: from now on that one is watched."""
        self._thread = threading.get_ident()
        self._mode = _WatchMode(self._session.tape, self.hears)
        self._mode.__enter__()

    @contextmanager
    def _aside(self, frames: tuple[FrameType, ...]) -> Iterator[None]:
        """While the recorder itself computes: its calls are not recorded, and names come from these frames."""
        self._listens, self._frames = False, frames
        try:
            yield
        finally:
            self._listens, self._frames = True, ()

    def _variables(self) -> Mapping[str, object]:
        around = self._around()
        if not self._frames and not around:
            return {}
        found = {**around, **variables_in(self._frames)}
        optimizers = living_optimizers() if self._optimizers is None else self._optimizers()
        owning = owners(optimizers, read_names(found).tensors)
        self._unled = frozenset(map(id, read_names(owning).parameters.values()))
        return found | owning


class _WatchMode(CallMode):
    """Sends through the tape what the watch wants to hear."""

    def __init__(self, tape: Tape, hears: Callable[[str, tuple[Any, ...], dict[str, Any]], bool]) -> None:
        super().__init__(tape)
        self._hears = hears

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if not self._hears(func.__name__, args, given):
            return func(*args, **given)
        return see(self._tape, func, args, given)
