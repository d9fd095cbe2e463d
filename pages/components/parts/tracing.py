"""What is traced: the file that whoever started the server named, or one of the ready examples.

The file's name comes from the command line and from nowhere else: `streamlit run streamlit_app.py -- --trace FILE`.
No link, no field and no upload can name another one. A reader only chooses among what is listed.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from engine.examples import examples
from engine.recorder import StepRecord
from engine.recorder.record_file import ScriptError
from engine.serving.cache import Cache
from engine.subprocess_recording import record_apart
from pages.components.shell import keeper
from pages.components.shell.command_line import named_file
from pages.components.shell.turns import turns
from pages.components.shell.view import View

_YOURS = "your file"


@dataclass(frozen=True)
class Traced:
    """A file as it was at one moment: the key under which its report is kept."""

    path: str
    changed_at: int
    own: bool
    title: str
    story: str


reports: Cache[Traced, StepRecord | ScriptError] = Cache(32, lambda _: 1)


def choose_file(view: View) -> Traced:
    """The file to show: the server's own where one is named, and the examples beside it."""
    ready = {example.name: example for example in examples()}
    own = named_file()
    names = ((_YOURS,) if own else ()) + tuple(ready)
    chosen = view.traced if view.traced in names else names[0]
    st.radio(
        "What to trace",
        names,
        format_func=lambda name: f"Your file, {own}" if name == _YOURS else ready[name].title,
        **keeper.bound("traced", chosen, lambda now, name: replace(now, traced=name)),
    )
    if chosen == _YOURS and own is not None:
        path = os.path.abspath(own)
        return Traced(path, _changed_at(path), True, own, "")
    example = ready[chosen]
    return Traced(str(example.path), _changed_at(str(example.path)), False, example.title, example.story)


def report_on(traced: Traced) -> StepRecord | ScriptError:
    """The report on a file as it is now, recorded in a process of its own, once for everybody."""

    def compute() -> StepRecord | ScriptError:
        try:
            return record_apart(traced.path)
        except ScriptError as error:
            return error

    with nullcontext() if traced in reports else turns.given_up():
        return reports.get(traced, compute)


def show_plain(traced: Traced) -> None:
    """The file's text alone, where there is no step to annotate it with."""
    st.header("The file", anchor=False)
    try:
        st.code(
            Path(traced.path).read_text(encoding="utf-8"),
            language="python",
            line_numbers=True,
            wrap_lines=True,
        )
    except (OSError, UnicodeDecodeError):
        st.caption("It can't be read as text.")


def show_how() -> None:
    """How to trace a file of one's own."""
    st.header("Trace a file of your own", anchor=False)
    st.markdown(
        "On your own machine. The file defines `step()`, which returns the loss; modules, tensors and optimizers are "
        "found among its module-level names. The page follows the file: save it, and the report is new."
    )
    st.code(
        "streamlit run streamlit_app.py -- --trace my_step.py   # this page, on your file\n"
        "python -m engine trace my_step.py                      # the same report in the terminal\n"
        "python -m engine trace my_step.py --json               # for tools; exit status 1 where something starves\n"
        "python -m engine trace my_step.py --format html --output report.html   # one file to send on",
        language="bash",
        wrap_lines=True,
    )


def watch(traced: Traced) -> None:
    """Runs the page again once the file is saved; only the server's own file can change."""
    if not traced.own:
        return

    def look() -> None:
        if _changed_at(traced.path) != traced.changed_at:
            st.rerun()

    st.fragment(look, run_every=1.0)()


def _changed_at(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0
