"""Where a line stands, as a tool that shows a repository's files finds it."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def in_repository(file: str) -> str | None:
    """The file's path from the checked-out folder (`GITHUB_WORKSPACE`, or else the working folder), with slashes.

    None where it does not lie in there, or is no file at all, such as a notebook's cell.
    """
    bases = [base for base in (os.environ.get("GITHUB_WORKSPACE"), os.getcwd()) if base]
    for base in bases:
        for real in (os.path.abspath, os.path.realpath):
            path, root = Path(real(file)), Path(real(base))
            if path.is_relative_to(root) and path.is_file():
                return path.relative_to(root).as_posix()
    return None


def uri_of(file: str) -> str | None:
    """The file as a URI: relative to the repository where it lies in it; None where it is no file."""
    inside = in_repository(file)
    if inside is not None:
        return quote(inside)
    path = Path(os.path.abspath(file))
    return path.as_uri() if path.is_file() else None
