"""The controls in the sidebar: the same on each page, each bound to the kept view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from engine import Settings, SettingsError
from engine.experiments import RANDOM, Option, experiment_names, find_experiment
from engine.settings import EPOCHS, NOWHERE, SEED, places
from engine.text import counted
from pages.components.shell import keeper
from pages.components.shell.view import LEARNING_RATES, View

OPTIMIZER_LABELS = {"sgd": "SGD", "momentum": "SGD with momentum 0.9", "adam": "Adam"}


def show(view: View, choices: bool = True) -> None:
    """Draws every control; a moved one is in the kept view at the next run. `choices`: those of `show_choices` too."""
    settings = view.settings
    st.divider()
    if choices:
        st.selectbox(
            "Experiment",
            experiment_names(),
            format_func=lambda name: find_experiment(name).title,
            **keeper.bound(
                "experiment",
                settings.experiment,
                lambda now, name: now.with_settings(Settings(experiment=name)),
            ),
        )
        show_choices(settings)
    st.slider("Epochs", *EPOCHS, **keeper.bound("epochs", settings.epochs, _changed("epochs")))
    st.select_slider(
        "Learning rate",
        LEARNING_RATES,
        format_func=lambda rate: f"{rate:g}",
        **keeper.bound("learning_rate", settings.learning_rate, _changed("learning_rate")),
    )
    st.selectbox(
        "Optimizer",
        tuple(OPTIMIZER_LABELS),
        format_func=OPTIMIZER_LABELS.__getitem__,
        **keeper.bound("optimizer", settings.optimizer, _changed("optimizer")),
    )
    labels = {choice.text: choice.label for choice in settings.described().start_choices}
    if len(labels) > 1:
        st.radio(
            "Start weights",
            tuple(labels),
            format_func=lambda name: labels.get(name, name),
            **keeper.bound("start", settings.start, _changed("start"), tuple(labels.values())),
        )
    if settings.start == RANDOM.text:
        st.number_input("Seed", *SEED, step=1, **keeper.bound("seed", settings.seed, _changed("seed")))
    st.button("Reset to the lesson", on_click=_reset, width="stretch")
    _copy_link(view)


def show_choices(settings: Settings) -> None:
    """Where the detach stands, and the experiment's own options."""
    labels = {name: place_label(settings.experiment, name) for name in places(settings.experiment)}
    st.selectbox(
        "Where the detach stands",
        tuple(labels),
        format_func=lambda name: labels.get(name, name),
        **keeper.bound("detach", settings.detach, _changed("detach"), tuple(labels.values())),
    )
    for option in settings.described().options:
        _show_option(option, settings)


def _changed(field: str) -> Callable[[View, Any], View]:
    """A new value of a field, put into the view of that moment."""

    def change(now: View, value: Any) -> View:
        try:
            return now.with_settings(now.settings.changed(**{field: value}))
        except (
            SettingsError
        ):  # the experiment was changed in the same moment, and this value was the old one's
            return now

    return change


def _show_option(option: Option, settings: Settings) -> None:
    """One choice of the experiment's own."""
    labels = {choice.text: choice.label for choice in option.choices}

    def change(now: View, value: Any) -> View:
        try:
            return now.with_settings(now.settings.choosing(option.name, value))
        except SettingsError:  # the experiment was changed in the same moment
            return now

    st.radio(
        option.label,
        tuple(labels),
        format_func=lambda text: labels.get(text, text),
        **keeper.bound(option.name, settings.option(option.name), change, tuple(labels.values())),
    )


def _reset() -> None:
    """Back to the lesson's settings; the quiz is left as it is."""
    keeper.keep(keeper.current_view().with_settings(Settings()).opened())


def describe(settings: Settings) -> str:
    """The settings in one line."""
    chosen_start = next(c for c in settings.described().start_choices if c.text == settings.start)
    start = f"random weights, seed {settings.seed}" if chosen_start == RANDOM else chosen_start.label
    epochs = counted(settings.epochs, "epoch")
    chosen = "".join(
        f"{o.label.lower()}: {o.chosen(settings.option(o.name)).label} · "
        for o in settings.described().options
    )
    place = (
        "no detach, so both twins are the same run"
        if settings.detach == NOWHERE
        else f"detach {place_label(settings.experiment, settings.detach)}"
    )
    return (
        f"{settings.described().title} · {place} · {chosen}{epochs} · "
        f"{OPTIMIZER_LABELS[settings.optimizer]} at {settings.learning_rate:g} · {start}"
    )


def place_label(experiment: str, place: str) -> str:
    """The words for a place where the detach can stand."""
    labels = {p.name: p.label for p in find_experiment(experiment).places}
    return labels.get(place, "nowhere") if place != NOWHERE else "nowhere: no detach at all"


def _copy_link(view: View) -> None:
    with st.expander("Copy link", on_change="rerun", key="copy link") as fold:
        if not fold.open:
            return  # the box of code alone brings 1.5 MB of scripts with it
        st.caption("It opens this page with exactly these settings. The button in the corner copies it.")
        hide = st.checkbox("Hide the controls for those who open it")
        st.code(link_to(view, hide), language=None, wrap_lines=True)


def link_to(view: View, hide_controls: bool) -> str:
    """The link that opens this page on this view, without the reader's own quiz answers."""
    shared = replace(view, controls=not hide_controls, answers="")
    page = (st.context.url or "").partition("?")[0]
    return f"{page}?{urlencode(shared.query())}"
