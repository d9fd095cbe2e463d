"""The stages of one step, down the page: what went forward, and beside it what came back, in both twins."""

from __future__ import annotations

import math
from html import escape

import streamlit as st

from engine import Settings
from engine.recorder import StepRecord
from engine.recorder.record import ParameterRecord, Stage
from engine.recorder.render.html import code_markup
from engine.recorder.render.words import BACK
from engine.text import counted, number_text
from engine.twins.experiment_script import script_of
from pages.components.draw.pipeline import is_cut, late_inputs, paired, parts_of
from pages.components.draw.tables import show_html
from pages.components.draw.tensors import tensor_html
from pages.components.draw.words import does, shape_text, stage_title


def show_comparison(without: StepRecord, with_: StepRecord) -> None:
    """What the detach changed and what it did not, measured on the two recorded steps."""
    pairs = paired(without, with_)
    same = sum(_same_values(a, b) for a, b in pairs if a is not None)
    both = sum(a is not None for a, _ in pairs)
    losses = [loss for loss in (without.loss, *(run.loss for run in without.backwards)) if loss is not None]
    if not losses or not all(map(math.isfinite, losses)):
        st.warning(
            "The run without the detach has diverged by this epoch: its numbers are no longer finite, so there is nothing to compare. Choose an earlier epoch or a smaller learning rate."
        )
        return
    values = f"**Forward, all {both} stages that both steps have hold the same bits**, and the loss is {_number(without.loss)} either way."
    if without.raised is not None and len(without.backwards) > 1:
        values = f"**Forward, {same} of the {both} stages that both steps have hold the same bits**; then the step without the detach raised."
    elif same < both or without.loss != with_.loss:
        values = f"**Forward, {same} of the {both} stages that both steps have hold the same bits**; {_losses(without, with_)}."
    st.markdown(f"{values}\n\n{_backward(without, with_)}")


def _losses(without: StepRecord, with_: StepRecord) -> str:
    """The losses of the two steps, as far as digits are shown."""
    one, other = (_number(loss) for loss in (without.loss, with_.loss))
    return (
        f"the losses are {one} and {other}" if one != other else f"both losses are {one}, to the digits shown"
    )


def _number(loss: float | None) -> str:
    return "none" if loss is None else number_text(loss)


def _backward(without: StepRecord, with_: StepRecord) -> str:
    """Which parameters the detach took a gradient from, in each backward pass."""
    twins = list(zip(without.backwards, with_.backwards, strict=False))
    lost = [[name for name in one.reached if name not in other.reached] for one, other in twins]
    raised = without.raised is not None and with_.raised is None
    if len(twins) == 1 or not (any(lost) or raised):
        return f"**Backward, {_count([name for names in lost for name in names], with_)}**{_changed(without, with_)}."
    passes = ["**Backward**, pass by pass:", ""]
    for number, ((_, sent), names) in enumerate(zip(twins, lost, strict=True), start=1):
        line = f" (line {sent.location.line})" if sent.location else ""
        later = [name for name in names if any(name in more.reached for more in with_.backwards[number:])]
        said = f"{_count(names, with_)}{'; a later pass gives them a gradient of its own' if names and later == names else ''}"
        if raised and number == len(without.backwards):
            said = f"without the detach it raised; with it, {counted(len(sent.reached), 'parameter')} got a gradient"
        passes.append(f"- pass {number} of {len(with_.backwards)}{line}: {said}")
    return "\n".join(passes)


def _count(lost: list[str], step: StepRecord) -> str:
    if not lost:
        return "no parameter lost its gradient"
    return f"{len(lost)} of {len(step.parameters)} parameters lost their gradient ({_names(lost)})"


def _changed(without: StepRecord, with_: StepRecord) -> str:
    """Of the parameters that have a gradient in both steps: which have another one."""
    both = [
        (p.name, p.state, (p.gradient != q.gradient).any())
        for p, q in zip(without.parameters, with_.parameters, strict=True)
        if p.gradient is not None and q.gradient is not None
    ]
    others = [name for name, _, changed in both if changed]
    if not both or without.raised is not None or with_.raised is not None:
        return ""
    if not others:
        return "; where one came in both steps, it is the same to the last bit"
    fed = [name for name, state, changed in both if changed and state == "zero"]
    zeros = f". Without the detach only zeros came to {_names(fed)}" if fed else ""
    return f"; {len(others)} of {len(both)} got **another gradient** ({_names(others)}){zeros}"


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _same_values(one: Stage, other: Stage) -> bool:
    """Whether two stages gave the same bits."""
    a, b = one.output.values, other.output.values
    return a is not None and b is not None and a.shape == b.shape and a.tobytes() == b.tobytes()


def show_raised(without: StepRecord, with_: StepRecord) -> None:
    """What `backward()` raised in either step, word for word."""
    for step, twin in ((without, "Without"), (with_, "With")):
        if step.raised is None:
            continue
        message = step.raised.message
        quoted = f"\n\n```\n{message}\n```\n" if "\n" in message or "``" in message else f" `` {message} `` "
        said = f"{twin} the detach, `{step.raised.stage}` raised **{step.raised.type}**:{quoted}"
        if not any(sent.reached for sent in step.backwards):
            said += "\n\nThe values above still flowed forward, but no parameter is connected to the loss, so nothing can learn."
        st.error(said)


def show_stages(settings: Settings, without: StepRecord, with_: StepRecord, part: int) -> None:
    """One block a stage of that part of the step."""
    st.caption(
        "In each table the colour is a heat map: orange for positive, blue for negative, the stronger the larger, "
        "measured against the largest number of that table. All numbers of a table are rounded alike: a 0 can be a number too small to show."
    )
    by_index = {stage.index: stage for stage in with_.stages}
    parts = parts_of(with_)
    shown = {stage.index for stage in parts[part].stages} if part < len(parts) else set()
    for number, (other, stage) in enumerate(paired(without, with_), start=1):
        if stage.index not in shown:
            continue
        cut = is_cut(stage, with_)
        with st.container(border=True):
            st.header(f"{'✂ ' if cut else ''}{number}. {stage_title(stage)}", anchor=False)
            came = [by_index[i] for i in stage.inputs]
            came.sort(key=lambda other: other.operation == "input" and other.index != 0)
            said = f"{does(stage)} · shape out: **{shape_text(stage.output.shape)}**"
            if came:
                said = f"Shape in: **{' and '.join(shape_text(c.output.shape) for c in came)}** · {said}"
            st.markdown(said)
            if cut:
                st.markdown("**The gradient stops here.** No gradient passes back through this stage.")
            forward, back_without, back_with = st.columns(3)
            with forward:
                marked = ", detached" if stage.operation == "detach" else ""
                _values(stage, f"Values forward{marked}")
                for late in late_inputs(stage, with_):
                    _values(late, f"Also in: {stage_title(late).lower()}")
            with back_without:
                if other is None:
                    st.html(
                        '<div class="lab"><div class="missing">This stage is not in the step without the detach.</div></div>'
                    )
                else:
                    _gradient(other, "Gradient back, without detach", without)
            with back_with:
                _gradient(stage, "Gradient back, with detach", with_)
            st.html(_flags(stage, by_index))
            if stage.location is not None:
                st.caption(f"{script_of(settings).filename}, line {stage.location.line}")
                st.code(stage.location.text.strip(), language="python", wrap_lines=True)


def show_parameters(without: StepRecord, with_: StepRecord) -> None:
    """Every parameter of the model with the gradient it got in each step, or the reason that it got none."""
    st.header("What reached the parameters", anchor=False)
    for before, after in zip(without.parameters, with_.parameters, strict=True):
        with st.container(border=True):
            st.markdown(f"**`{after.name}`**")
            value, back_without, back_with = st.columns(3)
            with value:
                if after.value is not None:
                    show_html(tensor_html(after.value, "Value"))
            for column, parameter, title in (
                (back_without, before, "without detach"),
                (back_with, after, "with detach"),
            ):
                with column:
                    _parameter(parameter, f"Gradient, {title}")


def _parameter(parameter: ParameterRecord, label: str) -> None:
    if parameter.gradient is not None:
        show_html(tensor_html(parameter.gradient, label))
    else:
        show_html(f'<p>{label}</p><div class="missing">None. {code_markup(parameter.reason)}</div>')


def _values(stage: Stage, label: str) -> None:
    if stage.output.values is not None:
        show_html(tensor_html(stage.output.values, label))
    else:
        show_html(f"<p>{label}: too large to list{_figures(stage)}</p>")


def _figures(stage: Stage) -> str:
    figures = (stage.output.minimum, stage.output.mean, stage.output.maximum)
    known = [figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return ""
    size = max(map(abs, known))
    least, mean, most = (number_text(figure, beside=size) for figure in known)
    return f"; smallest {least}, mean {mean}, largest {most}"


def _gradient(stage: Stage, label: str, step: StepRecord) -> None:
    if stage.gradient is not None:
        show_html(
            tensor_html(stage.gradient, label, text=", all zero" if stage.gradient_state == "zero" else "")
        )
    else:
        show_html(f'<p>{label}</p><div class="missing">✕ None: {_why_none(stage, step)}</div>')


def _why_none(stage: Stage, step: StepRecord) -> str:
    if stage.operation == "input" and not stage.output.requires_grad:
        return "data is not trained and needs no gradient."
    if step.raised is not None and step.raised.stage == "backward":
        return "backward() raised an error: nothing is connected to the loss."
    if not stage.output.requires_grad:
        return "this tensor is not tracked, so no gradient is computed for it."
    return "it is tracked, but no path leads from the loss back to it."


def _flags(stage: Stage, by_index: dict[int, Stage]) -> str:
    output = stage.output
    shared = stage.shares_storage_with
    memory = "memory of its own" if shared is None else f"shares memory with {stage_title(by_index[shared])}"
    flags = (
        f"requires_grad = {output.requires_grad}",
        f"grad_fn = {output.grad_fn}",
        f"is_leaf = {output.is_leaf}",
        memory,
        f"came back: {BACK[stage.gradient_state].text}",
    )
    items = "".join(f"<li>{escape(flag)}</li>" for flag in flags)
    return f'<div class="lab"><ul class="flags" aria-label="Flags, with detach"><li>with detach:</li>{items}</ul></div>'
