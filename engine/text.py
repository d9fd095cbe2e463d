"""Words and numbers for a sentence, written the same way everywhere."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names for a sentence: "`a`, `b` and 3 more"."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def verb(names: Sequence[str], one: str, many: str) -> str:
    """The verb's form for that many names."""
    return one if len(names) == 1 else many


def first_line(text: object, otherwise: str = "") -> str:
    """The first line of a message, or something else where it is empty."""
    return (str(text).strip().splitlines() or [otherwise])[0].rstrip()
