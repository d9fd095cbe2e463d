"""Packages that count as installed, for as long as a test runs: folders named site-packages hold them."""

import importlib
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest


def installed(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of that text, imported from a folder of installed packages."""
    return imported(name, text, folder / "site-packages", monkeypatch)


def imported(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of that text, imported from a folder that is searched."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(dedent(text))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module(name)
    monkeypatch.setitem(sys.modules, name, module)
    return module
