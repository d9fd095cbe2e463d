"""The forms of a report, and the file that it is written to. This module brings no torch: a command line starts at once."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Literal, get_args

Form = Literal["text", "json", "github", "sarif", "html"]

FORMS: tuple[Form, ...] = get_args(Form)


def flush_output() -> bool:
    """Flushes what has been printed; says whether anybody took it, for that is no business of the report's."""
    try:
        sys.stdout.flush()
    except (
        OSError,
        ValueError,
        AttributeError,
    ):  # a pipe that is closed, a full disk, an output of the script's own
        return False
    return True


def into_nothing(number: int) -> None:
    """What is written to this file descriptor from now on goes nowhere, and raises nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


def write_report(report: bytes, path: str) -> None:
    """Writes a report to a file: all of it, or the file stays as it was. Raises `OSError`.

    What is no plain file (a device, a pipe) is written to as it is; a link stays a link.
    """
    into = Path(os.path.realpath(path))
    if into.exists() and not stat.S_ISREG(into.stat().st_mode):
        into.write_bytes(report)
        return
    part = into.with_name(f".{into.name[:200]}.{os.getpid()}.part")
    try:
        part.write_bytes(report)
        if into.exists():
            part.chmod(stat.S_IMODE(into.stat().st_mode))
        part.replace(into)
    finally:
        part.unlink(missing_ok=True)
