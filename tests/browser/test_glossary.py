"""The words of a page: opened by the keyboard, readable in both looks and on a narrow screen."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Opener, look, no_sideways_scroll, wait


def test_a_word_opens_by_the_keyboard(server: str, open_page: Opener) -> None:
    page = open_page(server, "prediction_trace")
    word = page.locator(".glossary summary", has_text="twin")
    meaning = page.get_by_text("One of two copies of a model")
    expect(meaning).to_be_hidden()
    word.focus()
    page.keyboard.press("Enter")
    expect(meaning).to_be_visible()
    page.keyboard.press("Enter")
    expect(meaning).to_be_hidden()


def test_axe_finds_nothing_where_every_word_is_open_and_a_prediction_is_asked(
    server: str, open_page: Opener
) -> None:
    page = open_page(
        server,
        "data_flow",
        width=390,
        height=844,
        experiment="classifier",
        predict="first",
        tour=3,
    )
    for word in page.locator(".glossary summary").all():
        word.click()
    wait(page)
    expect(page.get_by_role("button", name="Let the run answer")).to_be_visible()
    no_sideways_scroll(page)
    for dark in (False, True):
        look(page, dark)
        found = Axe().run(page)
        assert found.violations_count == 0, f"dark: {dark}: {found.generate_report()}"
