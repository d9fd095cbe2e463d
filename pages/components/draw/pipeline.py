"""The pipeline as one picture: the stages in order, the values going forward, the gradient coming back, the cut.

It is drawn from a recorded step. The cut is told by the word, a dashed border and a crossed arrow, not by colour.
A step with several losses is drawn in parts, one for each backward pass; a stage that does not go on from the one
before it starts a row of its own, which says where its values come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest

import streamlit as st

from engine.recorder import StepRecord
from engine.recorder.record import Stage
from engine.recorder.render.words import BACK
from engine.text import number_text
from pages.components.draw.words import does, shape_text, stage_title

_FEW = 6
"""So many numbers of a stage are listed in its box."""


@dataclass(frozen=True)
class Part:
    """The stages of a step that belong to one of its backward passes."""

    title: str
    """Which pass it is, with its code; "" where the step has only one."""
    stages: tuple[Stage, ...]
    line: int | None = None
    """The line of that pass."""


def choose_part(without: StepRecord, with_: StepRecord) -> int:
    """The index of the part that is shown: the reader's choice, where a step has several backward passes."""
    parts = max(parts_of(without), parts_of(with_), key=len)
    if len(parts) == 1:
        return 0
    titles = [part.title for part in parts]
    first = _first_apart(without, with_)
    return titles.index(st.selectbox("Shown", titles, index=first, key=f"part of {len(parts)}"))


def _first_apart(without: StepRecord, with_: StepRecord) -> int:
    """The first backward pass that reached other parameters in one of the steps, or was refused in one; else 0."""
    twins = enumerate(zip(without.backwards, with_.backwards, strict=False))
    return next((number for number, (one, other) in twins if set(one.reached) != set(other.reached)), 0)


def show_pipelines(without: StepRecord, with_: StepRecord, part: int) -> None:
    """The same part of the step twice, below each other: without the detach, and with it."""
    pairs = paired(without, with_)
    ours = {stage.index: number for number, (_, stage) in enumerate(pairs, start=1)}
    theirs = {other.index: number for number, (other, _) in enumerate(pairs, start=1) if other is not None}
    for title, step, numbers in (("Without detach", without, theirs), ("With detach", with_, ours)):
        parts = parts_of(step)
        if part >= len(parts):
            st.markdown(f"**{title}**: this step did not get that far.")
            continue
        st.markdown(f"**{title}**{_which(parts[part])}")
        st.html(pipeline_html(parts[part], step, numbers))
    if with_.raised is not None and len(with_.backwards) < 2:
        st.markdown(
            "With the detach, `backward()` raises an error: no parameter is connected to the loss any more, so no "
            "gradient starts out at all."
        )


def _which(part: Part) -> str:
    """Which backward pass of several a part is, and its line."""
    line = f", line {part.line}" if part.line is not None else ""
    return f" · {part.title}{line}" if part.title else ""


def pipeline_html(
    part: Part, step: StepRecord, numbers: Mapping[int, int], *, values: bool = False, gradients: bool = True
) -> str:
    """An ordered list of boxes; between two boxes stand the forward arrow and what came back against it.

    `numbers` are the stages' numbers on the page by their indices; they are shown where the rows are several. With
    `values` each box says what its stage gave. Without `gradients` nothing tells what came back: it is to be predicted.
    """
    row = zip(part.stages, part.stages[1:], strict=False)
    if not part.title and all(_goes_on(before, stage) for before, stage in row):
        numbers = {}

    def box(stage: Stage, before: Stage | None) -> str:
        return _box(stage, before, step, numbers, values=values, gradients=gradients)

    items = []
    for before, stage in zip((None, *part.stages), part.stages, strict=False):
        if before is not None and _goes_on(before, stage):
            arrows = _arrows(before) if gradients else _UNKNOWN
            items.append(f"<li>{arrows}{box(stage, before)}</li>")
        else:
            if sources := _from(stage, step, numbers):
                items.append(f'<li class="apart">{escape(sources)}:</li>')
            items.append(f"<li>{box(stage, None)}</li>")
    back = (
        "and how far the gradient came back" if gradients else "what comes back hidden until it is predicted"
    )
    label = f"The pipeline: each stage, the values forward, {back}"
    return f'<div class="lab"><ol class="pipeline" aria-label="{label}">{"".join(items)}</ol></div>'


def main_stages(step: StepRecord) -> tuple[Stage, ...]:
    """The stages in a row: the first input, then the calls. An input that joins later belongs to the call it joins."""
    return tuple(stage for stage in step.stages if stage.operation != "input" or stage.index == 0)


def parts_of(step: StepRecord) -> tuple[Part, ...]:
    """The main stages, parted after each stage that a backward pass starts from, where there are several passes."""
    stages = main_stages(step)
    passes = [sent for sent in step.backwards if sent.stage is not None]
    if len(passes) < 2:
        return (Part("", stages),)
    found, done = [], -1
    for number, sent in enumerate(passes, start=1):
        last = sent.stage or 0
        code, line = "", None
        if sent.location is not None:
            code, line = f": {sent.location.text.strip()}", sent.location.line
        own = tuple(stage for stage in stages if done < stage.index <= last)
        found.append(Part(f"backward pass {number}{code}", own, line))
        done = max(done, last)
    if rest := tuple(stage for stage in stages if stage.index > done):
        found.append(Part("after the last backward pass", rest))
    return tuple(found)


def paired(without: StepRecord, with_: StepRecord) -> list[tuple[Stage | None, Stage]]:
    """Each stage of the step with the detach, beside the same stage of the step without it (None: the detach itself)."""
    one, other = main_stages(without), main_stages(with_)
    matcher = SequenceMatcher(None, [_key(s) for s in one], [_key(s) for s in other], autojunk=False)
    pairs: list[tuple[Stage | None, Stage]] = []
    for kind, a, after, b, until in matcher.get_opcodes():
        left = list(one[a:after]) if kind in ("equal", "replace") else []
        pairs += zip_longest(left[: until - b], other[b:until])
    return pairs


def _key(stage: Stage) -> tuple[str, str]:
    """What a stage is known by in both twins: its operation, and its line without what the detach adds to it."""
    text = stage.location.text if stage.location is not None else ""
    return stage.operation, text.partition("#")[0].replace(".detach()", "").strip()


def late_inputs(stage: Stage, step: StepRecord) -> tuple[Stage, ...]:
    """The inputs, such as the targets, that join the row at this stage."""
    came = (step.stages[i] for i in stage.inputs)
    return tuple(other for other in came if other.operation == "input" and other.index != 0)


def is_cut(stage: Stage, step: StepRecord) -> bool:
    """Whether this stage is a place where the gradient's path ends."""
    return any(cut.stage == stage.index for cut in step.cuts)


def _goes_on(before: Stage, stage: Stage) -> bool:
    """Whether a stage takes what the one before it made."""
    return before.index in stage.inputs


def _from(stage: Stage, step: StepRecord, numbers: Mapping[int, int]) -> str:
    """Where the values of a stage that starts a row come from."""
    came = [_named(step.stages[i], numbers) for i in stage.inputs]
    return f"From {' and '.join(came)}" if came else ""


def _named(stage: Stage, numbers: Mapping[int, int]) -> str:
    """A stage as a reader finds it: by its number, or an input by its name."""
    if stage.operation == "input" and stage.index != 0:
        return f"{stage.output.name or 'data'} (an input)"
    number = numbers.get(stage.index)
    return f"{number}. {stage_title(stage)}" if number is not None else stage_title(stage)


def _box(
    stage: Stage,
    before: Stage | None,
    step: StepRecord,
    numbers: Mapping[int, int],
    *,
    values: bool,
    gradients: bool,
) -> str:
    cut = gradients and is_cut(stage, step)
    starved = gradients and not cut and bool(stage.parameters) and stage.gradient_state == "none"
    style = "box cut" if cut else "box starved" if starved else "box"
    fed = any(p.name in stage.parameters and p.state == "gradient" for p in step.parameters)
    elsewhere = any(
        other is not stage
        and other.gradient_state != "none"
        and set(other.parameters) & set(stage.parameters)
        for other in step.stages
    )
    through = "no gradient through here" + (
        "; its parameters got theirs from another call" if elsewhere else ""
    )
    hungry = through if fed else "starved: no gradient"
    notes = [shape_text(stage.output.shape)]
    if values:
        notes.append(_values(stage))
    if gradients:  # what a stage does can tell: "no longer tracked"
        notes.append("✂ the gradient stops here" if cut else hungry if starved else does(stage))
    if numbers and before is not None:
        notes += [
            f"takes also {_named(step.stages[i], numbers)}"
            for i in stage.inputs
            if i not in (before.index, 0)
        ]
    number = f"{numbers[stage.index]}. " if stage.index in numbers else ""
    said = "".join(f"<small>{escape(note)}</small>" for note in notes if note)
    # Long paths of modules break at a dot.
    title = escape(f"{number}{stage_title(stage)}").replace(".", ".<wbr>")
    return f'<div class="{style}"><strong>{title}</strong>{said}</div>'


_UNKNOWN = '<div class="arrows"><span class="forward">values</span><span class="back">gradient?</span></div>'


def _values(stage: Stage) -> str:
    """What a stage gave: its numbers where they are few, else how far they reach."""
    least, most = stage.output.minimum, stage.output.maximum
    size = max(abs(least or 0.0), abs(most or 0.0))
    given = stage.output.values
    if given is not None and given.size <= _FEW:
        numbers = (number_text(float(number), beside=size) for number in given.ravel())
        return f"{'values' if given.size > 1 else 'value'} {', '.join(numbers)}"
    if least is None or most is None:
        return ""
    return f"values from {number_text(least, beside=size)} to {number_text(most, beside=size)}"


def _arrows(before: Stage) -> str:
    """The arrow forward, and under it what came back: with an arrow of its own ("back"), or nothing ("none")."""
    word = BACK[before.gradient_state]
    style, back = ("none", word.signed) if before.gradient_state == "none" else ("back", word.text)
    if before.operation == "input" and not before.output.requires_grad:
        style, back = "none", "no gradient needed"
    return f'<div class="arrows"><span class="forward">values</span><span class="{style}">{back}</span></div>'
