"""Tables of text as HTML: headed, escaped, and within a frame of their own that the keyboard can scroll.

Streamlit's own data frame draws on a canvas, which a screen reader can't read well and axe faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

import streamlit as st

Kind = Literal["figures", "words", "compared"]
"""What the cells are: figures with a sentence in the last, words, or words under a head for each row."""


def show_html(body: str) -> None:
    """HTML of our own, in the app's own style; what a reader wrote must be escaped in it."""
    st.html(f'<div class="lab">{body}</div>')


def table_html(label: str, heads: Sequence[str], rows: Iterable[Sequence[str]], kind: Kind) -> str:
    """The table; `label` names it for those who do not see it.

    In a table of the kind "compared" the first cell of each row is its head, and `heads` has none for it.
    """
    named = [f'<th scope="col">{escape(head)}</th>' for head in heads]
    if kind == "compared":
        named.insert(0, "<td></td>")
    body = "".join(f"<tr>{_cells(row, kind)}</tr>" for row in rows)
    frame = "scroll" if kind == "compared" else "long"
    return (
        f'<div class="lab"><div class="{frame} {kind}" tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<table><thead><tr>{''.join(named)}</tr></thead><tbody>{body}</tbody></table></div></div>"
    )


def _cells(row: Sequence[str], kind: Kind) -> str:
    cells = [escape(cell) for cell in row]
    if kind == "words":
        return "".join(f'<td class="said">{cell}</td>' for cell in cells)
    if kind == "compared":
        return f'<th scope="row">{cells[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in cells[1:])
    return "".join(f"<td>{cell}</td>" for cell in cells[:-1]) + f'<td class="said">{cells[-1]}</td>'
