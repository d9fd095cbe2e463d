"""The reader's source text as it was when the step ran, and its words by what they are, for showing it."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import linecache
import tokenize
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ...syntax import parse

Style = Literal["", "keyword", "builtin", "string", "number", "comment"]


class Piece(NamedTuple):
    """A stretch of one line: a keyword, a string, or plain text ("")."""

    style: Style
    text: str


class SourceText(NamedTuple):
    """The lines of one file by number."""

    lines: Mapping[int, str]
    whole: bool
    """False where the file is gone or has changed since: only the lines that the record quotes are here."""
    statements: Mapping[int, int]
    """By each further line of a statement that stands on several: the first line of it."""


def read_source(file: str, quoted: Mapping[int, str]) -> SourceText:
    """The text of a file, if that is still the text in which the record's lines stand as it quotes them."""
    linecache.checkcache(file)
    lines = {number: line.rstrip("\r\n") for number, line in enumerate(linecache.getlines(file), 1)}
    if not lines or any(lines.get(at, "").strip() != text.strip() for at, text in quoted.items() if text):
        return SourceText(dict(sorted(quoted.items())), False, {})
    return SourceText(lines, True, dict(_continued("\n".join(lines.values()))))


def _continued(text: str) -> Iterator[tuple[int, int]]:
    try:
        tree = parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and not hasattr(node, "cases"):
            for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1):
                yield line, node.lineno


def colored(lines: Mapping[int, str]) -> dict[int, tuple[Piece, ...]]:
    """Each line in pieces; what can't be read as Python stays plain."""
    numbers = list(lines)
    if numbers != list(range(1, len(numbers) + 1)):  # lines out of their context
        return {at: (Piece("", text),) for at, text in lines.items()}
    spans: dict[int, list[tuple[int, int, Style]]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines.values()) + "\n").readline):
            if style := _style(token):
                for at in range(token.start[0], token.end[0] + 1):
                    begin = token.start[1] if at == token.start[0] else 0
                    end = token.end[1] if at == token.end[0] else len(lines.get(at, ""))
                    spans.setdefault(at, []).append((begin, end, style))
    except (tokenize.TokenError, SyntaxError):  # colour what was read until then
        pass
    return {at: tuple(_pieces(text, spans.get(at, []))) for at, text in lines.items()}


def _pieces(text: str, spans: list[tuple[int, int, Style]]) -> Iterator[Piece]:
    done = 0
    for begin, end, style in spans:
        if begin > done:
            yield Piece("", text[done:begin])
        yield Piece(style, text[begin:end])
        done = end
    if done < len(text):
        yield Piece("", text[done:])


_BUILTINS = frozenset(dir(builtins)) | {"self", "cls"}
_STYLES: Mapping[int, Style] = {
    tokenize.STRING: "string",
    tokenize.NUMBER: "number",
    tokenize.COMMENT: "comment",
    **{getattr(tokenize, name): "string" for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END") if hasattr(tokenize, name)},
}  # fmt: skip


def _style(token: tokenize.TokenInfo) -> Style:
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return "keyword"
        return "builtin" if token.string in _BUILTINS else ""
    return _STYLES.get(token.type, "")
