"""The pipeline as one picture: the stages in order, the values going forward, the gradient coming back, the cut.

It is drawn from a recorded step. The cut is told by the word, a dashed border and a crossed arrow, not by colour.
"""

from __future__ import annotations

from html import escape
from typing import Literal

import streamlit as st

from engine.recorder import StepRecord
from engine.recorder.records import Stage
from pages.components.words import does, shape_text, stage_title


def show_pipelines(without: StepRecord, with_: StepRecord) -> None:
    """The same step twice, below each other: without the detach, and with it."""
    st.markdown("**Without detach**")
    st.html(pipeline_html(without))
    st.markdown("**With detach**")
    st.html(pipeline_html(with_))
    if with_.raised is not None:
        st.markdown(
            "With the detach, `backward()` refuses to run: no parameter is connected to the loss any more, so no "
            "gradient starts out at all."
        )


def pipeline_html(step: StepRecord) -> str:
    """An ordered list of boxes; between two boxes stand the forward arrow and what came back against it."""
    items = []
    stages = main_stages(step)
    for before, stage in zip((None, *stages), stages, strict=False):
        arrows = ""
        if before is not None:
            joined = before.index in stage.inputs or before.operation == "input"
            arrows = _arrows(before, step) if joined else _APART
        items.append(f"<li>{arrows}{_box(stage, step)}</li>")
    label = "The pipeline: each stage, the values forward, and how far the gradient came back"
    return f'<div class="lab"><ol class="pipeline" aria-label="{label}">{"".join(items)}</ol></div>'


_APART = '<div class="arrows"><span>from</span><span>further back</span></div>'
"""Between two boxes that stand next to each other only because one ran after the other."""


def main_stages(step: StepRecord) -> tuple[Stage, ...]:
    """The stages in a row: the first input, then the calls. An input that joins later belongs to the call it joins."""
    return tuple(stage for stage in step.stages if stage.operation != "input" or stage.index == 0)


def late_inputs(stage: Stage, step: StepRecord) -> tuple[Stage, ...]:
    """The inputs, such as the targets, that join the row at this stage."""
    came = (step.stages[i] for i in stage.inputs)
    return tuple(other for other in came if other.operation == "input" and other.index != 0)


def is_cut(stage: Stage, step: StepRecord) -> bool:
    """Whether this stage is a place where the gradient's path ends."""
    return any(cut.stage == stage.index for cut in step.cuts)


def _box(stage: Stage, step: StepRecord) -> str:
    cut = is_cut(stage, step)
    starved = not cut and bool(stage.parameters) and stage.gradient_state == "none"
    style = "box cut" if cut else "box starved" if starved else "box"
    fed = any(p.name in stage.parameters and p.state == "gradient" for p in step.parameters)
    hungry = "no gradient through here" if fed else "starved: no gradient"
    note = "✂ the gradient stops here" if cut else hungry if starved else does(stage)
    return (
        f'<div class="{style}"><strong>{escape(stage_title(stage))}</strong>'
        f"<small>{shape_text(stage.output.shape)}</small><small>{escape(note)}</small></div>"
    )


def _arrows(before: Stage, step: StepRecord) -> str:
    style: Literal["back", "none"]
    if before.operation == "input" and not before.output.requires_grad:
        style, back = "none", "no gradient needed"
    elif step.raised is not None or before.gradient_state == "none":
        style, back = "none", "✕ no gradient"
    else:
        style, back = "back", "zeros" if before.gradient_state == "zero" else "gradient"
    return arrows_html(style, back)


def arrows_html(style: Literal["back", "none"], back: str) -> str:
    """The arrow forward, and under it what came back: with an arrow of its own ("back"), or nothing ("none")."""
    return f'<div class="arrows"><span class="forward">values</span><span class="{style}">{back}</span></div>'
