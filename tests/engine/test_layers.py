"""The layers: pages -> components -> engine, and never back."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = sorted((ROOT / "engine").rglob("*.py"))
COMPONENTS = sorted((ROOT / "pages" / "components").rglob("*.py"))


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_engine_knows_no_screen(path: Path) -> None:
    roots = {name.partition(".")[0] for name in imported(path)}
    assert not roots & {"streamlit", "altair", "pages", "tests"}


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_components_import_no_page(path: Path) -> None:
    assert all(name.startswith("pages.components") for name in imported(path) if name.startswith("pages"))


def test_importing_the_engine_loads_neither_streamlit_nor_altair() -> None:
    code = "import engine, sys; print(sorted({'streamlit', 'altair'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
