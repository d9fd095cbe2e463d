"""What is traced: the file that whoever started the server named, or one of the ready examples.

The name comes from the command line and from nowhere else: `streamlit run streamlit_app.py -- --trace FILE`, or
`--run SCRIPT ITS ARGUMENTS`. No link, no field and no upload can name another one. A reader only chooses among what is listed.
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
from engine.subprocess_recording import record_apart, record_run_apart
from pages.components.shell import keeper
from pages.components.shell.command_line import Named, named_file
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
    run: tuple[str, ...] = ()
    """A script and its arguments, where it is run and not traced."""


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
        format_func=lambda name: (
            f"Your {_what(own)}, {own.title}" if own and name == _YOURS else ready[name].title
        ),
        **keeper.bound("traced", chosen, lambda now, name: replace(now, traced=name)),
    )
    if chosen == _YOURS and own is not None:
        path = os.path.abspath(own.file)
        is_file = own.is_run and own.words[0] != "-m"
        run = (path, *own.words[1:]) if is_file else own.words if own.is_run else ()
        return Traced(path, _changed_at(path), True, own.title, "", run)
    example = ready[chosen]
    return Traced(str(example.path), _changed_at(str(example.path)), False, example.title, example.story)


def _what(own: Named) -> str:
    return "script" if own.is_run else "file"


def report_on(traced: Traced) -> StepRecord | ScriptError:
    """The report on a file as it is now, recorded in a process of its own, once for everybody."""

    def compute() -> StepRecord | ScriptError:
        try:
            return record_run_apart(traced.run) if traced.run else record_apart(traced.path)
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
    """How to get the report on code of one's own."""
    st.header("Trace code of your own", anchor=False)
    st.markdown(
        "On your own machine. A training script runs unchanged, with its own arguments, until its second optimizer step has ended. A traced file defines `step()`, which returns the loss; modules, tensors and optimizers "
        "are found among its module-level names. The page follows the file: save it, and the report is new."
    )
    st.code(
        "python -m engine run train.py --lr 0.1                 # the report in the terminal\n"
        "python -m engine run --json train.py                   # for tools; exit status 1 where something starves\n"
        "python -m engine run --format html --output report.html train.py       # one self-contained file to share\n"
        "streamlit run streamlit_app.py -- --run train.py       # this page, on your script\n"
        "python -m engine trace my_step.py                      # the report on a file that defines step()\n"
        "streamlit run streamlit_app.py -- --trace my_step.py   # this page, on that file",
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
