"""Warnings of torch stand at the line that they stand at without a recording.

Torch warns at the innermost Python frame, or at the one that called it: while a call goes through the recorder that is
a frame of the recorder's. Such a warning is given anew at the frame that made the call, where Python's filters and its
"once for each line" apply to it as ever.
"""

from __future__ import annotations

import sys
import threading
import warnings
from types import FrameType
from typing import Any, Self

from .frames import Passed, judged

_SHOW = "_showwarnmsg"
"""What every warning that passes the filters goes through; without it warnings stand at the recorder's lines."""


class _AtTheReader:
    """Looks through the warnings for as long as any recording is on."""

    def __init__(self) -> None:
        self._lock, self._recordings = threading.Lock(), 0
        self._show: Any = None

    def __enter__(self) -> Self:
        with self._lock:
            self._recordings += 1
            # Not `showwarning`: that is the reader's to replace, and `catch_warnings` puts it aside.
            if self._recordings == 1 and hasattr(warnings, _SHOW):
                self._show = getattr(warnings, _SHOW)
                setattr(warnings, _SHOW, self._told)
        return self

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._recordings -= 1
            if not self._recordings and getattr(warnings, _SHOW, None) == self._told:
                setattr(warnings, _SHOW, self._show)

    def _told(self, said: warnings.WarningMessage) -> None:
        ours = _frame_of(said)
        there = _caller_of(ours) if ours is not None else None
        if ours is None or there is None:
            self._show(said)
            return
        # That it was said is noted at our frame, where the next one may be another line's.
        ours.f_globals.get("__warningregistry__", {}).clear()
        getattr(warnings, "onceregistry", {}).pop((str(said.message), said.category), None)
        warnings.warn_explicit(
            said.message, said.category, there.f_code.co_filename, there.f_lineno,
            module=there.f_globals.get("__name__"), registry=there.f_globals.setdefault("__warningregistry__", {}),
            source=said.source,
        )  # fmt: skip


def _frame_of(said: warnings.WarningMessage) -> FrameType | None:
    """The recorder's frame at which a warning is given, if it is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == said.filename and frame.f_lineno == said.lineno:
            return frame if judged(frame) & Passed.RECORDER else None
        frame = frame.f_back
    return None


def _caller_of(ours: FrameType) -> FrameType | None:
    """The frame that made the call which went through the recorder.

    A function of torch's that is written in Python hands itself over, and would not stand between.
    """
    frame: FrameType | None = ours
    while frame is not None and judged(frame) & Passed.RECORDER:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name == "handle_torch_function":
        frame = frame.f_back.f_back if frame.f_back is not None else None
    return frame


at_the_reader = _AtTheReader()
