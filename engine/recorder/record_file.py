"""Records a whole file that defines `step()`: its module-level names are the reader's names.

The file runs under the tape as well, since a gradient can be lost before the step begins: a parameter made of a
detached weight, a leaf that a cast turned into a computed tensor, an embedding that is frozen by default.
"""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType

from ..text import first_line
from .capture.arguments import constants_in, no_plain_function
from .capture.mode import CallMode
from .capture.names import variables_of
from .capture.reading import behind
from .capture.session import KEEP, Session
from .diagnosis import diagnose
from .report import StepRecord


class ScriptError(Exception):
    """The file can't be recorded; the message is one sentence that says why."""


def record_file(
    path: str, calls: int = 1, keep: int = KEEP, expect_constant: Iterable[str] = ()
) -> StepRecord:
    """Runs the file, then its `step()` `calls` times, each with cleared gradients, and says what happened.

    `expect_constant` names what the step means to leave without a gradient. Raises `ScriptError` where the file is missing, no Python, fails while it loads, defines no `step()`, or where
    `step()` returns no tensor.
    """
    text = _read(path)
    try:
        code = compile(text, path, "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise ScriptError(
            f"{path}{f', line {line}' if line else ''}: not valid Python: {_first(error)}."
        ) from error
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    module = ModuleType(f"__step_{os.path.basename(path).removesuffix('.py')}__")
    module.__file__ = path
    variables = module.__dict__
    session = Session(lambda: _variables(variables), (), keep, constants_in(expect_constant), path)
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up there
    try:
        session.tape.before_step()
        explained = _load(code, variables, session, path)
        if explained is not None:
            return explained
        session.before = session.names()
        step = variables.get("step")
        if not callable(step):
            raise ScriptError(f"{path} defines no function `step()`.{_run_it(path)}")
        refused = no_plain_function(step)
        if refused:
            raise ScriptError(f"step() in {path} {refused}.")
        _needs_nothing(step, path)
        session.several = calls > 1
        for _ in range(calls):
            session.run(step, clear=True)
            if session.raised is not None:
                break
        if session.gave_no_tensor:
            kind = type(session.returned).__name__
            if inspect.iscoroutine(session.returned):
                session.returned.close()  # else Python adds a warning that it was never awaited
            raise ScriptError(
                f"step() in {path} returned {kind}, not a tensor, and did not call backward(): return only the loss."
            )
        record = diagnose(session)
        session.tape.release()
        return record
    except SystemExit as error:
        raise ScriptError(f"step() in {path} exited the program.") from error
    finally:
        sys.modules.pop(module.__name__, None)
        if folder in sys.path:
            sys.path.remove(folder)


def _read(path: str) -> str:
    if not path:
        raise ScriptError("The file name is empty.")
    if os.path.isdir(path):
        raise ScriptError(f"{path} is a directory, not a Python file.")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path} is not a text file in UTF-8.") from error
    except OSError as error:
        raise ScriptError(f"{path} can't be read: {error.strerror or error}.") from error


def _run_it(path: str) -> str:
    return f" To run a training script as it is: `detach-lab run {path}`."


def _needs_nothing(step: Callable[..., object], path: str) -> None:
    try:
        inspect.signature(step).bind()
    except TypeError as error:
        raise ScriptError(f"step() in {path} must take no arguments: {error}.") from error
    except ValueError:  # a callable that tells nothing about itself is tried as it is
        return


def _load(code: object, variables: dict[str, object], session: Session, path: str) -> StepRecord | None:
    """Runs the file; what it raises is reported where a rule knows the cause, and else no step can be recorded."""
    try:
        with CallMode(session.tape):
            exec(code, variables)  # type: ignore[arg-type]
    except SystemExit as error:
        raise ScriptError(f"{path} exited while it was loaded.{_run_it(path)}") from error
    except Exception as error:
        session.note_error(error, "load")
        session.before = session.names()
        record = diagnose(session)
        if any(finding.text.startswith(f"{type(error).__name__}: ") for finding in record.findings):
            session.tape.release()
            return record
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        where = f", line {lines[-1]}" if lines else ""
        raise ScriptError(
            f"{path}{where}: {type(error).__name__} while the file was loaded: {_first(error)}"
        ) from error
    return None


def _variables(module: Mapping[str, object]) -> dict[str, object]:
    """The module's own variables, and what only the step's closure or the object it is bound to leads to."""
    own = {
        name: value
        for name, value in ((name, behind(value)) for name, value in module.items())
        if not name.startswith("__") and not isinstance(value, ModuleType | FunctionType | type)
    }
    known = {id(value) for value in own.values()}
    step = module.get("step")
    reached = variables_of(step) if callable(step) else {}
    return own | {
        name: value for name, value in reached.items() if name not in own and id(value) not in known
    }


def _first(error: BaseException) -> str:
    return first_line(getattr(error, "msg", None) or error, type(error).__name__)
