"""Gets a page its results: at once where they are known, with progress and a way to stop where they are not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine import Settings, Trace
from engine.finite_differences import Comparison
from engine.gate import TooMuchWaiting
from engine.recorder import StepRecord
from engine.recording import Weights
from engine.results import (
    ComparisonKey,
    RecordKey,
    Waiting,
    comparison_of,
    record_of,
    sweep_of,
    sweeps,
    swept,
    trace_of,
    traces,
    verdict_of,
)
from engine.sweep import Sweep
from engine.verdicts import Verdict

Result = TypeVar("Result")
_STOPPED = "stopped settings"
_STOPPED_SWEEP = "stopped sweep"
_PATIENCE = 0.3
"""A run that ends within so many seconds shows no progress at all: a flash would only disturb."""


def show_trace(settings: Settings) -> Trace:
    """The twin run of these settings. Where the reader stopped it, says so and ends the page there."""
    place = st.empty()
    if _was_stopped(_STOPPED, settings, known=settings in traces):
        with place.container():
            st.info("The training was stopped, and nothing of it is kept.")
            st.button("Train again", on_click=lambda: st.session_state.pop(_STOPPED, None))
        st.stop()
    progress = _Progress(place, _STOPPED, settings, "Stop the training", "Training both twins")
    trace = _patiently(lambda: trace_of(settings, progress.trained, progress.waiting, _visitor()))
    place.empty()
    return trace


def show_sweep(settings: Settings) -> Sweep | None:
    """The sweep of these settings, or None where the reader stopped it. Raises `SweepError`."""
    place, key = st.empty(), swept(settings)
    if _was_stopped(_STOPPED_SWEEP, key, known=key in sweeps):
        with place.container():
            st.info("The sweep was stopped, and nothing of it is kept.")
            st.button("Sweep again", on_click=lambda: st.session_state.pop(_STOPPED_SWEEP, None))
        return None
    progress = _Progress(place, _STOPPED_SWEEP, key, "Stop the sweep", "Training both twins at every rate")
    sweep = _patiently(lambda: sweep_of(settings, progress.trained, progress.waiting, _visitor()))
    place.empty()
    return sweep


def _visitor() -> str:
    """The session that this run of the page belongs to."""
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _patiently(compute: Callable[[], Result]) -> Result:
    """What `compute` gives; where this visitor has enough waiting already, says so and ends the page there."""
    try:
        return compute()
    except TooMuchWaiting as refused:
        st.warning(str(refused))
        st.stop()


def _was_stopped(kind: str, settings: Settings, *, known: bool) -> bool:
    """Whether the reader stopped this very computation, and it has not been done since."""
    if st.session_state.get(kind) == settings and not known:
        return True
    st.session_state.pop(kind, None)
    return False


def show_record(settings: Settings, epoch: int, detached: bool, weights: Weights = "attached") -> StepRecord:
    """The recorded step at that epoch, with or without the detach, with the weights of one of the twins."""
    key = RecordKey(settings, epoch, detached, weights)
    return _in_turn(lambda waiting: record_of(key, waiting, _visitor()))


def find_verdict(trace: Trace) -> Verdict:
    """The verdict on a twin run."""
    return _in_turn(lambda waiting: verdict_of(trace, waiting, _visitor()))


def find_comparison(key: ComparisonKey) -> Comparison:
    """Autograd beside finite differences."""
    return _in_turn(lambda waiting: comparison_of(key, waiting, _visitor()))


def _in_turn(compute: Callable[[Waiting], Result]) -> Result:
    """What `compute` gives; while it waits long, the place in the queue is shown."""
    place: list[st.delta_generator.DeltaGenerator] = []
    begun = time.monotonic()

    def waiting(ahead: int) -> None:
        if time.monotonic() - begun > _PATIENCE:
            if not place:
                place.append(st.empty())
            place[0].caption(_queue(ahead))

    found = _patiently(lambda: compute(waiting))
    for shown in place:
        shown.empty()
    return found


def _queue(ahead: int) -> str:
    """The place in the queue, in words."""
    said = f"{ahead} other computation{'s go' if ahead > 1 else ' goes'} first"
    return f"Waiting: {said if ahead else 'the same is being computed for somebody else'}"


class _Progress:
    """A bar and a stop button, drawn once a run has lasted a while. Drawing is also where streamlit ends old runs."""

    def __init__(
        self, place: st.delta_generator.DeltaGenerator, kind: str, settings: Settings, stop: str, doing: str
    ) -> None:
        self._place, self._kind, self._settings = place, kind, settings
        self._stop, self._doing = stop, doing
        self._next = time.monotonic() + _PATIENCE
        self._bar: st.delta_generator.DeltaGenerator | None = None

    def trained(self, done: int, total: int) -> None:
        """Shows how many of all epochs are done, ten times a second at most."""
        if time.monotonic() >= self._next:
            self._show(done / total, f"{self._doing}: {done} of {total} epochs")

    def waiting(self, ahead: int) -> None:
        """Shows the place in the queue."""
        if time.monotonic() >= self._next:
            self._show(0.0, _queue(ahead))

    def _show(self, share: float, text: str) -> None:
        self._next = time.monotonic() + 0.1
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(0.0)
                st.button(
                    self._stop,
                    on_click=lambda: st.session_state.update({self._kind: self._settings}),
                )
        self._bar.progress(share, text)
