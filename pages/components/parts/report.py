"""The report on a traced step: the verdict, what to write instead, the annotated source, the picture, the tables."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from engine.recorder import StepRecord
from engine.recorder.record import ParameterRecord
from engine.recorder.record_file import ScriptError
from engine.recorder.render.groups import Told, buffer_rows, parameter_rows, told
from engine.recorder.render.html import call_row, cut_row, templates
from engine.recorder.render.picture import boxes_of
from engine.recorder.render.words import place
from engine.recorder.rules import rules_of
from pages.components.canvas.component import show_canvas
from pages.components.canvas.payload import Look
from pages.components.canvas.scenes import step_picture
from pages.components.parts.source import show_source
from pages.components.parts.tracing import Traced, report_on, show_plain

_ROWS = 300
"""Rows of a table that are shown at once; the filter finds the others."""
_TEMPLATES = Path(__file__).with_name("templates")


def show_report(traced: Traced) -> None:
    """Everything the recorder says of the file."""
    if traced.story:
        st.markdown(traced.story)
    with st.spinner("Recording the step in a process of its own ..."):
        found = report_on(traced)
    if isinstance(found, ScriptError):
        st.error(_plain(_short(str(found), traced)))
        show_plain(traced)
        return
    (st.success if found.ok else st.error)(f"**Verdict.** {_plain(_short(found.verdict, traced))}")
    if found.raised is not None:
        st.markdown(f"**{found.raised.type}** in `{found.raised.stage}`, word for word:")
        st.code(found.raised.message, language=None, wrap_lines=True)
    for one in told(found):
        _finding(one)
    st.header("Gradient coverage", anchor=False)
    show_source(traced, found)
    st.header("The picture", anchor=False)
    show_canvas(step_picture(found), Look(), "step")
    with st.expander("The picture in words"):
        st.html(picture_html(found))
    st.header("The parameters", anchor=False)
    _show("parameters", "Parameters", rows=parameter_rows(found), buffers=buffer_rows(found.buffers))
    _paths(found)
    _cuts(found)
    _calls(found)


def _short(text: str, traced: Traced) -> str:
    """The text with the file's name alone where it has the whole path: a host's folders are nobody's business."""
    return text.replace(traced.path, traced.path.rpartition("/")[2])


def picture_html(step: StepRecord) -> str:
    """The modules as boxes in the order of the calls; each opens to its calls."""
    return _rendered("picture", boxes=boxes_of(step))


def _rendered(name: str, **shown: object) -> str:
    return templates(_TEMPLATES).get_template(f"report_{name}.html").render(**shown)


def _show(table: str, label: str, **shown: object) -> None:
    st.html(_rendered(table, label=label, **shown))


def _finding(one: Told) -> None:
    finding = one.finding
    with st.container(border=True):
        at = f", {_plain(one.place)}" if one.place else ""
        st.markdown(f"**{one.number}. {_plain(finding.title)}** ({one.severity.signed}{at})")
        if finding.location is not None:
            st.code(finding.location.text.strip(), language="python", wrap_lines=True)
        if one.text:
            st.markdown(_plain(one.text))
        if finding.suggestion:
            st.markdown(f"**Write instead:** {_plain(finding.suggestion)}")
        _about(one)


def _about(one: Told) -> None:
    """What the rule says in general, folded away: it is the same for every file."""
    rule = rules_of(one.finding.rule)[0]
    label = f"Why it hurts: {rule.title}"
    with st.expander(label, on_change="rerun", key=f"rule of finding {one.number}") as fold:
        if fold.open:
            st.markdown(_plain(rule.why))
            st.markdown("With the fault:")
            st.code(rule.bad.strip(), language="python", wrap_lines=True)
            st.markdown("Without it:")
            st.code(rule.good.strip(), language="python", wrap_lines=True)


def _cuts(step: StepRecord) -> None:
    st.header("Every cut in the step", anchor=False)
    if not step.cuts:
        st.markdown("None: no path from a tracked tensor ends on the way to the loss.")
        return
    _show("cuts", "Cuts", rows=[cut_row(cut, step) for cut in step.cuts])


def _paths(step: StepRecord) -> None:
    reached = [p for p in step.parameters if p.paths]
    if not reached:
        return
    with st.expander("The lines that each gradient came through"):
        st.caption("One run cannot tell that a detach is missing: look for a path that you do not want.")
        _show("paths", "Paths", rows=_path_rows(reached, step.file))


def _path_rows(parameters: list[ParameterRecord], file: str) -> list[tuple[str, list[str]]]:
    return [
        (p.name, [f"{place(at, file)}: {at.text.strip()}" for at in path.lines])
        for p in parameters
        for path in p.paths
    ]


def _calls(step: StepRecord) -> None:
    st.header("Every call", anchor=False)
    wanted = st.text_input(
        "Filter", placeholder="linear, line text, a module's name ...", key="calls filter"
    ).lower()
    rows = [call_row(stage, step) for stage in step.stages]
    found = [row for row in rows if wanted in " ".join(map(str, row)).lower()]
    st.caption(
        f"{len(found)} of {len(rows)} calls" + (f", the first {_ROWS} shown" if len(found) > _ROWS else "")
    )
    _show("calls", "Calls", rows=found[:_ROWS])


def _plain(text: str) -> str:
    """The engine's sentences are markdown with code in backticks; outside of those nothing is to be read as markup."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\$\[\]<>*_#|~:!])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
