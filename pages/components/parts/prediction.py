"""The parts of the prediction trace: the choice of the sample, and its way through one twin."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine import Settings, Trace
from engine.recorder import StepRecord
from engine.recorder.record import Stage
from engine.text import number_text, percent_text
from engine.twins.arithmetic import OUTPUTS, class_of, equations, share_of_loss
from pages.components.draw.pipeline import is_cut, paired
from pages.components.draw.twins import twin_names
from pages.components.draw.words import does, stage_title
from pages.components.shell import keeper
from pages.components.shell.view import View


def choose_sample(view: View, trace: Trace) -> int:
    """The index (from 0) of the sample looked at; a link's number past the last sample opens the last."""
    samples = int(trace.attached.predictions.shape[1])
    if samples == 1:
        st.caption("There is one sample.")
        return 0
    shown = min(view.sample, samples)
    if shown != view.sample:
        st.caption(f"There are {samples} samples; sample {shown} is shown instead of {view.sample}.")
        keeper.correct(sample=shown)
    st.slider(
        "Sample",
        1,
        samples,
        **keeper.bound("sample", shown, lambda now, sample: replace(now, sample=sample), (1, samples)),
    )
    return shown - 1


def show_both_ways(settings: Settings, without: StepRecord, with_: StepRecord, sample: int) -> None:
    """The sample's way through the stages of both twins, stage beside stage, ending in its share of the loss."""
    st.caption(
        "Numbers are written with four digits; torch computed with all of them, so a last digit can differ."
    )
    st.header("Stage by stage", anchor=False)
    first, second = twin_names(settings)
    for number, (other, stage) in enumerate(paired(without, with_), start=1):
        left, right = st.columns(2)
        with left, _card(first):
            if other is None and without.raised is not None and not is_cut(stage, with_):
                st.markdown(f"**{number}.** The step did not get that far: `{without.raised.stage}` raised.")
            elif other is None:
                st.markdown(f"**{number}.** There is no detach here: the numbers pass unchanged.")
            else:
                _show_stage(number, other, without, sample)
        with right, _card(second):
            _show_stage(number, stage, with_, sample)


def _card(twin: str) -> DeltaGenerator:
    """The frame of one stage, with its twin's name: on a narrow page the cards stand below each other."""
    card = st.container(border=True)
    card.caption(twin)
    return card


def _show_stage(number: int, stage: Stage, step: StepRecord, sample: int) -> None:
    st.markdown(f"**{number}. {stage_title(stage)}**: {does(stage)}")
    if stage.operation == "input":
        values = stage.output.values
        row = values[sample] if values is not None and values.ndim and sample < len(values) else values
        lines = (
            "  ".join(number_text(float(x), short=True) for x in row.reshape(-1))
            if row is not None
            else "too large to list"
        )
    else:
        lines = "\n".join(map(str, equations(step, stage, sample)))
        shape = stage.output.shape
        hidden = math.prod(shape[1:] if shape and sample < shape[0] else shape) - OUTPUTS
        lines += f"\nand {hidden} more outputs" if hidden > 0 else ""
    st.code(lines, language=None, wrap_lines=True)
    if stage is step.stages[-1]:
        _show_share(step, sample)


def _show_share(step: StepRecord, sample: int) -> None:
    if step.loss is None:
        return
    if not math.isfinite(step.loss):
        st.markdown(
            f"The loss of all samples together is **{step.loss}**: float32 has overflowed, this run diverged."
        )
        return
    share = share_of_loss(step, sample)
    if share is None:
        return
    st.code(str(share), language=None, wrap_lines=True)
    said = f"The loss of all samples together is **{number_text(step.loss)}**"
    if step.loss > 0:
        said += f"; this sample accounts for {percent_text(share.result / step.loss)} of it"
    answer = class_of(step, sample)
    if answer is not None:
        said += f". Predicted class **{answer.predicted}**, right is {answer.right}: "
        said += "**right**" if answer.predicted == answer.right else "**wrong**"
    st.markdown(said + ".")
