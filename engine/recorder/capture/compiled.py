"""Code under `torch.compile`: the recorder has it run eagerly, and the report says so."""

from __future__ import annotations

from types import FrameType

from .frames import Passed, judged
from .tape import Tape


def look_for_compiled(tape: Tape, passed: int, frame: FrameType | None) -> None:
    """Notes whether what `torch.compile` gave stands between a call and the reader's frame, or around that.

    The answer is the same for one piece of code called from one other, so that each such pair is looked at once.
    """
    if passed & Passed.COMPILED:
        tape.saw_compiled()
        return
    if frame is None:
        return
    pair = (id(frame.f_code), id(frame.f_back.f_code) if frame.f_back is not None else 0)
    if tape.has_looked(pair):
        return
    around: FrameType | None = frame
    while around is not None:
        flags = judged(around)
        if flags & Passed.COMPILED:
            tape.saw_compiled()
        if flags & (Passed.COMPILED | Passed.RECORDER):
            return
        around = around.f_back
