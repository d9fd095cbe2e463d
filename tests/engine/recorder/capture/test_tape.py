"""The tape has one writer: its own module."""

import ast
from pathlib import Path

import pytest

import engine

RECORDER = Path(engine.__file__).parent / "recorder"
FILES = sorted(path for path in RECORDER.rglob("*.py") if path.name != "tape.py")
CHANGES = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "clear", "remove", "discard"}


def of_the_tape(node: ast.AST) -> bool:
    """Whether an expression is a part of a tape: `tape.calls`, `session.tape.flow.writes[key]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        if (isinstance(node, ast.Name) and node.id == "tape") or (
            isinstance(node, ast.Attribute) and node.attr in ("tape", "_tape")
        ):
            return True
    return False


def writes(source: str) -> list[int]:
    """The lines that change a part of a tape."""
    found = []
    for node in ast.walk(ast.parse(source)):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES
        ):
            targets = [node.func.value]
        if any(of_the_tape(target) for target in targets):
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RECORDER)))
def test_nobody_else_writes_on_the_tape(path: Path) -> None:
    assert writes(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    ["tape.calls.append(1)", "self._tape.flow.clock += 1", "tape.arrays[0] = 2", "del tape.flow.writes[1]"],
)
def test_a_write_is_seen(line: str) -> None:
    assert writes(line) == [1]
