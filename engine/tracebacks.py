"""Tracebacks as they are without us."""

from __future__ import annotations

import os
from types import TracebackType

_PACKAGE = os.path.join(os.path.dirname(__file__), "")
_HANDED_ON = os.path.join("torch", "overrides.py")


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package, and those by which torch hands a call to it.

    Torch's function that hands a call on is called again from here: it stands there once, as it does without us.
    """
    if trace is None:
        return None
    inner, file = without_ours(trace.tb_next), trace.tb_frame.f_code.co_filename
    if file.startswith(_PACKAGE) or file.endswith(_HANDED_ON):
        return inner
    between = inner is not None and trace.tb_next is not None and trace.tb_next.tb_frame is not inner.tb_frame
    if inner is not None and between and inner.tb_frame.f_code is trace.tb_frame.f_code:
        return inner
    return TracebackType(inner, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
