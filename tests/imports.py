"""Which module of this repository imports which, read from the source: also what is imported inside of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
Graph = Mapping[Path, frozenset[Path]]


@cache
def sources() -> tuple[Path, ...]:
    """Every module of the product, by its path from the root."""
    inside = (path for top in ("engine", "pages") for path in sorted((ROOT / top).rglob("*.py")))
    return tuple(path.relative_to(ROOT) for path in (*inside, ROOT / "streamlit_app.py"))


@cache
def imports() -> Graph:
    """By module: those of this repository that it imports, at its top or inside of a function."""
    return {path: frozenset(_imported(path, ast.parse((ROOT / path).read_text()))) for path in sources()}


def _imported(path: Path, tree: ast.Module) -> set[Path]:
    found: set[Path] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {at for alias in node.names if (at := _file(Path(*alias.name.split("."))))}
        elif isinstance(node, ast.ImportFrom):
            base = path.parents[node.level - 1] if node.level else Path()
            base = base.joinpath(*(node.module or "").split("."))
            inside = {alias.name: _file(base / alias.name) for alias in node.names}
            found |= {at for at in inside.values() if at}
            if None in inside.values() and (at := _file(base)):
                found.add(at)
    return found - {path}


def _file(module: Path) -> Path | None:
    """The file of a module, if it is one of ours."""
    return next((at for at in (module.with_suffix(".py"), module / "__init__.py") if at in sources()), None)


def circle(graph: Mapping[Any, Iterable[Any]]) -> list[str]:
    """The modules of a circle, in order; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(one) for one in error.args[1]]
    return []
