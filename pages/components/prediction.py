"""The parts of the prediction trace: the choice of the sample, and its way through one twin."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine import Trace
from engine.arithmetic import equations, share_of_loss
from engine.recorder import StepRecord
from pages.components import keeper
from pages.components.pipeline import main_stages
from pages.components.tensors import number_text
from pages.components.view import View
from pages.components.words import does, stage_title


def choose_sample(view: View, trace: Trace) -> int:
    """The index (from 0) of the sample looked at; a link's number past the last sample opens the last."""
    samples = int(trace.attached.predictions.shape[1])
    shown = min(view.sample, samples)
    if shown != view.sample:
        st.caption(f"There are {samples} samples; sample {shown} is shown instead of {view.sample}.")
    st.slider(
        "Sample", 1, samples, **keeper.bound("sample", shown, lambda now, sample: replace(now, sample=sample))
    )
    return shown - 1


def show_way(title: str, step: StepRecord, sample: int) -> None:
    """The sample's way through the stages of one step, ending in its share of the loss."""
    st.header(title, anchor=False)
    for number, stage in enumerate(main_stages(step), start=1):
        with st.container(border=True):
            st.markdown(f"**{number}. {stage_title(stage)}**: {does(stage)}")
            if stage.operation == "input":
                assert stage.output.values is not None
                lines = "  ".join(number_text(x) for x in stage.output.values[sample].reshape(-1))
            else:
                lines = "\n".join(map(str, equations(step, stage, sample)))
            st.code(lines, language=None, wrap_lines=True)
            if stage is step.stages[-1]:
                _show_share(step, sample)


def _show_share(step: StepRecord, sample: int) -> None:
    share = share_of_loss(step, sample)
    if share is None or step.loss is None:
        return
    st.code(str(share), language=None, wrap_lines=True)
    part = share.result / step.loss if step.loss else 0.0
    st.markdown(
        f"The loss of all samples together is **{number_text(step.loss)}**; this sample makes {part:.0%} of it."
    )
