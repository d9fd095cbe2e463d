"""The report on a traced step: the verdict, what to write instead, the picture, the parameters, the calls."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

import streamlit as st

from engine.recorder import StepRecord
from engine.recorder.record import Cut, Location, ParameterRecord, Stage
from engine.recorder.record_file import ScriptError
from pages.components.draw.pipeline import arrows_html
from pages.components.draw.tables import table_html
from pages.components.parts.tracing import Traced, report_on

_BOXES = 40
"""Boxes of a picture that can still be taken in; a longer step is drawn in coarser ones."""
_ROWS = 300
"""Rows of a table, or calls of a box, that are shown at once; the filter finds the others."""

_STATES = {
    "gradient": "✔ got a gradient",
    "none": "✕ starved: None",
    "zero": "0 zeros only",
    "not_retained": "· not retained",
}


def show_report(traced: Traced) -> None:
    """Everything the recorder says of the file."""
    if traced.story:
        st.markdown(traced.story)
    with st.spinner("Recording the step in a process of its own ..."):
        found = report_on(traced)
    if isinstance(found, ScriptError):
        st.error(_plain(_short(str(found), traced)))
        return
    (st.success if found.ok else st.error)(f"**Verdict.** {_plain(_short(found.verdict, traced))}")
    if found.raised is not None:
        st.markdown(f"**{found.raised.type}** in `{found.raised.stage}`, word for word:")
        st.code(found.raised.message, language=None, wrap_lines=True)
    _findings(found)
    st.header("The picture", anchor=False)
    st.html(picture_html(found))
    st.header("The parameters", anchor=False)
    st.html(_parameters(found))
    _paths(found)
    _cuts(found)
    _calls(found)


def _short(text: str, traced: Traced) -> str:
    """The text with the file's name alone where it has the whole path: a host's folders are nobody's business."""
    return text.replace(traced.path, traced.path.rpartition("/")[2])


def picture_html(step: StepRecord) -> str:
    """The modules as boxes in the order of the calls; each opens to its calls."""
    boxes = _boxes(step)
    starving = {p.name for p in step.parameters if p.state == "none" and p.requires_grad}
    cuts: dict[int | None, list[Cut]] = {}
    for cut in step.cuts:
        cuts.setdefault(cut.stage, []).append(cut)
    items = []
    for number, calls in enumerate(boxes):
        arrow = _arrow(boxes[number - 1][-1]) if number else ""
        items.append(f"<li>{arrow}{_box(calls, starving, cuts)}</li>")
    items += [f"<li>{_lost(cut)}</li>" for cut in step.cuts if cut.stage is None]
    label = "The step: its modules, the values forward, the gradients back, the cuts"
    return f'<div class="lab"><ol class="pipeline" aria-label="{label}">{"".join(items)}</ol></div>'


def _calls_of(step: StepRecord) -> list[Stage]:
    return [stage for stage in step.stages if stage.operation != "input"]


def _boxes(step: StepRecord) -> list[list[Stage]]:
    """The calls in boxes of one module each; where that makes too many, in boxes of one variable each.

    In a step too long even for that, calls outside of all modules join the box before them, and a box ends at a cut.
    """
    calls = _calls_of(step)
    for depth in (2, 1):
        boxes = [list(group) for _, group in groupby(calls, key=lambda call: _owner(call, depth))]
        if len(boxes) <= _BOXES:
            return boxes
    cuts = {cut.stage for cut in step.cuts}
    boxes = []
    for before, call in zip([None, *calls], calls, strict=False):
        same = before is not None and (not call.module or _owner(call, 1) == _owner(boxes[-1][0], 1))
        if same and call.index not in cuts and boxes[-1][0].index not in cuts:
            boxes[-1].append(call)
        else:
            boxes.append([call])
    return boxes


def _owner(call: Stage, depth: int) -> str:
    """The module of a call: its variable, and with a depth of 2 the first part below it."""
    return ".".join(call.module.split(".")[:depth])


def _arrow(before: Stage) -> str:
    back = {"value": "gradient", "zero": "zeros", "none": "✕ no gradient"}[before.gradient_state]
    return arrows_html("none" if before.gradient_state == "none" else "back", back)


def _box(calls: list[Stage], starving: set[str], cuts: dict[int | None, list[Cut]]) -> str:
    owners = list(dict.fromkeys(_owner(call, 2) for call in calls if call.module))
    title = (
        owners[0]
        if len(owners) == 1
        else f"{owners[0]} to {owners[-1]}"
        if owners
        else ", ".join(dict.fromkeys(call.operation for call in calls[:4]))
    )
    hungry = sorted({name for call in calls for name in call.parameters if name in starving})
    here = [cut for call in calls for cut in cuts.get(call.index, ())]
    notes = [_cut_note(cut) for cut in here[:3]]
    if hungry:
        notes.append(f"✕ starved: {', '.join(hungry[:4])}" + (" ..." if len(hungry) > 4 else ""))
    style = "box cut" if any(not cut.intended for cut in here) else "box starved" if hungry else "box"
    said = "".join(f"<small>{escape(note)}</small>" for note in notes)
    inside = "".join(f"<li>{escape(_call_text(call))}</li>" for call in calls[:_ROWS])
    more = f"<li>and {len(calls) - _ROWS} more: see the table</li>" if len(calls) > _ROWS else ""
    count = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    return (
        f'<div class="{style}"><strong>{escape(title)}</strong>{said}'
        f"<details><summary>{count}</summary><ul>{inside}{more}</ul></details></div>"
    )


def _cut_note(cut: Cut) -> str:
    line = f", line {cut.location.line}" if cut.location else ""
    return f"✂ {cut.kind}{', meant' if cut.intended else ': the gradient stops here'}{line}"


def _lost(cut: Cut) -> str:
    """A cut that is no call on tensors, such as a Python number."""
    line = f"line {cut.location.line}: {cut.location.text.strip()}" if cut.location else ""
    possible = " (possible)" if cut.possible else ""
    style = "box" if cut.intended else "box cut"
    return (
        f'<div class="arrows"><span>✕ no gradient</span></div><div class="{style}">'
        f"<strong>✂ {escape(cut.kind)}{possible}</strong><small>{escape(line)}</small></div>"
    )


def _call_text(call: Stage) -> str:
    where = f", line {call.location.line}" if call.location else ""
    came = {"value": "gradient came", "zero": "zeros came", "none": "no gradient"}[call.gradient_state]
    return f"{call.operation} {list(call.output.shape)}{where}: {came}"


def _findings(step: StepRecord) -> None:
    for finding in step.findings:
        with st.container(border=True):
            st.markdown(f"**{finding.kind}** {_where(finding.location)}")
            if finding.location is not None:
                st.code(finding.location.text.strip(), language="python", wrap_lines=True)
            st.markdown(_plain(finding.text))
            if finding.suggestion:
                st.markdown(f"**Write instead:** {_plain(finding.suggestion)}")


def _cuts(step: StepRecord) -> None:
    st.header("Every cut on the way", anchor=False)
    if not step.cuts:
        st.markdown("None: no path from a tracked tensor ends on the way to the loss.")
        return
    rows = [
        (
            cut.kind + (" (possible)" if cut.possible else ""),
            _line(cut.location),
            cut.location.text.strip() if cut.location else "",
            "meant" if cut.intended else "not meant",
            ", ".join(cut.starved) or "nobody",
            ", ".join(cut.partial) or "nobody",
        )
        for cut in step.cuts
    ]
    st.html(
        table_html(
            "Cuts",
            ("kind", "line", "text", "as far as can be told", "starves", "loses a part"),
            rows,
            "words",
        )
    )


def _parameters(step: StepRecord) -> str:
    rows = [
        (
            p.name,
            " x ".join(map(str, p.shape)) or "scalar",
            _STATES[p.state] if p.requires_grad else "❄ frozen",
            "yes" if p.in_optimizer else "no",
            p.reason,
            _line(p.location),
        )
        for p in step.parameters
    ]
    if step.buffers:
        rows += [
            (buffer.name, "buffer", "moved by the step", "no", "no gradient moves it", "")
            for buffer in step.buffers
        ]
    return table_html(
        "Parameters", ("name", "shape", "gradient", "in an optimizer", "why", "line"), rows, "words"
    )


def _paths(step: StepRecord) -> None:
    reached = [p for p in step.parameters if p.paths]
    if not reached:
        return
    with st.expander("Through which lines each gradient came"):
        st.caption(
            "A detach that is missing can't be told from one run: look for a path that you do not want."
        )
        heads = ("parameter", "lines, from the parameter to the loss")
        st.html(table_html("Paths", heads, _path_rows(reached), "words"))


def _path_rows(parameters: list[ParameterRecord]) -> list[tuple[str, ...]]:
    return [
        (p.name, "  ->  ".join(f"{line.line}: {line.text.strip()}" for line in path.lines) or "directly")
        for p in parameters
        for path in p.paths
    ]


def _calls(step: StepRecord) -> None:
    st.header("Every call", anchor=False)
    wanted = st.text_input(
        "Filter", placeholder="linear, line text, a module's name ...", key="calls filter"
    ).lower()
    rows = [
        (
            str(call.index),
            call.operation,
            call.module,
            " x ".join(map(str, call.output.shape)) or "scalar",
            str(call.output.requires_grad),
            {"value": "came", "zero": "zeros", "none": "none"}[call.gradient_state],
            _line(call.location),
            call.location.text.strip() if call.location else "",
        )
        for call in step.stages
    ]
    found = [row for row in rows if wanted in " ".join(row).lower()]
    st.caption(
        f"{len(found)} of {len(rows)} calls" + (f", the first {_ROWS} shown" if len(found) > _ROWS else "")
    )
    names = ("#", "call", "module", "shape", "requires_grad", "gradient", "line", "text")
    st.html(table_html("Calls", names, found[:_ROWS], "words"))


def _where(location: Location | None) -> str:
    return f"in `{location.file.rpartition('/')[2]}`, line {location.line}" if location else ""


def _line(location: Location | None) -> str:
    return str(location.line) if location else ""


def _plain(text: str) -> str:
    """The engine's sentences are markdown with code in backticks; outside of those nothing is to be read as markup."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\$\[\]<>*_#|~:!])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
