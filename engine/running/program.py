"""A script or a module made `__main__`, as `python train.py` and `python -m package.module` make it.

The code runs under its own `__main__`, with its own `sys.argv` and `sys.path`, and stays `__main__` to the end of the
process, so that what pickles, spawns workers or runs at exit finds what it looks for.
"""

from __future__ import annotations

import importlib.util
import linecache
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType

from ..text import first_line


class ProgramError(Exception):
    """The program can't be run; the message is one sentence that says why."""


@dataclass(frozen=True)
class Program:
    """Code that is ready to run as `__main__`."""

    name: str
    """How the command line named it."""
    file: str
    code: CodeType
    spec: ModuleSpec | None
    """That of a module; a file has none."""
    folder: str
    """What Python puts first on `sys.path`."""

    def run(self, arguments: Sequence[str]) -> None:
        """Runs the code as `__main__`. What it raises goes through."""
        module = ModuleType("__main__")
        full = os.path.abspath(self.file)
        module.__file__ = full
        module.__spec__ = self.spec
        module.__package__ = self.spec.parent if self.spec is not None else None
        module.__loader__ = self.spec.loader if self.spec is not None else SourceFileLoader("__main__", full)
        vars(module)["__builtins__"] = sys.modules["builtins"]
        vars(module)["__cached__"] = self.spec.cached if self.spec is not None else None
        sys.modules["__main__"] = module
        sys.argv[:] = [full if self.spec is not None else self.file, *arguments]
        sys.path[0] = self.folder
        exec(self.code, vars(module))


def program_from_file(path: str) -> Program:
    """A file, or a folder with a `__main__.py`. Raises `ProgramError`."""
    if not path:
        raise ProgramError("The script name is empty.")
    file = os.path.join(path, "__main__.py") if os.path.isdir(path) else path
    if file != path and not os.path.exists(file):
        raise ProgramError(f"{path} is a folder without a `__main__.py`; name a script in it.")
    folder = path if file != path else os.path.dirname(os.path.realpath(file))
    return Program(path, file, _compiled(file), None, os.path.abspath(folder))


def program_from_module(name: str) -> Program:
    """A module, or a package with a `__main__`. Raises `ProgramError`."""
    sys.path[0] = os.getcwd()
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
            if spec is None:
                raise ProgramError(f"The package {name} has no `__main__`; name a module in it.")
    except ProgramError:
        raise
    except Exception as error:  # also what the packages around it raise while they are imported
        raise ProgramError(
            f"The module {name} can't be found: {first_line(error, 'no message').removesuffix('.')}."
        ) from error
    if spec is None or not spec.origin or not os.path.exists(spec.origin):
        raise ProgramError(f"There is no module named {name}.")
    return Program(name, spec.origin, _compiled(spec.origin), spec, os.getcwd())


def _compiled(file: str) -> CodeType:
    try:
        with open(file, "rb") as source:
            text = source.read()
    except OSError as error:
        raise ProgramError(f"{file} can't be read: {error.strerror or error}.") from error
    try:
        code = compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None)
        what = first_line(getattr(error, "msg", None) or error, type(error).__name__)
        where = f"{file}, line {number}" if number else file
        raise ProgramError(f"{where}: not valid Python: {what}.") from error
    linecache.getlines(
        file
    )  # the text as it runs, whatever folder it changes to and whoever saves the file meanwhile
    return code
