"""Gets a page its results: at once where they are known, with progress and a way to stop where they are not."""

from __future__ import annotations

import time

import streamlit as st

from engine import Settings, Trace
from engine.recorder import StepRecord
from engine.recording import Weights
from engine.results import RecordKey, record_of, trace_of, traces

_STOPPED = "stopped settings"
_PATIENCE = 0.3
"""A run that ends within so many seconds shows no progress at all: a flash would only disturb."""


def show_trace(settings: Settings) -> Trace:
    """The twin run of these settings. Where the reader stopped it, says so and ends the page there."""
    place = st.empty()
    if st.session_state.get(_STOPPED) != settings or settings in traces:
        st.session_state.pop(_STOPPED, None)
    else:
        with place.container():
            st.info("The training was stopped, and nothing of it is kept.")
            st.button("Train again", on_click=lambda: st.session_state.pop(_STOPPED, None))
        st.stop()
    progress = _Progress(place, settings)
    trace = trace_of(settings, progress.trained, progress.waiting)
    place.empty()
    return trace


def show_record(settings: Settings, epoch: int, detached: bool, weights: Weights = "attached") -> StepRecord:
    """The recorded step at that epoch, with or without the detach, with the weights of one of the twins."""
    return record_of(RecordKey(settings, epoch, detached, weights))


class _Progress:
    """A bar and a stop button, drawn once a run has lasted a while. Drawing is also where streamlit ends old runs."""

    def __init__(self, place: st.delta_generator.DeltaGenerator, settings: Settings) -> None:
        self._place, self._settings = place, settings
        self._next = time.monotonic() + _PATIENCE
        self._bar: st.delta_generator.DeltaGenerator | None = None

    def trained(self, done: int, total: int) -> None:
        """Shows how many of all epochs are done, ten times a second at most."""
        if time.monotonic() >= self._next:
            self._show(done / total, f"Training both twins: {done} of {total} epochs")

    def waiting(self) -> None:
        """Shows that another run goes first."""
        if time.monotonic() >= self._next:
            self._show(0.0, "Waiting: another training goes first")

    def _show(self, share: float, text: str) -> None:
        self._next = time.monotonic() + 0.1
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(0.0)
                st.button(
                    "Stop the training",
                    on_click=lambda: st.session_state.update({_STOPPED: self._settings}),
                )
        self._bar.progress(share, text)
