"""The list of benchmarks is whole: each that is named is there, and each that is there is named."""

import ast
from pathlib import Path

from tests.benchmarks.__main__ import BENCHMARKS

FOLDER = Path(__file__).parent / "benchmarks"


def _gives_rows(file: Path) -> bool:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "rows" for node in tree.body)


def test_each_benchmark_is_named_once_and_is_there() -> None:
    assert sorted(BENCHMARKS) == sorted(file.stem for file in FOLDER.glob("*.py") if _gives_rows(file))
