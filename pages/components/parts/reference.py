"""The reference table: ten ways to take values out of a graph, each cell measured, each script there to repeat."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from engine.evidence.reference import NOTES, Came, Row, reference_table
from pages.components.shell import keeper
from pages.components.shell.view import View

_HEADS = (
    "line",
    "values",
    "memory",
    "requires_grad",
    "grad_fn",
    "gradient through the result",
    "y's own gradient",
    "with an edit in place",
    "by a later loss",
)
_WRAPS = "white-space: normal"


def show_reference_section(view: View) -> None:
    """A toggle, and below it the table: it is the same for every pattern, and shown when it is asked for."""
    st.header("Ten ways to take values out of a graph", anchor=False)
    st.toggle(
        "Run the table: detach, .data, no_grad, clone, item and more, side by side",
        **keeper.bound("reference", view.reference, lambda now, shown: replace(now, reference=shown)),
    )
    if view.reference:
        show_reference()


def show_reference() -> None:
    """The table, what `backward()` said in it, and below it the script of each row."""
    rows = reference_table()
    st.markdown(
        "Each row takes the values of a tensor `y` (3, twice a leaf of 1.5) out of its graph by one line of code. Every cell is measured by "
        "the row's script, which torch runs here and you can run at home. **Gradient through the result**: whether one "
        "comes back to the leaf behind `y`. **y's own gradient**: what the leaf gets by another loss, `y**2`, made before "
        "the line. For its derivative autograd keeps `y`; **with an edit in place**, the result is multiplied by 10 "
        "before `backward()`, which matters where this reaches `y`. **By a later loss**: `y**2` made after the line. "
        "Only a leaf can be frozen, so there `y` is the leaf."
    )
    st.html(reference_html(rows))
    st.markdown("\n".join(f"- {note}" for note in NOTES))
    st.subheader("The scripts behind the rows", anchor=False)
    for row in rows:
        with st.expander(f"`{row.line}`"):
            st.code(row.code, language="python", wrap_lines=True)


def reference_html(rows: tuple[Row, ...]) -> str:
    """The table; what was raised stands below it, word for word, under the numbers that its cells give."""
    raised = [
        came.refusal
        for row in rows
        for came in (row.gradient_through, row.before, row.edit.came, row.after)
        if came.refusal is not None
    ]
    notes = {words: number for number, words in enumerate(dict.fromkeys(raised), start=1)}
    head = "".join(f'<th scope="col" style="{_WRAPS}">{escape(name)}</th>' for name in _HEADS)
    body = "".join(
        f'<tr><th scope="row" style="{_WRAPS}"><code style="font-size: .72rem">{escape(row.line)}</code></th>'
        + "".join(f'<td style="text-align: left">{escape(cell)}</td>' for cell in _cells(row, notes))
        + "</tr>"
        for row in rows
    )
    said = "".join(f"<li>{escape(words)}</li>" for words in notes)
    label = "Reference table: ten ways to take values out of a graph"
    return (
        f'<div class="lab"><div class="scroll" tabindex="0" role="group" aria-label="{label}">'
        f'<table style="font-size: .8rem"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f'<p style="margin-top: .6rem">What was raised, word for word:</p><ol>{said}</ol></div>'
    )


def _cells(row: Row, notes: dict[str, int]) -> tuple[str, ...]:
    no_tensor = row.requires_grad is None
    return (
        "the same" if row.values_same else "changed",
        "shared" if row.shares_memory else "its own",
        "no tensor" if no_tensor else str(row.requires_grad),
        "no tensor" if no_tensor else str(row.grad_fn),
        _came(row.gradient_through, notes),
        _came(row.before, notes),
        _edit(row, notes),
        _came(row.after, notes),
    )


def _came(came: Came, notes: dict[str, int]) -> str:
    if came.refusal is not None:
        return f"✕ raises ({notes[came.refusal]})"
    return "✕ None" if came.gradient is None else f"✔ {came.text}"


def _edit(row: Row, notes: dict[str, int]) -> str:
    came = _came(row.edit.came, notes)
    if row.edit.kind == "silently wrong":
        return f"⚠ wrong: {row.edit.came.text}"
    return came.replace("raises", "edit raises") if row.edit.kind == "raises when edited" else came
