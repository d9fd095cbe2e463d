"""Right training steps of other people's libraries, and the same steps with one cut put in.

Each file of `steps` is a program as its users write it. Nothing is found in it, recorded as a file whose `step()` runs
twice and as a block around two steps. `CUT` says what makes it wrong: the line that ends with `# cut` becomes `put`,
and the first finding is of that `kind`, on that line (or on the one that ends with `# <--`), and about exactly the
parameters that `names` are patterns of. `UNUSED` are parameters that the library makes and this step has no use for,
which is said, and no fault.

The libraries are those of tests/requirements-libraries.txt. Without them the steps are skipped, in CI they fail. Each
library has a process of its own, since some change others: torchrl gives torch's distributions new methods.
"""

import ast
import functools
import importlib.util
import itertools
import json
import multiprocessing
import os
import re
import runpy
import traceback
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch

from engine.recorder import record_file
from engine.recorder.rule import MARK

pytestmark = pytest.mark.libraries

STEPS = sorted((Path(__file__).parent / "steps").glob("*.py"))
assert STEPS
CUT = "  # cut"
BLOCK = """
from contextlib import suppress
from engine.recorder import recording

recorded = recording()
with suppress(RuntimeError), recorded:
    step()
    step()
"""


def library(path: Path) -> str:
    """The library of a step, by which the files are named."""
    return path.stem.partition("_")[0]


each_step = pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(library(path))) for path in STEPS]
)
each_way = pytest.mark.parametrize("way", ["a_file", "a_block"])
Report = dict[str, Any]


@each_step
@each_way
def test_a_right_step_is_right(path: Path, way: str) -> None:
    require_libraries(path)
    report, unused = reports(library(path))[path.stem, "right", way], constant(path, "UNUSED") or []
    assert report["raised"] is None
    assert [finding["severity"] for finding in report["findings"]] == ["unused"] * bool(unused), report[
        "verdict"
    ]
    assert {name for finding in report["findings"] for name in finding["names"]} == matching(report, unused)
    assert any(parameter["state"] == "gradient" for parameter in report["parameters"])


@each_step
@each_way
def test_a_cut_is_found(path: Path, way: str) -> None:
    require_libraries(path)
    expected, report = constant(path, "CUT"), reports(library(path))[path.stem, "wrong", way]
    assert report["findings"], report["verdict"]
    first = report["findings"][0]
    assert (first["kind"], first["line"]) == (expected["kind"], blamed_line(path)), report["verdict"]
    assert set(first["names"]) == matching(report, expected["names"])
    assert first["names"]


def require_libraries(path: Path) -> None:
    """Without what a step imports the test is skipped, in CI it fails."""
    imported = re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
    missing = [name for name in dict.fromkeys(imported) if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"{', '.join(missing)} not installed: pip install -r tests/requirements-libraries.txt"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@functools.cache
def reports(name: str) -> dict[tuple[str, str, str], Report]:
    """The JSON of the reports on a library's steps, right and wrong, by the way in which each was recorded."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=_record, args=(queue, [path for path in STEPS if library(path) == name]))
    process.start()
    found = queue.get()
    process.join()
    assert not isinstance(found, str), found
    return {key: json.loads(text) for key, text in found.items()}


def _record(queue: Any, paths: list[Path]) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is fetched: models are made of their configurations
    try:
        with TemporaryDirectory() as folder:
            found = {}
            for path, way in itertools.product(paths, ("a_file", "a_block")):
                for name, put in (("right", ""), ("wrong", constant(path, "CUT")["put"])):
                    copy = Path(folder) / f"{name}_{way}_{path.name}"
                    copy.write_text(with_cut(path, put) + (BLOCK if way == "a_block" else ""))
                    found[path.stem, name, way] = _recorded(copy, way)
        queue.put(found)
    except BaseException:
        queue.put(traceback.format_exc())


def _recorded(path: Path, way: str) -> str:
    torch.manual_seed(0)
    if way == "a_file":
        return record_file(str(path), 2).to_json()
    text: str = runpy.run_path(str(path))["recorded"].report.to_json()
    return text


def constant(path: Path, name: str) -> Any:
    """The value that a file gives a name at its end, None where it gives none."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    return None


def with_cut(path: Path, put: str) -> str:
    """The program, with `put` in the place of the marked line where something is to be put."""
    lines = path.read_text().splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.endswith(CUT)]
    if put:
        lines[at] = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + put
    return "\n".join(lines) + "\n"


def blamed_line(path: Path) -> int:
    lines = path.read_text().splitlines()
    marked = [n for n, line in enumerate(lines, 1) if line.endswith(MARK)]
    return marked[0] if marked else next(n for n, line in enumerate(lines, 1) if line.endswith(CUT))


def matching(report: Report, patterns: list[str]) -> set[str]:
    known = {p["name"] for p in report["parameters"] if not p["reason"].startswith("The same tensor as")}
    return {name for name in known if any(fnmatch(name, pattern) for pattern in patterns)}
