"""Code that no person wrote: what `dataclass` and its like compile, and modules that a library writes and imports.

Its lines say nothing to the reader, so that the walk goes on outwards. Cells of a notebook, a typed line and code
that was given to `linecache` under a name of its own are the reader's, though no file holds them.
"""

from __future__ import annotations

import linecache
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

_TYPED = ("<stdin>", "<console>", "<python-input", "<ipython-input")
_GENERATORS = ("<attrs generated", "<eval_with_key>", "<@beartype")
"""Those that tell `linecache` what they wrote: attrs, torch.fx and beartype."""


def is_generated(file: str, scope: dict[str, Any], is_installed: Callable[[str], bool]) -> bool:
    """Whether code of that file name, with these globals, was made by a program."""
    name = str(scope.get("__name__") or "")
    if file.startswith("<"):
        if file == "<string>":
            return not (sys.argv[:1] == ["-c"] and name == "__main__")
        return not file.startswith(_TYPED) and (file.startswith(_GENERATORS) or not linecache.getlines(file))
    first = name.partition(".")[0]
    if first in ("", "__main__") or scope.get("__spec__") is None:  # run as a script, by whatever way
        return False
    package = sys.modules.get(first)
    home = getattr(package, "__file__", None)
    if isinstance(home, str) and is_installed(home):
        folders = [str(folder) for folder in getattr(package, "__path__", ())]
        return not any(_is_under(file, folder) for folder in folders)
    return _is_under(file, tempfile.gettempdir()) and not _is_found(file, name)


def _is_under(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))


def _is_found(file: str, name: str) -> bool:
    """Whether the file has the module's name, in a folder that is searched or that the program works in."""
    end = os.path.join(*name.split("."))
    path = os.path.realpath(file).removesuffix(".py").removesuffix(os.sep + "__init__")
    if not path.endswith(os.sep + end):
        return False
    folder = path[: -len(end)].rstrip(os.sep)
    return _is_under(file, os.getcwd()) or any(os.path.realpath(entry) == folder for entry in sys.path)
