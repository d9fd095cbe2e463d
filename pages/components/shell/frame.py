"""What every page has around its own matter: title, menu, controls, and the line on what a link got wrong.

The title and the lead are drawn before the engine, and with it torch, is imported: the first visitor of a sleeping
host reads while torch loads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.navigation.page import Page

from pages.components.shell.command_line import named_file
from pages.components.shell.menu import HOME, PAGES
from pages.components.shell.turns import turns

if TYPE_CHECKING:
    from pages.components.shell.view import View

_STYLE = f"<style>\n{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"
_TRACE = "pages/trace_your_code.py"
_PLAN = "Guided tour"
"""The page that has every step of the tour, and needs no bar."""
_ENTERED = "entered"


@contextmanager
def open_page(
    title: str,
    lead: str,
    *,
    place: int = 0,
    shows_run: bool = True,
    gives_way: bool = False,
    choices_on_page: bool = False,
    opens_on: str = "lesson",
) -> Iterator[View]:
    """Draws the head of a page and its sidebar, and runs its body, the page's own matter, with what the reader looks at.

    Its `place` in the menu is read from its file (see `menu`). A page that `shows_run` says under its lead which run
    it shows, also where the controls are hidden. One that `gives_way` leaves a visitor of the bare address to the
    file that the server was started on, if there is one. With `choices_on_page` the page itself draws the choice of
    the experiment, of the detach's place and its options. `opens_on` is the experiment for a visitor without a link.
    """
    with turns.taken():
        enters = _ENTERED not in st.session_state and not st.query_params
        st.session_state[_ENTERED] = True
        if gives_way and enters and named_file():
            st.switch_page(_TRACE)
        st.set_page_config(page_title=f"{title} · Detach Lab", page_icon="✂️", layout="wide")
        st.html(_STYLE)
        st.title(title, anchor=False)
        st.markdown(lead)
        warned, told = st.empty(), st.container()
        _load_engine()
        from pages.components.shell import controls, keeper

        view = keeper.open_view(title, opens_on)
        with st.sidebar:
            _menu(view)
            if view.controls:
                controls.show(view, choices=not choices_on_page)
            else:
                st.button("Show the controls", on_click=keeper.change, kwargs={"controls": True})
            if view.hidden:
                st.button("Show what the link hides", on_click=keeper.change, kwargs={"hidden": ()})
        view = keeper.current_view()
        with told:
            if view.tour and title != _PLAN:
                from pages.components.shell.tour_bar import show_bar

                show_bar(view, title)
            if shows_run:
                st.caption(controls.describe(view.settings))
        if keeper.ignored():
            warned.warning("Ignored in the link: " + "; ".join(keeper.ignored()) + ".")
        yield view


_loaded = threading.Event()
"""Set once torch and the engine are there."""


def _load_engine() -> None:
    """Imports torch and the engine, the first time, and lets other pages draw their heads meanwhile."""
    if _loaded.is_set():
        return
    with turns.given_up(), st.spinner("Loading torch ...", show_time=False):
        from pages.components.shell import process

        process.prepare()
    _loaded.set()


def _menu(view: View) -> None:
    st.markdown("**✂ Detach Lab**")
    for page in PAGES:
        link_to(page.path, "Home" if page.path == HOME else page.title, view)


def link_to(path: str, label: str, view: View) -> None:
    """A link to a page that takes the view along."""
    st.page_link(_page(path), label=label, query_params=view.query())


@lru_cache
def _page(path: str) -> Page:
    """The page at a path, looked up once: to resolve the path for each link cost a rerun a hundred system calls.

    At each of them the thread gives the interpreter away, and under load waits to get it back.
    """
    return st.Page(path, default=path == HOME)
