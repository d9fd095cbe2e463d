"""The instructor's link opens what the page says that it opens."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from engine import Settings
from engine.quiz import rounds
from pages.components.parts.instructors import _FOR_A_CLASS, ClassLink
from pages.components.shell.menu import PAGES
from pages.components.shell.view import View
from tests.pages.test_pages import opened, text

PATH = "pages/for_instructors.py"
BY_TITLE = {page.title: page for page in PAGES}


def choosing(title: str, *boxes: str, **query: object) -> AppTest:
    app = opened(PATH, **query)
    choice = app.selectbox(key="class page")
    choice.set_value(BY_TITLE[title]).run()
    for key in boxes:
        app.checkbox(key=key).check().run()
    assert not app.exception
    return app


def learner(app: AppTest) -> AppTest:
    """The page that the link opens."""
    (link,) = [code.value for code in app.main.code if "?" in code.value]
    parts = urlsplit(link)
    page = next(page for page in PAGES if page.address == parts.path.rpartition("/")[2])
    return opened(page.path, **dict(parse_qsl(parts.query)))


def test_the_link_hides_the_controls_and_asks_first() -> None:
    app = choosing("Data flow", "class hides", "class predicts", experiment="classifier", epochs=7)
    assert "No controls" in text(app)
    assert "One question with its options" in text(app)
    seen = learner(app)
    assert not seen.exception
    assert not list(seen.sidebar.slider)
    assert [button.label for button in seen.main.button] == ["Let the run answer"]
    shown: View = seen.session_state["kept view"]
    assert shown.settings == Settings("classifier", epochs=7)


@pytest.mark.parametrize(
    ("title", "part", "said"),
    [
        ("Detach in practice", "verdict", "Verdict:"),
        ("Training trace", "verdict", "the loss falls from"),
        ("Detach Lab", "verdict", "What its training shows"),
        ("Detach in practice", "story", "What the detach is for"),
        ("Data flow", "story", "What the detach is for"),
        ("Detach in practice", "code", "The lines that matter"),
        *(
            (page, "code", "The code that ran")
            for page in ("Data flow", "Training trace", "Prediction trace")
        ),
    ],
)
def test_the_link_leaves_a_part_of_a_page_out_and_the_learner_can_bring_it_back(
    title: str, part: str, said: str
) -> None:
    app = choosing(title, experiment="classifier", epochs=7)
    assert said in everything(opened(BY_TITLE[title].path, experiment="classifier", epochs=7))
    app.multiselect(key="class parts").set_value([part]).run()
    assert "Left out where the page has it: " in text(app)
    seen = learner(app)
    assert not seen.exception
    assert said not in everything(seen)
    next(b for b in seen.sidebar.button if b.label == "Show what the link hides").click().run()
    assert said in everything(seen)


def everything(app: AppTest) -> str:
    return "\n".join([text(app), *(fold.label for fold in app.main.expander)])


def test_the_link_opens_the_round_of_the_quiz_without_the_instructors_answers() -> None:
    app = choosing("Quiz", answers="123")
    app.selectbox(key="class round").set_value(2).run()
    assert f"The quiz starts with round 2 of {len(rounds())}: {rounds()[1][0].topic.title}" in text(app)
    seen: View = learner(app).session_state["kept view"]
    assert (seen.round, seen.answers) == (2, "")


@pytest.mark.parametrize(
    ("title", "box", "shows"),
    [
        ("Training trace", "class sweep", "The sweep over learning rates is open."),
        (
            "Detach in practice",
            "class reference",
            "The table of ten ways to take values out of a graph is open.",
        ),
    ],
)
def test_what_is_folded_away_can_be_opened(title: str, box: str, shows: str) -> None:
    app = choosing(title, epochs=4)
    assert shows not in text(app)
    app.checkbox(key=box).check().run()
    assert shows in text(app)
    seen: View = learner(app).session_state["kept view"]
    assert (seen.sweep, seen.reference) == (title == "Training trace", title == "Detach in practice")


@pytest.mark.parametrize("page", _FOR_A_CLASS, ids=lambda page: page.title)
def test_each_page_has_a_link_and_says_what_it_shows(page: object) -> None:
    made = ClassLink(page, View.of(Settings()))  # type: ignore[arg-type]
    assert made.address("http://localhost").startswith(
        f"http://localhost/{made.page.address}?experiment=lesson&"
    )
    assert all(sentence.endswith(".") for sentence in made.seen())


def test_no_detach_no_question() -> None:
    app = choosing("Data flow", "class predicts", detach="nowhere")
    assert "nothing is asked" in text(app)
