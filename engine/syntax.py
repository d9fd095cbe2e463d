"""Reads Python as a syntax tree, one thread at a time.

CPython 3.11 counts the depth of the trees that it makes for all threads together, and raises `SystemError` where two of
them parse at once (python/cpython#106905).
"""

from __future__ import annotations

import ast
import threading

_one_at_a_time = threading.Lock()


def parse(text: str) -> ast.Module:
    """The tree of a module. Raises `SyntaxError`."""
    with _one_at_a_time:
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """The tree of one expression. Raises `SyntaxError`."""
    with _one_at_a_time:
        return ast.parse(text, mode="eval").body
