"""The row of words stands on each page that uses them, with what they mean and the program that proves it."""

import re
from html import unescape

import pytest

from engine.experiments import experiment_names
from engine.glossary import GLOSSARY, find_term, words_in
from pages.components.parts.glossary import words_html
from pages.components.shell.menu import PAGES
from tests.pages.test_pages import html, opened

TRACED = [
    p.path for p in PAGES if p.title in ("Detach Lab", "Data flow", "Training trace", "Prediction trace")
]
PATHS = [*TRACED, "pages/detach_in_practice.py", "pages/trace_your_code.py", "pages/quiz.py"]
IN_A_LABEL = {"straight-through"}
"""Words of a pattern that another pattern's page names only in its menu."""


def shown(bodies: list[str]) -> list[str]:
    (row,) = [body for body in bodies if 'class="glossary"' in body]
    return [unescape(name) for name in re.findall("<summary>(.*?)</summary>", row)]


@pytest.mark.parametrize("path", PATHS)
def test_each_word_that_a_page_uses_stands_in_its_row(path: str) -> None:
    app = opened(path)
    kinds = ("header", "markdown", "caption", "info", "error")
    said = [str(getattr(element, "value", "")) for kind in kinds for element in app.main.get(kind)]
    said += [
        re.sub("<[^>]*>", " ", b) for b in html(app) if "<style" not in b and 'class="glossary"' not in b
    ]
    of_others = {page.about for page in PAGES}  # Home says what each page shows
    used = {term.name for term in words_in("\n".join(set(said) - of_others))} - IN_A_LABEL
    assert used
    assert used <= set(shown(html(app)))


@pytest.mark.usefixtures("forks")
def test_every_word_is_shown_somewhere() -> None:
    rows = [shown(html(opened(path))) for path in PATHS]
    rows += [
        shown(html(opened("pages/detach_in_practice.py", experiment=name, epochs=2)))
        for name in experiment_names()
    ]
    assert {name for row in rows for name in row} == {term.name for term in GLOSSARY}


def test_a_word_opens_on_its_meaning_and_its_program() -> None:
    row = words_html((find_term("straight-through"),))
    assert "<code>x + (f(x) - x).detach()</code> has the values of" in row
    assert "import torch\n\nx = torch.tensor([0.4, 1.7], requires_grad=True)" in row
    assert "<code>holds</code> is True." in row
