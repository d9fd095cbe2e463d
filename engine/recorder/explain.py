"""What the rules say of themselves: one rule or kind explained, the table of all, and the reference page of the docs.

All of it comes from the rules' own files, so nothing is to be kept in step by hand.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from .rule import Rule
from .rules import all_rules, rules_of

_WIDTH = 100
_HEAD = """# The rules

Each kind of finding that the recorder reports: what happens, why it hurts, what to write instead, and a whole step with
the fault beside the same step without it. `detach-lab explain KIND` shows one of them in the terminal.

This page is generated from the files in `engine/recorder/rules/`, which a test checks:
`python -m engine rules --markdown > docs/rules.md`.
"""


def explanation(kind: str) -> str:
    """All rules of a kind, or the one of that name. Raises `ValueError`, with the nearest names, for an unknown one."""
    return "\n\n".join("\n".join(_told(rule)) for rule in rules_of(kind)) + "\n"


def _told(rule: Rule) -> Iterator[str]:
    yield f"{rule.title}  [{_called(rule)}]"
    yield ""
    yield from _wrapped(f"What happens: {rule.what}.")
    yield from _wrapped(f"Why it hurts: {rule.why}")
    yield from _wrapped(f"Instead: {rule.instead}")
    yield from _wrapped(f"Severity: {_severity(rule)}")
    if rule.calls > 1:
        yield f"Shown by: --calls {rule.calls}"
    for head, example in (("With the fault:", rule.bad), ("Without it:", rule.good)):
        yield ""
        yield head
        yield ""
        yield textwrap.indent(example.strip(), "    ")


def table() -> str:
    """Every rule in a line: its name, the kind of its findings, its title."""
    rows = [("name", "kind", "title"), *((rule.name, rule.kind, rule.title) for rule in all_rules())]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    return "".join(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {title}\n" for name, kind, title in rows)


def markdown() -> str:
    """The reference page: the table, then every rule."""
    rows = "".join(
        f"| [{rule.name}](#{rule.name}) | {rule.kind} | {rule.title} | {rule.what} |\n"
        for rule in all_rules()
    )
    rules = "\n".join("\n".join(_section(rule)) for rule in all_rules())
    return f"{_HEAD}\n| name | kind | title | what happens |\n|---|---|---|---|\n{rows}\n{rules}\n"


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.name}\n"
    yield f"**{rule.title}.** Kind: `{rule.kind}`. Severity: {_severity(rule)}\n"
    yield f"What happens: {rule.what}.\n"
    yield f"Why it hurts: {rule.why}\n"
    yield f"Instead: {rule.instead}\n"
    if rule.calls > 1:
        yield f"Shown by `--calls {rule.calls}`.\n"
    for head, example in (("With the fault:", rule.bad), ("Without it:", rule.good)):
        yield f"{head}\n\n```python\n{example.strip()}\n```\n"


def _called(rule: Rule) -> str:
    return rule.name if rule.name == rule.kind else f"{rule.name}, of the kind {rule.kind}"


def _severity(rule: Rule) -> str:
    return f"{rule.severity.word} ({rule.severity.name.lower().replace('_', ' ')})."


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
