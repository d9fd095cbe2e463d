"""Where in the reader's code a call was made, and what stood between that line and torch.

The stack is walked from the call outwards. The first frame that is neither torch's, nor this recorder's, nor the
standard library's, nor an installed package's, nor made by one of these (see `generated`) is the reader's line. On
the way the walk notes what it passes: a `deepcopy`, a checkpoint, an optimizer's step, the `forward` of a module or
of a custom `Function`. Each code object is judged once and remembered, so that a walk costs a dictionary look-up a frame.
"""

from __future__ import annotations

import linecache
import os
import site
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache, partial
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy
import torch
from torch import nn
from torch.distributions import Distribution
from torch.optim import Optimizer

from ..record import Location
from .cells import shown_name
from .generated import is_generated
from .reading import behind
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
    STANDARD = 512
    COMPILED = 1024
    SCALER = 2048
    INSTALLED = 4096
    """A package that is neither torch nor the standard library: what happens there is not the reader's to mend."""


class Line(NamedTuple):
    """A line of code, not yet read from its file."""

    file: str
    line: int

    def location(self) -> Location:
        """The line with its text."""
        return Location(shown_name(self.file), self.line, linecache.getline(self.file, self.line).strip())


@dataclass(slots=True)
class Caller:
    """The reader's line that a call comes from, and what lay between."""

    line: Line | None
    passed: int
    module: nn.Module | None
    frame: FrameType | None
    decorated: CodeType | None
    """The reader's function whose decorator made the call."""


_TORCH = os.path.dirname(torch.__file__) + os.sep
_RECORDER = os.path.dirname(os.path.dirname(__file__)) + os.sep
_ENGINE = os.path.dirname(os.path.dirname(_RECORDER))
_OURS = (
    _RECORDER,
    *(os.path.join(_ENGINE, one) for one in (f"running{os.sep}", f"integrations{os.sep}", "testing.py")),
)
"""Where code of this package stands that calls the recorder and is nobody's step."""
_STANDARD = tuple({os.path.join(sysconfig.get_path(path), "") for path in ("stdlib", "platstdlib")})
_INSTALLED = ("site-packages", "dist-packages")
_PACKAGES = tuple(
    {
        os.path.join(path, "")
        for path in (
            sysconfig.get_path("purelib"),
            sysconfig.get_path("platlib"),
            os.path.dirname(os.path.dirname(numpy.__file__)),
            *site.getsitepackages(),
        )
    }
)
_JUDGED: dict[int, int] = {}
"""By the `id` of a code object: hashing code is slow."""
_OWN: set[int] = set()
"""The `id`s of the recorder's own code objects."""
_LINES: dict[tuple[int, int], Line] = {}
"""By the `id` of a code object and a number: the line, of which thousands of calls may come."""
_KEPT: list[CodeType] = []
"""The code objects that were judged, so that each stays the only one with its id."""


def judged(frame: FrameType) -> int:
    """What a frame is, as `Passed` flags."""
    return _judged(frame.f_code, frame.f_globals)


def _judged(code: CodeType, scope: dict[str, Any]) -> int:
    found = _JUDGED.get(id(code))
    if found is None:
        if len(_JUDGED) > 50_000:  # code compiled again and again must not pile up here
            _JUDGED.clear()
            _OWN.clear()
            _LINES.clear()
            _KEPT.clear()
        _KEPT.append(code)
        found = _JUDGED[id(code)] = _judge(code, scope)
        if found & Passed.RECORDER:
            _OWN.add(id(code))
    return found


def _judge(code: CodeType, scope: dict[str, Any]) -> int:
    file, name = code.co_filename, code.co_name
    flags = Passed.FORWARD if name == "forward" and code.co_argcount else Passed.NOTHING
    if name in ("deepcopy", "__deepcopy__"):
        flags |= Passed.DEEPCOPY
    if file.startswith(_OURS):
        return flags | Passed.RECORDER
    if file.startswith(_TORCH):
        inside = file[len(_TORCH) :].replace(os.sep, "/")
        if inside.startswith("optim/"):
            flags |= Passed.OPTIMIZER
        elif inside.startswith("distributions/"):
            flags |= Passed.DISTRIBUTION
        elif inside == "utils/checkpoint.py":
            flags |= Passed.CHECKPOINT
        elif inside == "amp/grad_scaler.py":
            flags |= Passed.SCALER
        elif inside == "utils/_contextlib.py" and name == "decorate_context":
            flags |= Passed.DECORATOR
        elif inside == "_dynamo/eval_frame.py" and code.co_qualname.startswith(
            "_TorchDynamoContext.__call__."
        ):
            flags |= Passed.COMPILED
        return flags
    if _is_installed(file):
        return flags | Passed.PACKAGE | Passed.INSTALLED
    if file.startswith((*_STANDARD, "<frozen")):
        return flags | Passed.PACKAGE | Passed.STANDARD
    if is_generated(file, scope, _is_installed):
        return flags | Passed.PACKAGE | Passed.STANDARD
    return flags | Passed.READER


def _line(code: CodeType, number: int) -> Line:
    found = _LINES.get((id(code), number))
    if found is None:
        found = _LINES[id(code), number] = Line(code.co_filename, number)
    return found


def _is_installed(file: str) -> bool:
    return file.startswith(_PACKAGES) or any(f"{os.sep}{one}{os.sep}" in file for one in _INSTALLED)


@lru_cache(1_000)
def of_a_package(module: str) -> bool:
    """Whether a module is an installed package's, or this one's."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and (_is_installed(file) or file.startswith(_OURS))


def outside() -> FrameType:
    """The innermost frame that is not the recorder's: whoever made the call that is being noted."""
    frame, own = sys._getframe(), _OWN
    while True:
        while id(frame.f_code) in own:
            frame = frame.f_back  # type: ignore[assignment]  # somebody has called the recorder
        if id(frame.f_code) in _JUDGED or not judged(frame) & Passed.RECORDER:
            return frame


def method_of_a_function(inner: FrameType, outer: FrameType | None) -> str:
    """The name of the reader's method that torch runs for a custom `Function`: `forward` or `backward`, else ""."""
    if outer is None or outer.f_code.co_name != "apply" or not judged(inner) & Passed.READER:
        return ""
    inside = outer.f_code.co_filename.replace(os.sep, "/")
    return inner.f_code.co_name if inside.endswith("torch/autograd/function.py") else ""


def function_around() -> tuple[Any, Line | None] | None:
    """The custom `Function` in whose `forward` the stack stands, and the reader's line that applied it."""
    frame: FrameType | None = outside()
    while frame is not None:
        flags = judged(frame)
        if flags & Passed.RECORDER:
            return None
        if flags & Passed.FORWARD:
            owner = frame.f_locals.get(frame.f_code.co_varnames[0])
            if isinstance(owner, FunctionNode):
                return owner, find_caller(frame.f_back).line
        frame = frame.f_back
    return None


def has_rsample() -> bool:
    """Whether the distribution that makes a call, the outermost where one is made of others, has an `rsample()`."""
    frame: FrameType | None = outside()
    found = False
    while frame is not None and not judged(frame) & Passed.READER:
        owner = frame.f_locals.get("self")
        found = owner.has_rsample if isinstance(owner, Distribution) else found
        frame = frame.f_back
    return found


def find_caller(start: FrameType | None = None) -> Caller:
    """Walks outwards, from `start` or else from the call that is being noted, to the reader's line and the nearest
    `forward`."""
    frame: FrameType | None = outside() if start is None else start
    line: Line | None = None
    reader: FrameType | None = None
    module: nn.Module | None = None
    decorated: CodeType | None = None
    fallback: Line | None = None
    passed = 0
    packages: list[FrameType] = []
    known = _JUDGED
    while frame is not None:
        try:
            flags = known[id(frame.f_code)]
        except KeyError:
            flags = judged(frame)
        if flags:  # most frames are calls of modules; written with numbers, since this runs for every call
            code = frame.f_code
            if reader is None:
                if flags & 32 and not passed & 32 and not _is_its_own(frame, passed, packages):
                    flags &= ~32
                passed |= flags
                if flags & 1:
                    reader, line = frame, _line(code, frame.f_lineno)
                elif flags & 128 and decorated is None:
                    decorated = _readers_function(frame.f_locals.get("func"))
                elif flags & 2:
                    if not flags & 512:
                        packages.append(frame)
                    if fallback is None or fallback.file[:1] == "<":
                        fallback = _line(code, frame.f_lineno)
            if flags & 4 and module is None:
                owner = frame.f_locals.get(code.co_varnames[0])
                module = owner if isinstance(owner, nn.Module) else None
            if reader is not None and (module is not None or flags & 256):
                break  # what called the recorder is not part of the step
        frame = frame.f_back
    return Caller(line or fallback, passed, module, reader, decorated)


def _readers_function(function: object) -> CodeType | None:
    code, scope = getattr(function, "__code__", None), getattr(function, "__globals__", None)
    return code if code is not None and scope is not None and _judged(code, scope) & Passed.READER else None


def _is_its_own(frame: FrameType, passed: int, packages: list[FrameType]) -> bool:
    """Whether a call that came out to a frame of `torch.optim` is the optimizer's own.

    It is not where a `forward` lies between, nor where an installed package does that the optimizer has called back:
    a closure. An optimizer that such a package has written itself counts as one of torch's.
    """
    if passed & Passed.FORWARD:
        return False
    inner: FrameType | None = None
    for outer in packages:
        code = outer.f_code
        owner = outer.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(behind(owner), Optimizer):
            return inner is None or inner.f_code is not _code_of(outer.f_locals.get("closure"))
        inner = outer
    return inner is None


def _code_of(function: object) -> object:
    """The code that runs when a function is called: behind decorators, `partial`, a method or an object's `__call__`."""
    try:
        while True:
            inner = function.func if isinstance(function, partial) else getattr(function, "__wrapped__", None)
            if inner is None:
                break
            function = inner
        function = getattr(function, "__func__", function)
        return getattr(function, "__code__", None) or type(function).__call__.__code__
    except Exception:  # what is called there is none, or an object that raises when it is asked
        return None
