"""Records a step in the middle of a training script: everything between the `with` and its end.

with recording(optimizer=optimizer) as recorded:
    loss = criterion(model(x), y)
    loss.backward()
print(recorded.report)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FrameType, ModuleType, TracebackType
from typing import Self

from torch.optim import Optimizer

from .capture.arguments import check_constants, constants_in, optimizers_in
from .capture.frames import outside
from .capture.mode import CallMode
from .capture.reading import behind
from .capture.session import KEEP, Session
from .capture.source_text import grads_read_after
from .diagnosis import diagnose
from .report import StepRecord


class recording:  # noqa: N801 (a context manager, named like those of the standard library)
    """Records its block. An exception in the block propagates as usual; the report says what it was.

    `names`, `optimizer`, `keep` and `expect_constant` are those of `record_step`; without `names` the variables of
    the code around the block are taken. One object can be used in every iteration of a loop: the report is about the last
    one, and knows which variables grew from one to the next.
    """

    def __init__(
        self,
        *,
        names: Mapping[str, object] | None = None,
        optimizer: Optimizer | Iterable[Optimizer] | None = None,
        keep: int = KEEP,
        expect_constant: Iterable[str] = (),
    ) -> None:
        self._names = names
        self._optimizers = optimizers_in(optimizer)
        self._keep = keep
        self._constant = constants_in(expect_constant)
        self._frame: FrameType | None = None
        self._session: Session | None = None
        self._mode: CallMode | None = None
        self._report: StepRecord | None = None

    def __enter__(self) -> Self:
        self._frame = frame = outside()
        if self._session is None:
            file, line = frame.f_code.co_filename, frame.f_lineno
            self._session = Session(
                self._variables, self._optimizers, self._keep, self._constant, file, line=line
            )
        self._session.raised = None
        self._session.whole_step = False
        self._session.begin()
        check_constants(self._constant, self._session.before, self._coming())
        self._session.read_later = grads_read_after(frame.f_code, frame.f_lineno)
        self._mode = CallMode(self._session.tape)
        self._mode.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, mode = self._session, self._mode
        if session is None or mode is None:
            return
        mode.__exit__(kind, error, trace)
        runs = session.tape.backwards
        if isinstance(error, Exception):
            session.note_error(error, "backward" if runs and not runs[-1].finished else "step")
        session.end_of_block()
        self._report = diagnose(session)
        if self._constant and error is None:
            check_constants(self._constant, session.names())
        self._frame = None

    @property
    def report(self) -> StepRecord:
        """The record of the block; raises RuntimeError before the block has ended."""
        if self._report is None:
            raise RuntimeError("The report is ready once the `with recording(...)` block has ended.")
        return self._report

    def _coming(self) -> set[str]:
        """The variables that the block may be about to make: a name that is none of them is wrong already."""
        if self._names is not None or self._frame is None:
            return set()
        code = self._frame.f_code
        return {*code.co_names, *code.co_varnames, *code.co_cellvars}

    def _variables(self) -> dict[str, object]:
        if self._names is not None:
            return dict(self._names)
        frame = self._frame
        if frame is None:
            return {}
        used = set(frame.f_code.co_names)
        found = {k: v for k, v in frame.f_globals.items() if k in used}
        found.update(frame.f_locals)
        return {
            k: v
            for k, v in ((k, behind(v)) for k, v in found.items())
            if not k.startswith("__") and not isinstance(v, ModuleType | type | recording)
        }
