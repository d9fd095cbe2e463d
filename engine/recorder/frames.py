"""Where in the reader's code a call was made, and what stood between that line and torch.

The stack is walked from the call outwards. The first frame that is neither torch's, nor this recorder's, nor the
standard library's, nor an installed package's is the reader's line. On the way the walk notes what it passes:
a `deepcopy`, a checkpoint, an optimizer's step, the `forward` of a module or of a custom `Function`.
Each code object is judged once and remembered, so that a walk costs a dictionary look-up a frame.
"""

from __future__ import annotations

import linecache
import os
import site
import sysconfig
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy
import torch
from torch import nn

from .records import Location
from .torch_private import FunctionNode


class Passed:
    """What one frame is, or what a walk went through before it came to the reader's line.

    Plain numbers, since they are asked for every call: the `&` of an enum is a call of its own.
    """

    NOTHING = 0
    READER = 1
    PACKAGE = 2
    FORWARD = 4
    DEEPCOPY = 8
    CHECKPOINT = 16
    OPTIMIZER = 32
    DISTRIBUTION = 64
    DECORATOR = 128
    RECORDER = 256


class Line(NamedTuple):
    """A line of code, not yet read from its file."""

    file: str
    line: int

    def location(self) -> Location:
        """The line with its text."""
        return Location(self.file, self.line, linecache.getline(self.file, self.line).strip())


@dataclass(slots=True)
class Caller:
    """The reader's line that a call comes from, and what lay between."""

    line: Line | None
    passed: int
    module: nn.Module | None
    frame: FrameType | None
    decorated: CodeType | None


_TORCH = os.path.dirname(torch.__file__) + os.sep
_RECORDER = os.path.dirname(__file__) + os.sep
_PACKAGES = tuple(
    {
        os.path.join(path, "")
        for path in (
            sysconfig.get_path("stdlib"),
            sysconfig.get_path("platstdlib"),
            sysconfig.get_path("purelib"),
            sysconfig.get_path("platlib"),
            os.path.dirname(os.path.dirname(numpy.__file__)),
            *site.getsitepackages(),
        )
    }
)
_JUDGED: dict[int, int] = {}
"""By the `id` of a code object: hashing code is slow."""
_KEPT: list[CodeType] = []
"""The code objects that were judged, so that each stays the only one with its id."""


def judged(code: CodeType) -> int:
    """What a frame that runs `code` is, as `Passed` flags."""
    found = _JUDGED.get(id(code))
    if found is None:
        if len(_JUDGED) > 50_000:  # code compiled again and again must not pile up here
            _JUDGED.clear()
            _KEPT.clear()
        _KEPT.append(code)
        found = _JUDGED[id(code)] = _judge(code)
    return found


def _judge(code: CodeType) -> int:
    file, name = code.co_filename, code.co_name
    flags = Passed.FORWARD if name == "forward" and code.co_argcount else Passed.NOTHING
    if name in ("deepcopy", "__deepcopy__"):
        flags |= Passed.DEEPCOPY
    if file.startswith(_RECORDER):
        return flags | Passed.RECORDER
    if file.startswith(_TORCH):
        inside = file[len(_TORCH) :].replace(os.sep, "/")
        if inside.startswith("optim/"):
            flags |= Passed.OPTIMIZER
        elif inside.startswith("distributions/"):
            flags |= Passed.DISTRIBUTION
        elif inside == "utils/checkpoint.py":
            flags |= Passed.CHECKPOINT
        elif inside == "utils/_contextlib.py" and name == "decorate_context":
            flags |= Passed.DECORATOR
        return flags
    if file.startswith(_PACKAGES) or file.startswith("<frozen"):
        return flags | Passed.PACKAGE
    return flags | Passed.READER


def function_around(frame: FrameType | None) -> tuple[Any, Line | None] | None:
    """The custom `Function` in whose `forward` the stack stands, and the reader's line that applied it."""
    while frame is not None:
        flags = judged(frame.f_code)
        if flags & Passed.RECORDER:
            return None
        if flags & Passed.FORWARD:
            owner = frame.f_locals.get(frame.f_code.co_varnames[0])
            if isinstance(owner, FunctionNode):
                return owner, find_caller(frame.f_back).line
        frame = frame.f_back
    return None


def find_caller(frame: FrameType | None) -> Caller:
    """Walks outwards from `frame` to the reader's line and to the nearest `forward`."""
    line: Line | None = None
    reader: FrameType | None = None
    module: nn.Module | None = None
    decorated: CodeType | None = None
    fallback: Line | None = None
    passed = 0
    while frame is not None:
        code = frame.f_code
        flags = _JUDGED.get(id(code))
        if flags is None:
            flags = judged(code)
        if flags:  # most frames are calls of modules; written with numbers, since this runs for every call
            if reader is None:
                passed |= flags
                if flags & 1:
                    reader, line = frame, Line(code.co_filename, frame.f_lineno)
                elif flags & 128 and decorated is None:
                    inner = frame.f_locals.get("func")
                    decorated = getattr(inner, "__code__", None)
                elif flags & 2 and fallback is None:
                    fallback = Line(code.co_filename, frame.f_lineno)
            if flags & 4 and module is None:
                owner = frame.f_locals.get(code.co_varnames[0])
                module = owner if isinstance(owner, nn.Module) else None
            if reader is not None and (module is not None or flags & 256):
                break  # what called the recorder is not part of the step
        frame = frame.f_back
    return Caller(line or fallback, passed, module, reader, decorated)
