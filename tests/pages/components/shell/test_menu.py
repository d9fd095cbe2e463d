"""A page is one file: the menu and Home read from it what they show."""

from pathlib import Path

import pytest

from pages.components.shell import menu

ROOT = Path(__file__).parents[4]


def test_every_page_is_in_the_menu_home_first() -> None:
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "pages").glob("*.py")}
    assert {page.path for page in menu.PAGES} == {menu.HOME, *files}
    assert menu.PAGES[0].path == menu.HOME
    assert [page.place for page in menu.PAGES] == sorted({page.place for page in menu.PAGES})


@pytest.mark.parametrize("page", menu.PAGES[1:], ids=lambda page: page.title)
def test_a_page_says_what_it_shows(page: menu.PageFile) -> None:
    assert page.about[0].isupper()
    assert page.about.endswith(".")


def test_a_new_page_is_read_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menu, "_ROOT", tmp_path)
    (tmp_path / "pages").mkdir()
    file = tmp_path / "pages" / "weights.py"
    file.write_text(
        '"""Weights: how far each has moved."""\nwith open_page("Weights", "...", place=35) as view:\n    pass\n'
    )
    page = menu._read(file)
    assert page == menu.PageFile(
        "pages/weights.py", "Weights", "How far each has moved.", 35, shows_run=True, predicts=False
    )
    assert page.address == "weights"


def test_a_page_says_by_its_own_file_whether_it_predicts_and_shows_a_run() -> None:
    assert {page.title for page in menu.PAGES if page.predicts} == {
        "Data flow",
        "Training trace",
        "Detach in practice",
    }
    assert {page.title for page in menu.PAGES if page.shows_run} >= {"Data flow", "Prediction trace"}
    assert not {page.title for page in menu.PAGES if page.shows_run} & {
        "Guided tour",
        "Trace your code",
        "Quiz",
    }
