"""Keeps the reader's view across pages, and in the URL.

A widget's value does not cross pages here, so no widget owns a setting. The view lies in the session under a key
of its own. At the start of each run the keeper takes over a link that is new, or that the reader went back to; before
a widget is drawn it is given its value from the view; when the reader moves it, its callback changes the view and
writes the link.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.components.shell.view import View

_VIEW, _LINK, _IGNORED = "kept view", "written link", "ignored in link"
_LATELY = "links written lately"
_CATCHES_UP = 3.0
"""Seconds in which a browser may still ask with a link that has been written over."""
_run = threading.local()
"""Whether the view was changed for this very run, by a widget's callback: such runs share no thread."""
_PAGE, _ARRIVED = "page", "arrived on page"


def open_view(page: str, opens_on: str = "lesson") -> View:
    """The view of this run of `page`: from the link where that is new, else the one that was kept.

    Who comes without a link gets the experiment `opens_on`.
    """
    link = dict(st.query_params.to_dict())
    state = st.session_state
    state[_ARRIVED] = state.get(_PAGE) != page
    state[_PAGE] = page
    _run.kept = getattr(_run, "kept", False)
    if _VIEW not in state or _is_other(link):
        state[_VIEW], state[_IGNORED] = View.from_query(link, opens_on)
        state[_LINK] = link
        if state[_IGNORED]:
            _write_link()
    _run.kept = False
    return current_view()


def _is_other(link: dict[str, str]) -> bool:
    """Whether the reader asks for another view by this link than the one that is kept.

    Runs of one session overlap, and share the link that streamlit keeps: what a callback has kept goes first. By the
    browser's Back and Forward every link is meant, the bare address too. Else one that was written over a moment ago is
    the browser's old one: it asks again before it has heard of the latest.
    """
    if _run.kept or link == st.session_state[_LINK]:
        return False
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:
        return True
    now = time.monotonic()
    lately = st.session_state.get(_LATELY, ())
    return bool(link) and not any(old == link and now - then < _CATCHES_UP for old, then in lately)


def current_view() -> View:
    """The view as it is kept now."""
    view: View = st.session_state[_VIEW]
    return view


def arrived() -> bool:
    """Whether this run is the first of a visit to its page."""
    return bool(st.session_state[_ARRIVED])


def ignored() -> tuple[str, ...]:
    """What of the link was ignored, until the reader changes something."""
    found: tuple[str, ...] = st.session_state.get(_IGNORED, ())
    return found


def keep(view: View) -> None:
    """Takes over a changed view and writes its link."""
    _run.kept = True
    st.session_state[_VIEW] = view
    st.session_state[_IGNORED] = ()
    _write_link()


def change(**changes: Any) -> None:
    """Changes some fields of the view, not of its settings."""
    keep(replace(current_view(), **changes))


def correct(**changes: Any) -> None:
    """Changes what the view can't be on this page, and the link with it; what else was ignored is still said."""
    st.session_state[_VIEW] = replace(current_view(), **changes)
    _write_link()


def bound(
    key: str, value: object, changed: Callable[[View, Any], View], offered: Hashable = None
) -> dict[str, Any]:
    """The `key` and `on_change` for a widget that shows `value` and whose new value `changed` puts into a view.

    `changed` is given the view of that moment, not of the run that drew the widget: two quick moves both count.
    Where what is `offered` changes, such as a slider's ends or the labels of a menu, the value is sent anew: the browser
    would start the slider at its lower end, and keep the old label of a choice that has the same name.
    """
    # Set it where it must be: a widget forgets between pages. Not where it holds already: that would push the value
    # to the browser, and undo what the reader has moved on to meanwhile.
    before = st.session_state.get(f"offered by {key}")
    if st.session_state[_ARRIVED] or st.session_state.get(key) != value or before != offered:
        st.session_state[key] = value
    st.session_state[f"offered by {key}"] = offered

    def on_change() -> None:
        keep(changed(current_view(), st.session_state[key]))

    return {"key": key, "on_change": on_change}


def _write_link() -> None:
    query, state, now = current_view().query(), st.session_state, time.monotonic()
    lately = [(old, then) for old, then in state.get(_LATELY, ()) if now - then < _CATCHES_UP]
    state[_LATELY] = [*lately, (state.get(_LINK), now)]
    state[_LINK] = query
    st.query_params.from_dict(query)
