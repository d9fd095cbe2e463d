"""Records a file in a process of its own, for the page and for the command line.

A step may switch gradients off, set a default type, never end, or take its process down with it. A fresh interpreter
bears that: it is ended when the time is up, and where it ends without an answer, that is said in one sentence.
Whatever the file prints, also from C or from a process it starts, goes where `output` says. The answer comes back by
a file, so nothing can mix with it. This module brings no torch: only the process that records needs it.
(A spawned `multiprocessing` process would run the server's own main script first.)
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from .forms import Form, flush_output
from .text import first_line

if TYPE_CHECKING:
    from .recorder import StepRecord

TIME_LIMIT = 120.0
"""Seconds after which a file that has not ended is given up on the page."""

PACKAGE = __name__.partition(".")[0]
"""The name that this package was imported under: "engine" in a clone, "detach_lab" where it is installed."""
_APART = "detach_lab"
"""Its name in the other process. There "engine" belongs to the reader, whose project may have an engine of its own."""
_INIT = str(Path(__file__).with_name("__init__.py"))
# The package is loaded from its folder and not by a path to search: nothing in the reader's folders can take its place.
_LOAD = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location({_APART!r}, sys.argv.pop(1))
sys.modules[{_APART!r}] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
"""
_CHILD = f"""{_LOAD}
from {_APART} import subprocess_recording
getattr(subprocess_recording, sys.argv[1])(*sys.argv[2:])
"""
_COMMAND = f"""
import sys
try:{indent(_LOAD, "    ")}
    from {_APART}.cli import command
    status = command()
except KeyboardInterrupt:  # so early that no command was there to say so
    print("Interrupted.", file=sys.stderr)
    status = 2
sys.exit(status)
"""


class Told(NamedTuple):
    """What became of a file: the command's exit status, the sentence where it is 2, and the report where there is one."""

    status: int
    sentence: str
    report: bytes
    """The report in its form in UTF-8, or the pickled record."""


def run_apart(
    path: str,
    calls: int,
    form: Form | Literal["record"],
    *,
    output: int,
    stdin: int | None = None,
    time_limit: float | None = None,
) -> Told:
    """Records a file in a process of its own; what the file prints goes to the file descriptor `output`."""
    return _apart("answer", (path, str(calls), form), path, output, stdin, time_limit)


def _apart(
    door: str, arguments: Sequence[str], path: str, output: int, stdin: int | None, time_limit: float | None
) -> Told:
    """What a door of this module leaves behind, entered in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder, "answer")
        # -u: prints are seen as they are made. close_fds: a shell's <(...) is an open descriptor that the path names.
        child = subprocess.Popen(
            [sys.executable, "-u", "-c", _CHILD, _INIT, door, str(into), *arguments],
            stdin=stdin, stdout=output, stderr=output, close_fds=False,
        )  # fmt: skip
        try:
            child.wait(time_limit)
        except subprocess.TimeoutExpired:
            return Told(2, f"{path} did not end within {time_limit:g} seconds.", b"")
        finally:
            child.kill()
            child.wait()
        if not into.exists():
            return Told(2, f"{path} {_end(child.returncode)} before it could be recorded.", b"")
        return Told(*pickle.loads(into.read_bytes()))


def _end(status: int) -> str:
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def record_apart(path: str, calls: int = 1, time_limit: float = TIME_LIMIT) -> StepRecord:
    """What `record_file` says of a file, found out in a process of its own. Raises `ScriptError` likewise."""
    nowhere = subprocess.DEVNULL
    return _record_in(
        run_apart(
            os.path.abspath(path), calls, "record", output=nowhere, stdin=nowhere, time_limit=time_limit
        )
    )


def record_run_apart(words: Sequence[str], time_limit: float = TIME_LIMIT) -> StepRecord:
    """What `detach-lab run` says of a script and its arguments, or of `-m`, a module and its arguments.

    Raises `ScriptError` where there is no step to report.
    """
    nowhere = subprocess.DEVNULL
    return _record_in(_apart("answer_run", words, words[0], nowhere, nowhere, time_limit))


def _record_in(told: Told) -> StepRecord:
    from .recorder import ScriptError, StepRecord

    if not told.report:
        raise ScriptError(told.sentence)
    found = _Unpickler(io.BytesIO(told.report)).load()
    assert isinstance(found, StepRecord)
    return found


def become_the_command(arguments: Sequence[str]) -> NoReturn:
    """Runs the command anew in this very process, where this package has its other name: a script may import an
    `engine` of its own."""
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    flush_output()
    os.execv(sys.executable, [sys.executable, *flags, "-c", _COMMAND, _INIT, *arguments])


class _Unpickler(pickle.Unpickler):
    """Reads what the other process pickled, where this package has its other name."""

    def find_class(self, module: str, name: str, /) -> object:
        package, dot, inside = module.partition(".")
        return super().find_class((PACKAGE if package == _APART else package) + dot + inside, name)


def answer(into: str, path: str, calls: str, form: Form | Literal["record"]) -> None:
    """The other side of `run_apart`: records the file and leaves what is to be told in the file `into`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C reaches both processes: this one ends at once and in silence, the other says so.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.argv = [path]  # what a file that reads its own command line expects
    _leave(tell(path, int(calls), form), into)


def answer_run(into: str, *words: str) -> None:
    """The other side of `record_run_apart`."""
    from .running.run import Outcome, run

    reports: list[bytes] = []

    def leave(outcome: Outcome) -> NoReturn:
        _leave(Told(outcome.status, outcome.sentence, b"".join(reports)), into)
        os._exit(0)

    is_module = words[0] == "-m"
    target, *arguments = words[is_module:]
    leave(
        run(
            target,
            arguments,
            is_module=is_module,
            tell=lambda one: reports.append(pickle.dumps(one)),
            leave=leave,
        )
    )


def _leave(told: Told, into: str) -> None:
    Path(into + ".part").write_bytes(pickle.dumps(tuple(told)))
    os.replace(into + ".part", into)


def encoded(record: StepRecord, form: Form) -> bytes:
    """The report in a form, as it is printed or written."""
    from .recorder.render.formats import report_as

    return report_as(record, form).encode(errors="backslashreplace")


def tell(path: str, calls: int, form: Form | Literal["record"]) -> Told:
    """Records the file in this process and never raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own hints; the report says what they mean
            from .recorder.record_file import ScriptError, record_file

            try:
                with chdir("."):  # the report's paths are those of the folder that the command was given in
                    record = record_file(path, calls)
            except ScriptError as error:
                return Told(2, str(error), b"")
        report = pickle.dumps(record) if form == "record" else encoded(record, form)
    except KeyboardInterrupt:
        return Told(2, "Interrupted.", b"")
    except BaseException as error:  # a class of the file's own, or a fault of ours: no traceback either way
        first = first_line(error, "no message")
        return Told(2, f"{path} could not be recorded: {type(error).__name__}: {first}", b"")
    if not record.ran:
        return Told(2, record.verdict, report)
    return Told(0 if record.ok else 1, "", report)
