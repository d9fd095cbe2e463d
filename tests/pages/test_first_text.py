"""A page's first text is drawn before torch is imported."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from pages.components.shell.menu import PAGES

ROOT = Path(__file__).parents[2]


def test_the_frame_brings_no_torch_with_it() -> None:
    code = "import pages.components.shell.frame, sys; print({'torch', 'engine', 'altair'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("path", [page.path for page in PAGES])
def test_a_page_opens_before_it_imports_anything_else(path: str) -> None:
    docstring, first, second, *_ = ast.parse((ROOT / path).read_text()).body
    assert isinstance(docstring, ast.Expr)
    assert ast.unparse(first).startswith("from pages.components.shell.frame import")
    assert ast.unparse(second).startswith("with open_page(")
