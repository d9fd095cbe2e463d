"""Tests stand where what they test stands: the folders of `tests/` are those of the tree."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
APART = ("benchmarks", "browser", "cases", "libraries", "server")
"""Folders of what runs the whole."""
TESTS = [
    path
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if path.relative_to(ROOT / "tests").parts[0] not in APART
]
MODULES = [path for room in ("engine", "pages") for path in (ROOT / room).rglob("*.py")]
MODULES += [path.parent for path in MODULES if path.name == "__init__.py"]


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_test_stands_where_what_it_tests_stands(path: Path) -> None:
    folder = ROOT / path.parent.relative_to(ROOT / "tests")
    assert folder.is_dir()
    named = {module.parent for module in MODULES if module.stem == path.stem.removeprefix("test_")}
    assert not named or folder in named
