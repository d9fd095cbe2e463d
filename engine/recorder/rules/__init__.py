"""The rules, one file each, found by being there. A file sets `RULE`; its name is the rule's.

To add one, put a file beside these and nothing else: the report, the commands `explain` and `rules`, the page, the
reference in the docs and the contract tests find it.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(replace(import_module(f".{name}", __name__).RULE, name=name) for name in names)


@cache
def rules_of(kind: str) -> tuple[Rule, ...]:
    """The rules of a kind, or the one of that name: the one that is named as the kind first.

    Raises `ValueError`, with the nearest names, where there is none.
    """
    found = [rule for rule in all_rules() if kind in (rule.kind, rule.name)]
    if not found:
        known = {name for rule in all_rules() for name in (rule.kind, rule.name)}
        near = difflib.get_close_matches(kind, known, cutoff=0.0)
        raise ValueError(f"no rule is called {kind!r}; the nearest are {', '.join(near)}")
    return tuple(sorted(found, key=lambda rule: rule.name != kind))


def what_of(kind: str) -> str:
    """What happens at a cut or fault of that kind, as half a sentence."""
    return rules_of(kind)[0].what


def title_of(kind: str) -> str:
    """The title of a kind: what a reader sees instead of its identifier."""
    return rules_of(kind)[0].title
