"""The command line: `python -m engine trace my_step.py [--json] [--calls N]`.

Exit status 0: nothing is starved by accident. 1: something is. 2: the step could not be recorded, and one sentence
on the error output says why.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Sequence

from engine.recorder.script import ScriptError, record_file


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(sys.stderr),
        ):  # stdout is the report's alone
            warnings.simplefilter("ignore")  # torch's own hints; the report says what they mean
            record = record_file(options.file, options.calls)
    except ScriptError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 2
    print(record.to_json() if options.json else record)
    return 0 if record.ok else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine", description="Where does a gradient stop, and why?"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="trace")
    trace = commands.add_parser("trace", help="record a file that defines step() and say what starves")
    trace.add_argument("file", help="a Python file with a function step() that returns the loss")
    trace.add_argument("--json", action="store_true", help="print the report as JSON")
    trace.add_argument("--calls", type=_count, default=1, metavar="N", help="how often to call step() (1)")
    return parser


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= 1_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1000")
    return number
