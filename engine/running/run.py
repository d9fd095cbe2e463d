"""Runs a program with one of its optimizer steps recorded: `detach-lab run train.py its arguments`.

The program runs in this process, as it is. When its step has ended, the report goes to `tell`, and the program ends,
or goes on where that was asked for. A program that ends without such a step is told of in one sentence.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..text import first_line
from ..tracebacks import without_ours
from .after_import import after_import
from .program import Program, ProgramError, program_from_file, program_from_module

if TYPE_CHECKING:
    from ..recorder import StepRecord
    from ..recorder.watch import StepWatch


class Outcome(NamedTuple):
    """What became of a program: the exit status, and the sentence where there is one."""

    status: int
    sentence: str = ""


class StepRecorded(BaseException):
    """Ends a program whose step has been recorded. No `Exception`, so that a program's own handlers let it through."""


@dataclass
class _Run:
    """One run of a program, as it goes on."""

    name: str
    step: int
    keep_going: bool
    tell: Callable[[StepRecord], None]
    process: int = field(default_factory=os.getpid)
    watch: StepWatch | None = None
    record: StepRecord | None = None
    told: bool = False

    def watch_torch(self) -> None:
        """Torch has been imported: its optimizers are watched from now on."""
        from ..recorder.watch import StepWatch

        self.watch = StepWatch(self.step, self.name, self.recorded)
        self.watch.start()

    def recorded(self, record: StepRecord) -> None:
        """The step has ended."""
        self.record = record
        if self.keep_going:
            self.tell_once()
            return
        if threading.current_thread() is not threading.main_thread():
            _thread.interrupt_main()  # the program's main thread may be waiting for this one
            raise SystemExit  # ends a thread without a word
        raise StepRecorded

    def tell_once(self) -> None:
        """Tells of the record, if there is one that has not been told of."""
        if self.record is not None and not self.told:
            self.told = True
            self.tell(self.record)


def run(
    target: str,
    arguments: Sequence[str],
    *,
    is_module: bool = False,
    step: int = 2,
    keep_going: bool = False,
    tell: Callable[[StepRecord], None],
) -> Outcome:
    """Runs the file `target` (with `is_module` the module) and tells of its step number `step`, from 1.

    Exit status 0: nothing is starved by accident; 1: something is; 2: there is no step to tell of, and the sentence
    says why. A program that goes on keeps its own exit status, where that is not 0.
    """
    here = _Run(target, step, keep_going, tell)
    after_import("torch", here.watch_torch)
    try:
        program = program_from_module(target) if is_module else program_from_file(target)
    except ProgramError as error:
        return Outcome(2, str(error))
    ended = _end_of(program, arguments, here)
    if (
        os.getpid() != here.process
    ):  # a forked child that came to the program's end: it is no report's business
        sys.exit(ended.code)
    sys.stdout.flush()
    here.tell_once()
    return _outcome(here, ended)


@dataclass(frozen=True)
class _End:
    """How a program ended."""

    code: int | str | None = 0
    """What it gave `sys.exit`."""
    error: Exception | None = None
    interrupted: bool = False


def _end_of(program: Program, arguments: Sequence[str], here: _Run) -> _End:
    """Runs the program; an exception of its own is printed as Python does, unless the report tells of it."""
    try:
        program.run(arguments)
    except StepRecorded:
        return _End()
    except SystemExit as end:
        return _End(code=end.code)
    except KeyboardInterrupt:
        return _End(interrupted=here.record is None)
    except BaseException as error:
        error = error.with_traceback(without_ours(error.__traceback__))
        if isinstance(error, Exception) and here.watch is not None and here.record is None:
            here.record = here.watch.failed(error)
        if here.record is None or here.told or not here.record.ran:
            sys.excepthook(type(error), error, error.__traceback__)
        return _End(code=1, error=error if isinstance(error, Exception) else None)
    return _End()


def _outcome(here: _Run, end: _End) -> Outcome:
    record = here.record
    if end.interrupted:
        return Outcome(2, "Interrupted.")
    if record is None:
        return Outcome(2, _why_nothing(here, end))
    if not record.ran:
        return Outcome(2, record.verdict)
    if not record.ok:
        return Outcome(1)
    own = end.code if here.keep_going else 0
    if isinstance(own, str):
        print(own, file=sys.stderr)
    return Outcome(own if isinstance(own, int) else int(own is not None))


def _why_nothing(here: _Run, end: _End) -> str:
    name, watch = here.name, here.watch
    how = "ended"
    if end.error is not None:
        how = f"raised {type(end.error).__name__}"
    elif end.code not in (0, None):
        how = (
            f"ended itself ({first_line(end.code, 'no message')})"
            if isinstance(end.code, str)
            else f"ended itself with exit status {end.code}"
        )
    if watch is None:
        return f"{name} {how} and never imported torch, so there is no step to record."
    if not watch.optimizer_steps:
        return f"{name} {how} without a step() of any torch.optim optimizer in this process, so there is no step to record."
    made = watch.turns
    steps = f"{made} optimizer step{'' if made == 1 else 's'}"
    allowed = f"--step can be 1 to {made}" if made else "no turn of its optimizers was complete"
    return f"{name} {how} after {steps}, before step {here.step}: {allowed}."
