"""Questions to the reader's source text: which `with` stands around a line, which decorator above a function.

They are asked of the syntax tree, which is parsed once a file version. A file that can't be read or parsed
answers None to everything: a record without the answer is better than none.
"""

from __future__ import annotations

import ast
import linecache
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType, FrameType

from ...syntax import parse
from .frames import Line, Passed, judged


@dataclass(slots=True)
class Source:
    """One parsed file."""

    withs: list[tuple[int, int, str]] = field(default_factory=list)
    """(line of the with, its last line, the text of its items), outermost first."""
    decorators: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """By the first line of a function: the lines and texts of its decorators."""
    assigned: dict[int, str] = field(default_factory=dict)
    """By line: the variable that a one-target assignment on it sets."""
    bound: list[tuple[int, int, dict[str, int]]] = field(default_factory=list)
    """(first line, last line, by variable the last line that assigns it) of the file and of every function in it."""
    added: list[tuple[int, str]] = field(default_factory=list)
    """(line, the last name of the variable) wherever something is put into one: `+=`, `.append(...)`, `[key] = ...`."""
    grads: list[tuple[int, str]] = field(default_factory=list)
    """(line, variable) wherever the `.grad` of a variable is read."""
    returns: dict[tuple[str, str], int] = field(default_factory=dict)
    """By (class, method): the line of the method's last `return`."""
    calls: list[tuple[int, str]] = field(default_factory=list)
    """(line, name) of every call written in the file."""


_CACHE: dict[str, tuple[list[str], Source]] = {}
_LOCK = threading.Lock()


def source(file: str) -> Source:
    """The parsed file, as `linecache` knows it."""
    lines = linecache.getlines(file)
    with _LOCK:
        known = _CACHE.get(file)
        if known is not None and known[0] is lines:
            return known[1]
    parsed = _parse("".join(lines))
    with _LOCK:
        if len(_CACHE) > 500:
            _CACHE.clear()
        _CACHE[file] = (lines, parsed)
    return parsed


def _parse(text: str) -> Source:
    found = Source()
    try:
        tree = parse(text)
    except (SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            items = ", ".join(ast.unparse(item.context_expr) for item in node.items)
            found.withs.append((node.lineno, node.end_lineno or node.lineno, items))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
            marks = [(d.lineno, ast.unparse(d)) for d in node.decorator_list]
            found.decorators[min(line for line, _ in marks)] = marks
        elif isinstance(node, ast.ClassDef):
            found.returns |= _returns(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name | ast.Attribute):
                name = ast.unparse(targets[0])
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found.assigned[line] = name
        elif isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            found.grads.append((node.lineno, ast.unparse(node.value)))
        elif isinstance(node, ast.Call):
            found.calls.append((node.lineno, ast.unparse(node.func)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.bound.append((node.lineno, node.end_lineno or node.lineno, _bound_in(node.body)))
        if isinstance(node, ast.Call | ast.stmt):
            found.added += [(node.lineno, name) for name in _added_to(node)]
    found.bound.append((0, sys.maxsize, _bound_in(tree.body)))
    found.withs.sort()
    return found


def _bound_in(body: Iterable[ast.stmt]) -> dict[str, int]:
    """By variable: the last line among some statements, and the blocks in them, that assigns it."""
    found: dict[str, int] = {}
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for name in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                found[name] = statement.lineno
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                found |= _bound_in(getattr(statement, block, ()))
    return found


def _returns(owner: ast.ClassDef) -> dict[tuple[str, str], int]:
    methods = [node for node in owner.body if isinstance(node, ast.FunctionDef)]
    return {
        (owner.name, method.name): max(
            node.lineno for node in ast.walk(method) if isinstance(node, ast.Return)
        )
        for method in methods
        if any(isinstance(node, ast.Return) for node in ast.walk(method))
    }


_ADDERS = frozenset(["append", "appendleft", "extend", "add", "insert", "update", "setdefault", "put"])


def _added_to(node: ast.AST) -> list[str]:
    """The variables that a statement or call puts something into, by their last names."""
    holders: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDERS:
        holders = [node.func.value]
    elif isinstance(node, ast.AugAssign):
        holders = [node.target]
    elif isinstance(node, ast.Assign):
        holders = [target.value for target in node.targets if isinstance(target, ast.Subscript)]
    names = []
    for holder in holders:
        while isinstance(holder, ast.Subscript | ast.Call):
            holder = holder.value if isinstance(holder, ast.Subscript) else holder.func
            holder = holder.value if isinstance(holder, ast.Attribute) and holder.attr in _ADDERS else holder
        names += (
            [holder.id if isinstance(holder, ast.Name) else holder.attr]
            if isinstance(holder, ast.Name | ast.Attribute)
            else []
        )
    return names


def line_that_adds(file: str, name: str) -> Line | None:
    """The last line of the file that puts something into the variable (or attribute) of that name."""
    lines = [line for line, holder in source(file).added if holder == name]
    return Line(file, max(lines)) if lines else None


def block_around(frame: FrameType | None, word: str) -> Line | None:
    """The line of the innermost `with` or decorator that says `word` around the running lines of the stack."""
    while frame is not None:
        code = frame.f_code
        flags = judged(frame)
        if flags & Passed.RECORDER:
            return None
        if flags & Passed.READER:
            text = source(code.co_filename)
            around = [a for a, b, items in text.withs if a <= frame.f_lineno <= b and word in items]
            if around:
                return Line(code.co_filename, around[-1])
            mark = decorator_line(code.co_filename, code.co_firstlineno, word)
            if mark is not None:
                return mark
        frame = frame.f_back
    return None


def decorator_line(file: str, first_line: int, word: str) -> Line | None:
    """The line of the decorator that says `word` on the function that starts at `first_line`."""
    marks = source(file).decorators.get(first_line, [])
    return next((Line(file, line) for line, text in marks if word in text), None)


def assigned_name(line: Line | None) -> str:
    """The variable that the assignment on a line sets, or ""."""
    return "" if line is None else source(line.file).assigned.get(line.line, "")


def grads_read_on(line: Line) -> set[str]:
    """The variables whose `.grad` a line reads."""
    return {name for at, name in source(line.file).grads if at == line.line}


def grads_read_after(code: CodeType, line: int) -> dict[str, int]:
    """The variables whose `.grad` the code reads after a line of it, each with the first line that does."""
    own = {at for _, _, at in code.co_lines() if at is not None and at > line}
    return {name: at for at, name in sorted(source(code.co_filename).grads, reverse=True) if at in own}


def line_that_calls(file: str, word: str, before: int | None = None) -> Line | None:
    """The last line of the file (before a line, if one is given) that calls something named `word`."""
    lines = [n for n, name in source(file).calls if name.split(".")[-1] == word]
    near = [n for n in lines if before is None or n <= before]
    return Line(file, max(near or lines)) if lines else None


def line_that_assigns(file: str, target: str) -> Line | None:
    """The last line of the file that assigns a name or attribute as it is written there: `self.layers`."""
    lines = [line for line, name in source(file).assigned.items() if name == target]
    return Line(file, max(lines)) if lines else None


def line_that_assigns_to_self(owner: object, attribute: str) -> Line | None:
    """The line of an object's class that assigns an attribute of `self`: the first one, in the class nearest to it."""
    for kind in type(owner).__mro__:
        for method in vars(kind).values():
            code = getattr(method, "__code__", None)
            if not isinstance(code, CodeType):
                continue
            own = {at for _, _, at in code.co_lines()}
            assigned = source(code.co_filename).assigned
            lines = [at for at, name in assigned.items() if at in own and name == f"self.{attribute}"]
            if lines:
                return Line(code.co_filename, min(lines))
    return None


def line_that_returns(file: str, owner: str, method: str) -> Line | None:
    """The line of the last `return` in a method of a class."""
    line = source(file).returns.get((owner, method))
    return None if line is None else Line(file, line)


def line_that_binds(file: str, variable: str, seen_from: int = 0) -> Line | None:
    """The last line that assigns the variable, in the scopes that a line of the file sees, the innermost first.

    Where none of them does, it is that of the only function which does, as where `main()` makes what others are given.
    """
    scopes = sorted(source(file).bound, key=lambda scope: scope[1] - scope[0])
    own = [
        names[variable] for first, last, names in scopes if first <= seen_from <= last and variable in names
    ]
    others = {names[variable] for _, _, names in scopes if variable in names}
    line = own[0] if own else others.pop() if len(others) == 1 else None
    return None if line is None else Line(file, line)
