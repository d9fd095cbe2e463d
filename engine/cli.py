"""The command line: `detach-lab trace my_step.py [--format F] [--calls N]`, in a clone `python -m engine trace ...`.

Exit status 0: nothing is starved by accident. 1: something is. 2: the step could not be run, and one sentence on the
error output says why; where it raised, the report tells what was seen until then. What the file prints goes to the
error output, and the standard output has the report alone, or nothing where `--output` names a file for it.

`detach-lab explain KIND` says what a kind of finding is, `detach-lab rules` lists them all.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from . import __version__
from .forms import FORMS, write_report
from .subprocess_recording import PACKAGE, Told, run_apart


def command() -> int:
    """The command of this process; what ends it ends the file's process too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command, by default that of the process, and returns its exit status."""
    options = _parser().parse_args(arguments)
    sentence = ""
    try:
        told = _told(options)
        sentence = _deliver(told.report, getattr(options, "output", None))
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the report has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"The report can't be written: {error.strerror}.", file=sys.stderr)
        return 2
    for said in filter(None, (told.sentence, sentence)):
        print(said, file=sys.stderr)
    return 2 if sentence else told.status


def _told(options: argparse.Namespace) -> Told:
    if options.command == "trace":
        return run_apart(options.file, options.calls, options.format, output=2)
    from .recorder import explain  # with torch, which tracing leaves to the other process

    if options.command == "rules":
        return Told(0, "", (explain.markdown() if options.markdown else explain.table()).encode())
    try:
        return Told(0, "", explain.explanation(options.kind).encode())
    except ValueError as error:
        sentence = str(error)
        return Told(2, f"{sentence[:1].upper()}{sentence[1:]}.", b"")


def _deliver(report: bytes, output: str | None) -> str:
    """Writes the report to the file, or prints it; returns the sentence that says why the file can't be written."""
    if output is not None and report:
        try:
            write_report(report, output)
        except OSError as error:
            _write(report)
            return f"{output} can't be written: {error.strerror}. The report is on the standard output."
    elif report:
        _write(report)
    return ""


def _write(report: bytes) -> None:
    sys.stdout.buffer.write(report)
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine" if PACKAGE == "engine" else "detach-lab",
        description="Where does a gradient stop, and why?",
    )
    parser.add_argument("--version", action="version", version=f"detach-lab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    trace = commands.add_parser("trace", help="record a file that defines step() and say what starves")
    trace.add_argument("file", help="a Python file with a function step() that returns the loss")
    add_report_options(trace)
    trace.add_argument("--calls", type=_count, default=1, metavar="N", help="how often to call step() (1)")
    explain = commands.add_parser("explain", help="say what a kind of finding is, with an example")
    explain.add_argument("kind", metavar="KIND", help='a kind or the name of a rule, such as "detach"')
    rules = commands.add_parser("rules", help="list every rule: its name, its kind, its title")
    rules.add_argument("--markdown", action="store_true", help="print the reference page of the docs")
    return parser


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
