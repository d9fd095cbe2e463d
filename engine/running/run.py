"""Runs a program with one of its optimizer steps recorded: `detach-lab run train.py its arguments`.

The program runs in this process, as it is. When its step has ended, the report goes to `tell`, and the program ends,
or goes on where that was asked for. If the program ends without such a step, one sentence says so.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from ..forms import flush_output
from ..text import first_line
from ..tracebacks import without_ours
from .after_import import after_import
from .program import Program, ProgramError, program_from_file, program_from_module
from .ranks import Lookout, Ranks, ranks_of_this_job, several_ranks

if TYPE_CHECKING:
    from ..recorder import StepRecord
    from ..recorder.ranks import RankReport, Why
    from ..recorder.watch import StepWatch

_PATIENCE = 3
_INTERRUPTED = 128 + signal.SIGINT
"""The exit status that shells give a program which Ctrl-C has ended."""


class Outcome(NamedTuple):
    """What became of a program: the exit status, and the sentence where there is one."""

    status: int
    sentence: str = ""


class StepRecorded(BaseException):
    """Ends a program whose step has been recorded. No `Exception`, so that a program's own handlers let it through."""


@dataclass(frozen=True)
class _End:
    """How a program ended."""

    code: int | str | None = 0
    """What it gave `sys.exit`."""
    error: Exception | None = None
    interrupted: bool = False


@dataclass
class _Run:
    """One run of a program, as it goes on."""

    name: str
    step: int
    keep_going: bool
    tell: Callable[[StepRecord], None]
    leave: Callable[[Outcome], NoReturn]
    process: int = field(default_factory=os.getpid)
    watch: StepWatch | None = None
    record: StepRecord | None = None
    told: bool = False
    swallowed: int = 0
    """How often the program has caught the exception that was to end it, and continued to another step."""
    ranks: Ranks | None = None
    lookout: Lookout | None = None
    reports: list[RankReport] = field(default_factory=list)
    ended: bool = False
    """Whether the program has ended: who imports torch now is not the program."""

    def watch_torch(self) -> None:
        """Torch has been imported: its optimizers are watched from now on."""
        if self.ended:
            return
        from ..recorder.watch import StepWatch

        self.watch = watch = StepWatch(self.step, self.name, self.recorded)
        self.watch.start()
        self.ranks = ranks_of_this_job(hear=not self.keep_going)
        if self.ranks is not None:
            self.lookout = Lookout(self.ranks, lambda: watch.moments, self.stuck)
            self.lookout.start()

    def recorded(self, record: StepRecord) -> None:
        """The step has ended."""
        self.record = record
        if self.ranks is not None:
            self.meet(self.ranks, self.report(_End(), self.ranks.rank))
        if self.keep_going:
            self.tell_once()
            return
        if threading.current_thread() is not threading.main_thread():
            _thread.interrupt_main()  # the program's main thread may be waiting for this one
            raise SystemExit  # ends a thread without a word
        from torch.optim.optimizer import register_optimizer_step_post_hook

        register_optimizer_step_post_hook(self.stepped_again)
        raise StepRecorded

    def stepped_again(self, *_: object) -> None:
        """A program that went on, since it catches whatever comes, is told once more, and then ended at once."""
        self.swallowed += 1
        if self.swallowed < _PATIENCE:
            raise StepRecorded
        flush_output()
        if self.ranks is not None:
            self.leave(_of_all(self, self.ranks, _End()))
        self.tell_once()
        self.leave(_outcome(self, _End()))

    def tell_once(self) -> None:
        """Reports the record, once, if there is one; of several ranks only one does."""
        if self.ranks is not None:
            if not self.tells:
                return
            from ..recorder.ranks import merged

            self.record = merged(self.reports, self.ranks.size) if not self.told else self.record
        if self.record is not None and not self.told:
            self.tell(self.record)
            self.told = True
        if self.ranks is not None:
            self.ranks.told()

    @property
    def tells(self) -> bool:
        """Whether this rank reports for all: the first, or the first that has left a report."""
        return self.ranks is not None and self.ranks.rank == min(
            (one.rank for one in self.reports), default=-1
        )

    def meet(self, ranks: Ranks, report: RankReport) -> None:
        """Leaves this rank's report and waits for those of the others: who ends now breaks off what they are in."""
        if not ranks.leave(report) and self.lookout is not None and not self.keep_going:
            self.lookout.join()  # it has told of this rank, and ends it
        if not self.keep_going or not ranks.rank:
            self.reports = ranks.gather()

    def stuck(self, frame: FrameType, why: Why, handles: BaseException | None) -> None:
        """This rank does not finish its step: reports what was seen, from another thread."""
        ranks, watch = self.ranks, self.watch
        if ranks is None or watch is None:
            return
        from ..recorder.ranks import standing_report

        report = standing_report(ranks.rank, watch, frame, why, handles)
        if watch.over or not ranks.leave(report):  # it has moved after all, and tells of itself
            return
        if not self.keep_going:
            self.reports = ranks.gather()
            flush_output()
            self.leave(_of_all(self, ranks, _End()))
        elif not ranks.rank:
            self.reports = ranks.gather()
            self.tell_once()

    def report(self, end: _End, rank: int) -> RankReport:
        """What this rank has to say."""
        from ..recorder.ranks import RankReport, short

        record = self.record
        if record is None or self.watch is None:
            return RankReport(rank, "ended" if end.error is None else "raised", _why_nothing(self, end))
        if record.raised is not None:
            said = f"raised {short(record.raised)}"
            return RankReport(rank, "raised", said, record, self.watch.before, record.raised.location)
        fed = self.watch.fed_before()
        return RankReport(rank, "recorded", f"reached the end of step {self.step}", record, fed_before=fed)


def run(
    target: str,
    arguments: Sequence[str],
    *,
    is_module: bool = False,
    step: int = 2,
    keep_going: bool = False,
    tell: Callable[[StepRecord], None],
    leave: Callable[[Outcome], NoReturn],
) -> Outcome:
    """Runs the file `target` (with `is_module` the module) and reports its step number `step`, from 1.

    Exit status 0: nothing is starved by accident; 1: something is; 2: there is no step to report, and the sentence
    says why. A program that goes on keeps its own exit status, where that is not 0.

    Of the ranks of a distributed job the first reports for all and has the exit status; the others end with 0, for
    torchrun ends all as soon as one fails. `leave` ends the process where the program hangs.
    """
    here = _Run(target, step, keep_going, tell, leave)
    after_import("torch", here.watch_torch)
    try:
        program = program_from_module(target) if is_module else program_from_file(target)
    except ProgramError as error:
        return Outcome(2, str(error))
    ended = _end_of(program, arguments, here)
    here.ended = True
    if (
        os.getpid() != here.process
    ):  # a forked child that came to the program's end: it is no report's business
        sys.exit(ended.code)
    flush_output()
    if several_ranks() and not ended.interrupted:
        here.ranks = here.ranks or ranks_of_this_job(hear=not keep_going)
        if here.ranks is not None:
            if not here.ranks.left or (not here.keep_going and not here.reports):
                here.meet(here.ranks, here.report(ended, here.ranks.rank))
            return _of_all(here, here.ranks, ended)
    here.tell_once()
    return _outcome(here, ended)


def _end_of(program: Program, arguments: Sequence[str], here: _Run) -> _End:
    """Runs the program; an exception of its own is printed as Python does, unless the report shows it."""
    try:
        program.run(arguments)
    except StepRecorded:
        return _End()
    except SystemExit as end:
        return _End(code=end.code)
    except KeyboardInterrupt:
        return _End(interrupted=here.keep_going or here.record is None)
    except BaseException as error:
        error = error.with_traceback(without_ours(error.__traceback__))
        if isinstance(error, Exception) and here.watch is not None and here.record is None:
            here.record = here.watch.failed(error)
        if here.record is None or here.told or not here.record.ran:
            sys.excepthook(type(error), error, error.__traceback__)
        return _End(code=1, error=error if isinstance(error, Exception) else None)
    return _End()


def _of_all(here: _Run, ranks: Ranks, end: _End) -> Outcome:
    """What became of the program on all ranks, as far as this one has to say it."""
    if not here.tells:
        if here.keep_going and end.code not in (0, None):
            ranks.wait_until_told()
            return _own(end)
        return Outcome(0)
    here.tell_once()
    if here.record is None:
        said = dict.fromkeys(report.text for report in here.reports)
        if len(said) == 1:
            return Outcome(2, f"{here.name} {next(iter(said))}{_allowed(here)}.")
        return Outcome(2, " ".join(f"Rank {report.rank} {report.text}." for report in here.reports))
    return _outcome(here, end)


def _outcome(here: _Run, end: _End) -> Outcome:
    record = here.record
    if end.interrupted:
        return Outcome(2 if record is None else int(not record.ok) or _INTERRUPTED, "Interrupted.")
    if record is None:
        return Outcome(2, f"{here.name} {_why_nothing(here, end)}{_allowed(here)}.")
    if not record.ran:
        return Outcome(2, record.verdict)
    if not record.ok:
        return Outcome(1)
    return _own(end) if here.keep_going else Outcome(0)


def _own(end: _End) -> Outcome:
    """The program's own exit status."""
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
    return Outcome(end.code if isinstance(end.code, int) else int(end.code is not None))


def _why_nothing(here: _Run, end: _End) -> str:
    """Why there is no record, as a sentence that goes on after the program's name."""
    watch = here.watch
    how = "ended"
    if end.error is not None:
        how = f"raised {type(end.error).__name__}"
    elif end.code not in (0, None):
        how = (
            f"exited ({first_line(end.code, 'no message')})"
            if isinstance(end.code, str)
            else f"exited with status {end.code}"
        )
    if watch is None:
        return f"{how} and never imported torch, so there is no step to record"
    if not watch.optimizer_steps:
        return f"{how} without calling step() on a torch.optim optimizer in this process, so there is no step to record"
    return (
        f"{how} after {watch.turns} optimizer step{'' if watch.turns == 1 else 's'}, before step {here.step}"
    )


def _allowed(here: _Run) -> str:
    """Which steps could have been recorded, where there were some."""
    watch = here.watch
    if watch is None or not watch.optimizer_steps:
        return ""
    return (
        f": --step can be 1 to {watch.turns}"
        if watch.turns
        else ": its optimizers did not complete a round of steps"
    )
