"""Changes the recorder's rules and analysis, one small mutant after the other, and says which no test notices.

    .venv/bin/python -m pip install --target /tmp/cosmic-ray cosmic-ray==8.7.0
    PYTHONPATH=/tmp/cosmic-ray .venv/bin/python -m tests.mutation --minutes 15

The mutants are those of cosmic-ray's operators within functions. Its own runner starts a new Python, and so torch, for
each; here a process that has collected the tests forks, changes the one function in memory, and runs those tests that
came by the changed line before, at most `--tests` of them, until one fails: first those about the file, then those that
run most of it. With more mutants than time, a random sample is taken: the same `--seed` takes the same.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.engine.recorder import forked

ROOT = Path(__file__).parents[1]
ROOMS = ("engine/recorder/rules", "engine/recorder/analysis")
TESTS = ROOT / "tests/engine/recorder"
LONGEST = 120
"""Seconds after which the tests of one mutant are ended: an endless loop is noticed."""
KILLED, SURVIVED = 0, 1
SAME = ("_Eq_Is", "_NotEq_IsNot", "_Is_Eq", "_IsNot_NotEq")
"""Endings of operators that change nothing for the strings, small numbers and None that are compared here."""
Line = tuple[str, int]


@dataclass(frozen=True)
class Mutant:
    """One occurrence of one operator in one file."""

    path: str
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.operator.removeprefix('core/')}"


def mutants(only: str) -> Iterator[Mutant]:
    """All there are in the rooms whose path contains `only`."""
    for file in sorted(file for room in ROOMS for file in (ROOT / room).glob("[a-z]*.py")):
        path = str(file.relative_to(ROOT))
        if only in path:
            nodes = list(ast_nodes(get_ast(file.read_text())))
            for name in operator_names():
                operator = get_operator(name)
                if operator.arguments() or name.endswith(SAME):  # some need to be told what to replace
                    continue
                places = [place for node in nodes for place in operator().mutation_positions(node)]
                yield from (Mutant(path, name, n, place[0][0]) for n, place in enumerate(places))


def codes(code: CodeType) -> dict[str, CodeType]:
    """The code of each function and method of a module, by its qualified name."""
    found: dict[str, CodeType] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            is_class = "__qualname__" in inner.co_names
            found |= codes(inner) if is_class else {inner.co_qualname: inner}
    return found


def without_positions(code: CodeType) -> CodeType:
    """The same code, wherever it stands: annotations and decorators move what follows them."""
    inner = (without_positions(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_linetable=b"", co_firstlineno=1, co_consts=tuple(inner))


def function_of(module: ModuleType, name: str) -> FunctionType:
    """The function of that qualified name, out of what decorators made of it."""
    owner: Any = module
    for part in name.split("."):
        owner = vars(owner)[part]
    if isinstance(owner, functools.cached_property):
        owner = owner.func
    if isinstance(owner, property):
        owner = owner.fget
    while hasattr(owner, "__wrapped__"):
        owner = owner.__wrapped__
    assert isinstance(owner, FunctionType)
    return owner


def changed_by(mutant: Mutant) -> tuple[str, CodeType] | None:
    """The function that a mutant changes, with its new code; None where it changes none, as in an annotation."""
    text = (ROOT / mutant.path).read_text()
    new = mutate_code(text, get_operator(mutant.operator)(), mutant.occurrence)
    file = str(ROOT / mutant.path)
    try:
        before, after = codes(compile(text, file, "exec")), codes(compile(new, file, "exec"))
    except SyntaxError:
        return None
    for name, code in after.items():
        if name not in before or without_positions(before[name]) != without_positions(code):
            return name, code
    return None


class Tracer:
    """The lines of the rooms that a test runs, also in the processes that it forks."""

    def __init__(self, folder: Path) -> None:
        self.files = {
            str(file): str(file.relative_to(ROOT)) for room in ROOMS for file in (ROOT / room).glob("*.py")
        }
        self.lines: set[Line] = set()
        self.folder = folder
        self.record = record = forked._record

        def recorded(*arguments: Any) -> None:
            try:
                record(*arguments)
            finally:
                sys.settrace(None)
                text = "\n".join(f"{path}:{line}" for path, line in self.lines)
                (self.folder / str(os.getpid())).write_text(text)

        forked._record = recorded  # type: ignore[assignment]

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        path = self.files.get(frame.f_code.co_filename)
        if path is None:
            return None

        def note(frame: FrameType, event: str, _: object) -> Any:
            self.lines.add((path, frame.f_lineno))
            return note

        return note

    def lines_of(self, item: pytest.Item) -> set[Line] | None:
        """The lines that a test runs; None where it fails."""
        self.lines = set()
        sys.settrace(self)
        try:
            passed = passes(item)
        finally:
            sys.settrace(None)
        for file in self.folder.iterdir():
            for text in file.read_text().splitlines():
                path, _, line = text.rpartition(":")
                self.lines.add((path, int(line)))
            file.unlink()
        return self.lines if passed else None


def passes(item: pytest.Item) -> bool:
    return all(not report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def is_about(item: pytest.Item, path: str) -> bool:
    """Whether a test stands in the mirror of a file, or has its name for a parameter as those of the rules do."""
    name = Path(path).stem
    return item.path.stem == f"test_{name}" or item.name.endswith(f"[{name}]")


class Mutation:
    """The pytest plugin that runs mutants in the place of the tests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        until = time.monotonic() + 60 * self.options.minutes
        came_by = self._traced(session.items)
        everything = list(mutants(self.options.only))
        random.Random(self.options.seed).shuffle(everything)
        outcomes: Counter[str] = Counter()
        running: dict[int, Mutant] = {}
        survivors: list[str] = []

        def collect() -> None:
            pid, status = os.wait()
            mutant = running.pop(pid)
            survived = os.waitstatus_to_exitcode(status) == SURVIVED
            outcomes["survived" if survived else "killed"] += 1
            if survived:
                survivors.append(str(mutant))
                print(f"survived: {mutant}", flush=True)

        tried = 0
        for mutant in everything:
            if time.monotonic() > until:
                break
            tried += 1
            changed = changed_by(mutant)
            if changed is None:
                outcomes["changes no function"] += 1
                continue
            items = came_by.get((mutant.path, mutant.line), [])[: self.options.tests]
            if not items:
                outcomes["survived"] += 1
                survivors.append(f"{mutant}: no test comes by")
                print(f"survived: {survivors[-1]}", flush=True)
                continue
            while len(running) >= self.options.processes:
                collect()
            running[self._started(mutant, changed, items)] = mutant
        while running:
            collect()
        counted = outcomes["killed"] + outcomes["survived"]
        killed = outcomes["killed"]
        print(
            f"{len(everything)} mutants, {tried} drawn with seed {self.options.seed}: "
            f"{outcomes['changes no function']} change no function; "
            f"of the other {counted}, {killed} killed ({killed / max(1, counted):.1%})"
        )
        for survivor in sorted(survivors):
            print("  ", survivor)
        return True

    def _traced(self, items: list[pytest.Item]) -> dict[Line, list[pytest.Item]]:
        """By line: the tests that come by; first those about its file, then those that run most of it."""
        with tempfile.TemporaryDirectory() as folder:
            tracer = Tracer(Path(folder))
            runs = [(item, tracer.lines_of(item)) for item in items]
            forked._record = tracer.record
        failed = [item.nodeid for item, lines in runs if lines is None]
        print(f"{len(items)} tests, {len(failed)} of them fail as it is: {failed}", flush=True)
        came_by: dict[Line, list[tuple[bool, int, pytest.Item]]] = {}
        for item, lines in runs:
            in_file = Counter(path for path, _ in lines or ())
            for line in lines or ():
                came_by.setdefault(line, []).append((is_about(item, line[0]), in_file[line[0]], item))
        return {
            line: [item for *_, item in sorted(items, key=lambda one: one[:2], reverse=True)]
            for line, items in came_by.items()
        }

    def _started(self, mutant: Mutant, changed: tuple[str, CodeType], items: list[pytest.Item]) -> int:
        name, code = changed
        module = importlib.import_module(mutant.path.removesuffix(".py").replace("/", "."))
        function = function_of(module, name)
        pid = os.fork()
        if pid:
            return pid
        status = KILLED
        try:
            signal.alarm(LONGEST)
            function.__code__ = code
            status = SURVIVED if all(passes(item) for item in items) else KILLED
        finally:
            os._exit(status)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=15, help="when to stop")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", type=int, default=60, help="how many tests a mutant has to survive")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the path of the files to change")
    parser.add_argument("where", nargs="*", default=[str(TESTS)], help="the tests to run")
    options = parser.parse_args()
    plain = ["-q", "-s", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore"]
    sys.exit(pytest.main([*plain, *options.where], plugins=[Mutation(options)]))


if __name__ == "__main__":
    main()
