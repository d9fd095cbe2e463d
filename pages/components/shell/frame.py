"""What every page has around its own matter: title, menu, controls, and the line on what a link got wrong.

The title and the lead are drawn before the engine, and with it torch, is imported: the first visitor of a sleeping
host reads while torch loads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.navigation.page import Page

from pages.components.shell.command_line import named_file
from pages.components.shell.menu import HOME, PAGES
from pages.components.shell.turns import turns

if TYPE_CHECKING:
    from pages.components.shell.view import View

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

    Its `place` in the menu is read from its file (see `menu`). A page that `shows_run` says under its lead which run it shows, also where the controls are hidden. One that
    `gives_way` leaves a visitor of the bare address to the file that the server was started on, if there is one.
    With `choices_on_page` the page itself draws the choice of the experiment, of the detach's place and its options. `opens_on` is the experiment for a visitor without a
    link.
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


_STYLE = """<style>
/* The title stands at the top. Streamlit's header lies over it and is seen through; where it has the button that opens
   the sidebar, it is a bar of 60 pixels, and the title begins below. */
[data-testid=stMainBlockContainer] { padding-top: 2rem !important; }
[data-testid=stMainBlockContainer] h1 { padding-top: 0; }
.stApp:not(:has([data-testid=stExpandSidebarButton])) [data-testid=stHeader] { background: none !important; pointer-events: none !important; }
[data-testid=stHeader] button { pointer-events: auto; }
.stApp:has([data-testid=stExpandSidebarButton]) [data-testid=stMainBlockContainer] { padding-top: 4rem !important; }
.lab { --cut: #c2410c; --line: rgba(128, 128, 128, .45); --soft: rgba(128, 128, 128, .12); font-size: .9rem; }
.lab table { border-collapse: collapse; margin: 0; font-variant-numeric: tabular-nums; width: auto; }
.lab td, .lab th { border: 1px solid var(--line); padding: .15rem .45rem; text-align: right; font-weight: 400; white-space: nowrap; }
.lab th { font-weight: 600; text-align: left; }
.lab caption { caption-side: top; text-align: left; white-space: nowrap; padding: 0 0 .2rem; }
.lab td.said { text-align: left; white-space: normal; min-width: 14rem; }
.lab .figures th { white-space: normal; min-width: 4.5rem; }
.lab .compared th, .lab .compared td { white-space: normal; }
.lab .words td.said { min-width: 0; max-width: 26rem; overflow-wrap: break-word; }
.lab details summary { cursor: pointer; }
.lab details ul { margin: 0; padding-left: 1.1rem; max-height: 16rem; overflow: auto; }
.lab .words details ul { max-height: none; }
.lab td code { font-size: inherit; }
.lab .words td.at { white-space: nowrap; }
.lab .scroll { overflow-x: auto; max-width: 100%; }
.lab .long { max-height: 24rem; overflow: auto; }
.lab .missing { border: 1px dashed var(--line); padding: .4rem .6rem; display: inline-block; }
.lab img { image-rendering: pixelated; border: 1px solid var(--line); display: block; margin-top: .3rem; }
.lab .twins { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; font-size: 1rem; }
.lab .twins > div { min-width: 0; }
.lab .twins p { margin: .6rem 0; }
.lab .twins .scroll { font-size: .9rem; }
.lab .flags { display: flex; flex-wrap: wrap; gap: .3rem; padding: 0; margin: .2rem 0; list-style: none; }
.lab .flags li { border: 1px solid var(--line); border-radius: .6rem; padding: 0 .5rem; margin: 0; font-size: .8rem; }
.lab .pipeline { display: flex; flex-wrap: wrap; align-items: stretch; gap: .3rem; padding: 0; margin: 0; list-style: none; }
.lab .pipeline li { display: flex; align-items: center; gap: .3rem; margin: 0; }
.lab .pipeline li.apart { flex-basis: 100%; font-size: .8rem; margin-top: .3rem; }
.lab .box { overflow-wrap: anywhere; border: 2px solid currentColor; border-radius: .5rem; padding: .5rem .7rem; min-width: 6.5rem; max-width: 9.6rem; }
.lab .box.cut { border-style: dashed; border-width: 3px; }
.lab .box.starved { border-style: dotted; }
.lab .arrows .forward::after { content: " →"; }
.lab .arrows .back::before { content: "← "; }
.lab .arrows { display: grid; text-align: center; width: 4.9rem; font-size: .8rem; line-height: 1.4; }
.lab .box small { display: block; }
.lab .glossary { display: flex; flex-wrap: wrap; gap: .1rem .8rem; font-size: .85rem; }
.lab .glossary details[open] { flex-basis: 100%; }
.lab .glossary summary { list-style: none; text-decoration: underline dotted; text-underline-offset: .2em; min-height: 1.5rem; }
.lab .glossary summary::-webkit-details-marker { display: none; }
.lab .glossary details[open] summary { font-weight: 600; }
.lab .glossary details > div { border-left: 3px solid var(--line); padding-left: .8rem; margin: .2rem 0 .5rem; max-width: 46rem; }
.lab .glossary p { margin: .2rem 0; font-size: .9rem; }
.lab .glossary pre { background: var(--soft); padding: .4rem .6rem; margin: .2rem 0; border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
/* Long lines of code wrap; nothing is left to scroll sideways, which a keyboard could not. */
.stCode pre, .stCode pre code, .stCode pre code span { white-space: pre-wrap !important; overflow-wrap: anywhere; }
.stCode pre { overflow: hidden !important; }
/* Streamlit's own colours for code are too pale to read against these backgrounds. */
.stCode .token { color: inherit !important; }
.stCode .token.keyword, .stCode .token.builtin { color: light-dark(#1a5fb4, #8ab8ff) !important; }
.stCode .token.string { color: light-dark(#0a6b33, #7fd69a) !important; }
.stCode .token.number, .stCode .token.boolean { color: light-dark(#8a3a05, #f0b27a) !important; }
.stCode .token.comment { color: light-dark(#9a3412, #ffb48a) !important; font-weight: 600; }
@media (max-width: 640px) {
  .lab .twins { grid-template-columns: 1fr; }
  .lab .pipeline, .lab .pipeline li { flex-direction: column; align-items: stretch; }
  .lab .pipeline .box { max-width: none; }
  .lab .arrows { width: auto; }
  .lab .arrows .forward::after { content: " ↓"; }
  .lab .arrows .back::before { content: "↑ "; }
}
</style>"""
