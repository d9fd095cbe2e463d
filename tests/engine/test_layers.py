"""The layers: pages -> components -> engine, and never back; nothing imports in a circle; the recorder's rooms."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT, circle, imports

RECORDER = Path("engine/recorder")
FLOORS = (
    ("record",),
    ("capture",),
    ("analysis",),
    ("rule", "starving", "memory_edits", "rules"),
    ("render", "report", "diagnosis", "parameters", "notes", "verdict"),
    ("__init__", "record_step", "recording", "record_file", "watch", "ranks", "explain"),
)
"""The recorder's rooms, from the lowest: a room may use what is on its own floor and below."""


def of(folder: str) -> list[Path]:
    return [path for path in imports() if path.is_relative_to(folder)]


def roots(path: Path) -> set[str]:
    """The top-level names that a module imports, whatever they are."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def floor(path: Path) -> int:
    room = path.relative_to(RECORDER).parts[0].removesuffix(".py")
    (found,) = [number for number, rooms in enumerate(FLOORS) if room in rooms]
    return found


@pytest.mark.parametrize("path", of("engine"), ids=str)
def test_the_engine_knows_no_screen(path: Path) -> None:
    assert not roots(path) & {"streamlit", "altair", "pages", "tests", "engine"}


@pytest.mark.parametrize("path", of("pages/components"), ids=str)
def test_components_import_no_page(path: Path) -> None:
    inside = [other for other in imports()[path] if other.parts[0] not in ("engine",)]
    assert all(other.is_relative_to("pages/components") for other in inside)


def test_nothing_imports_in_a_circle() -> None:
    assert circle(imports()) == []


def test_a_circle_would_be_found() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": ["a"]})
    assert Path("engine/recorder/explain.py") in imports()[Path("engine/cli.py")]  # inside of a function


@pytest.mark.parametrize("finder", ["engine/recorder/rules/__init__.py", "engine/quiz/finding.py"])
def test_what_is_found_by_being_there_does_not_import_its_finder(finder: str) -> None:
    found = [path for path in of("engine") if path.parent in (RECORDER / "rules", Path("engine/quiz/bank"))]
    assert len(found) > 50
    assert [str(path) for path in found if Path(finder) in imports()[path]] == []


@pytest.mark.parametrize("path", of(str(RECORDER)), ids=str)
def test_no_arrow_runs_up_in_the_recorder(path: Path) -> None:
    inside = [other for other in imports()[path] if other.is_relative_to(RECORDER)]
    assert [str(other) for other in inside if floor(other) > floor(path)] == []


def test_the_rooms_of_the_recorder_form_no_circle() -> None:
    rooms: dict[object, set[object]] = {}
    for path in of(str(RECORDER)):
        room = path.relative_to(RECORDER).parts[0]
        inside = (other for other in imports()[path] if other.is_relative_to(RECORDER))
        rooms.setdefault(room, set()).update(other.relative_to(RECORDER).parts[0] for other in inside)
    assert circle({room: others - {room} for room, others in rooms.items()}) == []


def test_importing_the_engine_loads_neither_streamlit_nor_altair() -> None:
    code = "import engine, sys; print(sorted({'streamlit', 'altair'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
