"""The guided tour, walked as a reader walks it: from its plan through all eight steps and back."""

import re

from playwright.sync_api import expect

from pages.components.shell.tour import STEPS
from tests.browser.conftest import Opener, no_exception, no_sideways_scroll, wait


def plain(markdown: str) -> str:
    return markdown.replace("`", "")


def test_the_tour_is_walked_from_its_plan_to_its_end(server: str, open_page: Opener) -> None:
    page = open_page(server, "guided_tour")
    page.get_by_role("link", name="Start the tour").click()
    bar = page.locator(".st-key-tour")
    for number, step in enumerate(STEPS, start=1):
        expect(bar).to_contain_text(f"Tour, step {number} of {len(STEPS)}: {step.title}.")
        expect(bar).to_contain_text(plain(step.question))
        wait(page)
        no_exception(page)
        expect(page).to_have_url(re.compile(f"tour={number}$"), timeout=15_000)
        expect(bar.get_by_text("Answer", exact=True)).to_have_count(0)
        bar.get_by_text(plain(step.options[step.right]), exact=True).click()
        bar.get_by_role("button", name="Let the run answer").click()
        bar.get_by_text("Answer", exact=True).click()
        expect(page.get_by_text(step.answer.split("`")[0][:40])).to_be_visible()
        page.keyboard.press("Escape")
        wait(page)
        no_exception(page)
        expect(page.locator("canvas").first).to_be_visible()
        if number < len(STEPS):
            bar.get_by_text(f"Step {number + 1} →").click()
    bar.get_by_text(f"← Step {len(STEPS) - 1}").click()
    expect(bar).to_contain_text(f"Tour, step {len(STEPS) - 1} of")
    bar.get_by_role("link", name="All steps").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Guided tour")
    expect(bar).to_have_count(0)
    assert "tour=" not in page.url


def test_a_step_opens_straight_by_its_link_on_a_narrow_screen(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=390, height=844, tour=3)
    expect(page.locator(".st-key-tour")).to_contain_text("Tour, step 3 of 8")
    no_exception(page)
    no_sideways_scroll(page)
