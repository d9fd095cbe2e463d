"""The code of what is shown: the very text that ran, to copy or download."""

from __future__ import annotations

import streamlit as st

from engine import Settings, Trace
from engine.twins.experiment_script import script_of
from engine.twins.export import export_script
from pages.components.shell.view import View


def show_code(view: View) -> None:
    """The whole script of the run, the line with the detach marked, where the link does not hide it."""
    if not view.shows("code"):
        return
    settings, epoch = view.settings, view.epoch
    script = script_of(settings)
    st.header("The code that ran", anchor=False)
    if script.marked_line is None:
        st.caption("There is no detach in it: both steps are the same.")
    else:
        line = script.text.splitlines()[script.marked_line - 1].partition("#")[0].strip()
        st.markdown(
            f"Line {script.marked_line} is the detach: `{line}`. The script prints both runs' losses to the last digit, and epoch {epoch} in full: the prediction, each parameter and its gradient."
        )
    code = export_script(settings, epoch)
    st.download_button(
        "Download the script",
        code,
        file_name=f"{_file_name(settings)}.py",
        mime="text/x-python",
        on_click="ignore",
    )
    # What is folded away is neither sent nor drawn.
    with st.expander("Show the script", on_change="rerun", key="script") as fold:
        if fold.open:
            st.code(code, language="python", line_numbers=True, wrap_lines=True)


def download_trace(trace: Trace) -> None:
    """A button that gives the trace as CSV, every digit kept."""
    name = f"{_file_name(trace.settings)}.csv"
    st.download_button(
        "Download the trace (CSV)", trace.to_csv, file_name=name, mime="text/csv", on_click="ignore"
    )


def _file_name(settings: Settings) -> str:
    """A name that tells two runs apart."""
    s = settings
    return f"{s.experiment}_{s.detach}_{s.epochs}_{s.optimizer}_{s.learning_rate:g}_{s.start}_{s.seed}"
