"""Gets a page its results: at once where they are known, with progress and a way to stop where they are not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine import Settings, Trace
from engine.evidence.finite_differences import Comparison
from engine.evidence.seeds import OverSeeds, first_seed
from engine.evidence.sweep import Sweep
from engine.evidence.verdicts import Verdict
from engine.recorder import StepRecord
from engine.serving.cache import Cache
from engine.serving.fair_queue import TooMuchWaiting
from engine.serving.results import (
    ComparisonKey,
    RecordKey,
    comparison_of,
    comparisons,
    film_of,
    films,
    record_of,
    records,
    seeds,
    seeds_of,
    sweep_of,
    sweeps,
    swept,
    trace_of,
    traces,
    verdict_of,
    verdicts,
)
from engine.twins.film import Film
from engine.twins.recorded_step import Weights
from pages.components.shell.turns import turns

Result = TypeVar("Result")
_PATIENCE = 0.3
"""A run that ends within so many seconds shows no progress at all: a flash would only disturb."""
_TICK, _FRAME = 0.05, 0.1
"""Seconds between two looks at whether the reader has gone on, and between two drawings of the bar."""


def show_trace(settings: Settings) -> Trace:
    """The twin run of these settings. Where the reader stopped it, says so and ends the page there."""
    found = _unless_stopped(
        _Stop("training", settings),
        "Training both twins",
        traces,
        lambda shown: trace_of(settings, shown.trained, shown.waiting, _visitor()),
    )
    if found is None:
        st.stop()
    return found


def show_sweep(settings: Settings) -> Sweep | None:
    """The sweep of these settings, or None where the reader stopped it. Raises `SweepError`."""
    return _unless_stopped(
        _Stop("sweep", swept(settings)),
        "Training both twins at every rate",
        sweeps,
        lambda shown: sweep_of(settings, shown.trained, shown.waiting, _visitor()),
    )


def find_over_seeds(settings: Settings) -> OverSeeds | None:
    """Both twins over several seeds, or None where the reader stopped it."""
    return _unless_stopped(
        _Stop("training over seeds", first_seed(settings)),
        "Training both twins with each seed",
        seeds,
        lambda shown: seeds_of(settings, shown.trained, shown.waiting, _visitor()),
    )


def _unless_stopped(
    stop: _Stop, what: str, cache: Cache[Settings, Result], compute: Callable[[_Progress], Result]
) -> Result | None:
    """What is computed, with its progress and a button that stops it; None where the reader has pressed that."""
    known = stop.settings in cache
    if stop.pressed(known=known):
        stop.show()
        return None
    shown = _Progress(what, stop)
    return _patiently(shown, lambda: compute(shown), known=known)


def show_film(trace: Trace) -> Film:
    """The recorded step of both twins at the epochs of a run."""
    shown = _Progress("Recording both twins")
    return _patiently(
        shown,
        lambda: film_of(trace, shown.recorded, shown.waiting, _visitor()),
        known=trace.settings in films,
    )


def show_record(settings: Settings, epoch: int, detached: bool, weights: Weights = "attached") -> StepRecord:
    """The recorded step at that epoch, with or without the detach, with the weights of one of the twins."""
    key, shown = RecordKey(settings, epoch, detached, weights), _Progress("Recording")
    return _patiently(shown, lambda: record_of(key, shown.waiting, _visitor()), known=key in records)


def find_verdict(trace: Trace) -> Verdict:
    """The verdict on a twin run."""
    shown = _Progress("Judging")
    known = trace.settings in verdicts
    return _patiently(shown, lambda: verdict_of(trace, shown.waiting, _visitor()), known=known)


def find_comparison(key: ComparisonKey) -> Comparison:
    """Autograd beside finite differences."""
    shown = _Progress("Moving each weight slightly")
    known = key in comparisons  # a spinner starts a thread, so only where there is something to wait for
    with nullcontext() if known else st.spinner("Moving each weight slightly ...", show_time=False):
        return _patiently(shown, lambda: comparison_of(key, shown.waiting, _visitor()), known=known)


def _visitor() -> str:
    """The session that this run of the page belongs to."""
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _patiently(shown: _Progress, compute: Callable[[], Result], *, known: bool) -> Result:
    """What `compute` gives; where this visitor has enough waiting already, says so and ends the page there.

    What is not `known` yet takes time, in which other pages can draw.
    """
    try:
        with nullcontext() if known else turns.given_up():
            result = compute()
    except TooMuchWaiting as refused:
        st.warning(str(refused))
        st.button("Try again")
        st.stop()
    shown.clear()
    return result


@dataclass(frozen=True)
class _Stop:
    """That the reader has stopped a computation: kept for the session, until it is asked for again."""

    what: str
    settings: Settings

    @property
    def _key(self) -> str:
        return f"stopped {self.what}"

    def pressed(self, *, known: bool) -> bool:
        """Whether the reader stopped this very computation, and it has not been done since."""
        if st.session_state.get(self._key) == self.settings and not known:
            return True
        st.session_state.pop(self._key, None)
        return False

    def press(self) -> None:
        """Stops it."""
        st.session_state[self._key] = self.settings

    def show(self) -> None:
        """Says that it was stopped, and offers to do it after all."""
        st.info(f"The {self.what} was stopped; nothing of it was kept.")
        st.button(f"Resume the {self.what}", on_click=lambda: st.session_state.pop(self._key, None))


class _Progress:
    """A bar, and a stop button where the reader can stop it, drawn once a computation has lasted a while.

    Streamlit ends a run that the reader has left behind where it draws something; until there is something to draw,
    an empty place is drawn instead, so that a slider held down leaves no work behind it.
    """

    def __init__(self, doing: str, stop: _Stop | None = None) -> None:
        self._doing, self._stop = doing, stop
        # What always comes first on a page has its place from the start, so that nothing below it is moved.
        self._place: DeltaGenerator | None = st.empty() if stop is not None else None
        self._bar: DeltaGenerator | None = None
        now = time.monotonic()
        self._next_look, self._next_frame = now + _TICK, now + _PATIENCE

    def trained(self, done: int, total: int) -> None:
        """Shows how many of all epochs are done."""
        self._show(done / total, f"{self._doing}: {done} of {total} epochs")

    def recorded(self, done: int, total: int) -> None:
        """Shows how many of all steps are recorded."""
        self._show(done / total, f"{self._doing}: {done} of {total} steps")

    def waiting(self, ahead: int) -> None:
        """Shows the place in the queue."""
        said = f"{ahead} other computation{'s go' if ahead > 1 else ' goes'} first"
        self._show(0.0, f"Waiting: {said if ahead else 'the same run is being computed for another reader'}")

    def clear(self) -> None:
        """Takes it away."""
        if self._place is not None:
            self._place.empty()

    def _show(self, share: float, text: str) -> None:
        now = time.monotonic()
        if now >= self._next_frame:
            self._next_frame = now + _FRAME
            self._draw(share, text)
        elif now >= self._next_look and self._bar is None:
            self._next_look = now + _TICK
            self._where().empty()

    def _where(self) -> DeltaGenerator:
        if self._place is None:
            self._place = st.empty()
        return self._place

    def _draw(self, share: float, text: str) -> None:
        if self._bar is None:
            with self._where().container():
                self._bar = st.progress(0.0)
                if self._stop is not None:
                    st.button(f"Stop the {self._stop.what}", on_click=self._stop.press)
        self._bar.progress(share, text)
