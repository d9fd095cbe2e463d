"""The words that a page uses, in one row near its top: each opens on its meaning and the program that proves it."""

from __future__ import annotations

from functools import cache
from html import escape

from engine.experiments import Experiment
from engine.glossary import GLOSSARY, Term, find_term, holds, program, words_in
from engine.recorder.render.html import code_markup
from pages.components.draw.tables import show_html
from pages.components.shell.tour import STEPS
from pages.components.shell.view import View


def show_words(names: str, view: View | None = None) -> None:
    """The row: the words of these names, parted by commas, and those that the experiment's own texts use.

    In a step of the guided tour it is the step's own few. It is one element, which asks the server for nothing.
    """
    if view is not None and view.tour:
        show_html(_row(STEPS[view.tour - 1].words, None))
    else:
        show_html(_row(names, view.settings.described() if view is not None else None))


@cache
def _row(names: str, of: Experiment | None) -> str:
    used = {*map(find_term, names.split(", ")), *words_in(_texts(of) if of else "")}
    return words_html(tuple(term for term in GLOSSARY if term in used))


def _texts(of: Experiment) -> str:
    """What a page can say of an experiment in the experiment's own words."""
    measured = of.measure.label if of.measure else ""
    return " ".join((of.title, of.summary, of.story, measured, *(place.label for place in of.places)))


def words_html(terms: tuple[Term, ...]) -> str:
    """The row as HTML."""
    return f'<div class="glossary"><span>Words on this page:</span>{"".join(map(_term, terms))}</div>'


def _term(term: Term) -> str:
    return (
        f"<details><summary>{escape(term.name)}</summary><div><p>{code_markup(term.meaning)}</p>"
        f"<pre><code>{escape(program(term))}</code></pre><p>Run by torch: <code>holds</code> is {holds(term)}.</p>"
        "</div></details>"
    )
