"""The command line: `detach-lab run train.py its arguments`, in a clone `python -m engine run ...`.

Exit status 0: nothing is starved by accident. 1: something is. 2: there is no step to report, and one sentence on the
error output says why; if it raised, the report shows what was recorded until then. `--output` names a file for the
report, and at a terminal one sentence says that it is there; else it comes on the standard output: as text after all
that the script has printed, in the forms for tools alone, and what the script prints goes to the error output.

`detach-lab trace my_step.py` records a file that defines `step()`, in a process of its own. `detach-lab explain KIND`
says what a kind of finding is, `detach-lab rules` lists them all.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import chdir
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from . import __version__
from .forms import FORMS, flush_output, into_nothing, write_report
from .subprocess_recording import PACKAGE, Told, become_the_command, encoded, run_apart

if TYPE_CHECKING:
    from .recorder import StepRecord
    from .running.run import Outcome


def command() -> int:
    """The command of this process."""
    _open_what_is_closed()
    status = main()
    if not flush_output():
        into_nothing(1)  # else Python would try once more, and change the exit status
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, by default that of the process, and returns its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    if not given:
        name = parser.prog
        parser.exit(
            2,
            f"`{name} run train.py its arguments` shows which line cuts a gradient; `{name} --help` lists the rest.\n",
        )
    options = parser.parse_args(given)
    try:
        if options.command == "run":
            return _run(options, given)
        told = _told(options)
        sentence = _deliver(told.report, getattr(options, "output", None), sys.stdout.buffer)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 2
    for said in filter(None, (told.sentence, sentence)):
        print(said, file=sys.stderr)
    return 2 if sentence else told.status


def _run(options: argparse.Namespace, given: Sequence[str]) -> int:
    if PACKAGE == "engine":
        become_the_command(given)
    from .running.run import run

    words: list[str] = options.module or options.script
    target, *arguments = words
    here, output = os.getcwd(), options.output
    output = None if output is None else os.path.abspath(output)
    report_to = _apart(1 if options.format == "text" else 2)
    failures: list[str] = []

    def tell(record: StepRecord) -> None:
        with chdir(here):  # the report's paths are those of the folder that the command was given in
            report = encoded(record, options.format)
            if options.format == "text" and record.raised is None:
                report += _which(options.step, options.keep_going).encode()
            failures.append(_deliver(report, output, report_to))

    def status(outcome: Outcome) -> int:
        for said in filter(None, (outcome.sentence, *failures)):
            print(said, file=sys.stderr)
        return 2 if any(failures) else outcome.status

    def leave(outcome: Outcome) -> NoReturn:
        ends_with = status(outcome)
        sys.stderr.flush()
        os._exit(ends_with)

    outcome = run(
        target, arguments, is_module=bool(options.module), step=options.step, keep_going=options.keep_going,
        tell=tell, leave=leave,
    )  # fmt: skip
    ends_with = status(outcome)
    if not options.keep_going and any(not one.daemon for one in threading.enumerate()[1:]):
        flush_output()
        os._exit(ends_with)  # a thread of the script's may wait for work that will not come
    return ends_with


def _which(step: int, goes_on: bool) -> str:
    """Which step the report is about, and what became of the script."""
    if goes_on:
        return f"\nThis was step {step}; the script continues. `--step N` records another one.\n"
    return (
        f"\nThis was step {step}; the script ended there. `--step N` records another one; with `--keep-going` the "
        "script continues.\n"
    )


def _apart(to: int) -> BinaryIO:
    """The standard output for the report; what anybody else prints there goes to the file descriptor `to`."""
    report_to = os.fdopen(os.dup(1), "wb")
    flush_output()
    os.dup2(to, 1)
    return report_to


def _open_what_is_closed() -> None:
    """A standard output that the shell has closed (`>&-`) takes what is written and keeps nothing."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            into_nothing(number)
            setattr(sys, name, open(number, "w", closefd=False))  # noqa: SIM115  (as long as the process lives)


def _told(options: argparse.Namespace) -> Told:
    if options.command == "trace":
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: it ends the file's process too
        return run_apart(options.file, options.calls, options.format, output=2)
    from .recorder import explain  # with torch, which tracing leaves to the other process

    if options.command == "rules":
        return Told(0, "", (explain.markdown() if options.markdown else explain.table()).encode())
    try:
        return Told(0, "", explain.explanation(options.kind).encode())
    except ValueError as error:
        sentence = str(error)
        return Told(2, f"{sentence[:1].upper()}{sentence[1:]}.", b"")


def _deliver(report: bytes, output: str | None, stdout: BinaryIO) -> str:
    """Writes the report to the file, or prints it; returns the sentence that says why it can't be written there."""
    if not report:
        return ""
    if output is None:
        return _print(report, stdout)
    try:
        write_report(report, output)
    except OSError as error:
        said = f"{output} can't be written: {error.strerror}."
        return f"{said} {_print(report, stdout) or 'The report is on standard output.'}"
    _tell_a_person(f"The report is in {output}.")
    return ""


def _tell_a_person(sentence: str) -> None:
    """Says what only somebody at a terminal needs: elsewhere the exit status says it. A script may have its own `sys.stderr`."""
    if os.isatty(2):
        flush_output()
        os.write(2, f"{sentence}\n".encode(errors="backslashreplace"))


def _print(report: bytes, stdout: BinaryIO) -> str:
    """Prints the report; returns the sentence that says why it can't be printed."""
    flush_output()
    try:
        _write(report, stdout)
    except OSError as error:
        # What is left in the buffer goes nowhere, so that nothing raises once more as the process ends.
        into_nothing(stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # there the reader of the report has seen enough
            return f"The report can't be written: {error.strerror}."
    return ""


def _write(report: bytes, stdout: BinaryIO) -> None:
    stdout.write(report)
    stdout.flush()


class _Parser(argparse.ArgumentParser):
    """Says in one sentence what is wrong with a command line."""

    def error(self, message: str) -> NoReturn:
        """Ends the process with exit status 2."""
        self.exit(2, f"{self.prog}: {message}. `{self.prog} --help` shows what is allowed.\n")


class _RunParser(_Parser):
    """`run` takes its own options first, then the script, and what follows belongs to the script."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As every parser does; says what is wrong where no script is named, or an option is none of `run`."""
        given = list(args or ())
        found, rest = super().parse_known_args(given, namespace)
        unknown = next((one for one in rest if one.startswith("-")), None)
        if unknown is not None:
            self.error(f"{unknown} is not an option of `run`; the script's own arguments go after its name")
        if found.script[:1] == ["--"]:
            del found.script[0]
        if not found.script and not found.module:
            self.error("no script given: name a file, or a module after -m")
        return found, rest


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m engine" if PACKAGE == "engine" else "detach-lab",
        description="Where does a gradient stop, and why?",
    )
    parser.add_argument("--version", action="version", version=f"detach-lab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _add_run(commands)
    trace = commands.add_parser(
        "trace", help="record a file that defines step() and report what gets no gradient"
    )
    trace.add_argument("file", help="a Python file with a function step() that returns the loss")
    add_report_options(trace)
    trace.add_argument("--calls", type=_count, default=1, metavar="N", help="how often to call step() (1)")
    explain = commands.add_parser("explain", help="explain a kind of finding, with an example")
    explain.add_argument("kind", metavar="KIND", help='a kind or the name of a rule, such as "detach"')
    rules = commands.add_parser("rules", help="list every rule with its name, kind and title")
    rules.add_argument("--markdown", action="store_true", help="print them as the docs' reference page")
    return parser


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a training script as it is and report what gets no gradient in one of its steps",
        usage="%(prog)s [--step N] [--keep-going] [--format FORM] [--output FILE] (script.py | -m module) [arguments ...]",
    )
    run.__class__ = _RunParser
    run.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, default=[], help="a module, as in python -m"
    )
    run.add_argument("--step", type=_count, default=2, metavar="N", help="which optimizer step to record (2)")
    run.add_argument(
        "--keep-going", action="store_true", help="let the script continue after the recorded step"
    )
    add_report_options(run)
    run.add_argument("script", nargs=argparse.REMAINDER, help="a Python file and its own arguments")


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """What every command that reports a step has: in which form, and where to."""
    words = ", ".join(FORMS)
    parser.add_argument("--format", choices=FORMS, default="text", metavar="FORM", help=f"{words} (text)")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="--format json")
    parser.add_argument("--output", metavar="FILE", help="write the report to a file")


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= 1_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000")
    return number
