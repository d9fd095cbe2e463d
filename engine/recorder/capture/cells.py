"""The cells of a notebook, called as IPython counts them: `In [3]`.

IPython gives each cell's code the name of a file that there is none of, or of a temporary one, and leaves the text with
`linecache`. There it stands under the cell's own name too, for whoever shows the source.
"""

from __future__ import annotations

import linecache
import re
import sys

_CELL = re.compile(r"In \[\d+\]")


def is_cell(file: str) -> bool:
    """Whether code of that file name is a cell's, or that is a cell's own name."""
    return _number(file) is not None or _CELL.fullmatch(file) is not None


def shown_name(file: str) -> str:
    """What the reader calls the file: itself, or `In [3]` for a cell."""
    number = _number(file)
    if number is None:
        return file
    name = f"In [{number}]"
    lines = linecache.getlines(file)
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    return name


def _number(file: str) -> str | None:
    shells = getattr(sys.modules.get("IPython.core.interactiveshell"), "InteractiveShell", None)
    if shells is None or not shells.initialized():
        return None
    tell = getattr(shells.instance().compile, "format_code_name", None)
    told = None if tell is None else tell(file)
    found = None if told is None else re.fullmatch(r"In ?\[(\d+)\]", told[1])
    return found[1] if found else None
