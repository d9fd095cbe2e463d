"""The quiz in a real browser: by keyboard alone, narrow and wide, light and dark, and in a later visit."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from engine.quiz import Answers, Topic, proof_of, rounds
from tests.browser.conftest import Opener, no_exception, no_sideways_scroll, wait

FIRST = rounds()[0]
ALL_WRONG = Answers()
for question in FIRST:
    ALL_WRONG = ALL_WRONG.choosing(question, (proof_of(question).right + 1) % 4)


def predict_by_keyboard(page: Page, text: str) -> None:
    """Goes down the options of the first question that is asked to the one with that text, and has it proved."""
    group = page.get_by_role("radiogroup", name="Your prediction").first
    options = group.get_by_role("radio")
    wanted = next(
        place
        for place in range(4)
        if text in group.locator("[data-testid=stRadioOption]").nth(place).inner_text()
    )
    options.first.focus()
    page.keyboard.press("Space")
    for _ in range(wanted):
        page.keyboard.press("ArrowDown")
    expect(options.nth(wanted)).to_be_checked()
    prove = page.get_by_role("button", name="Let torch run the proof").first
    expect(prove).to_be_enabled()
    wait(page)
    page.keyboard.press("Tab")
    expect(prove).to_be_focused()
    page.keyboard.press("Enter")


def test_a_question_is_answered_wrongly_and_once_more_by_the_keyboard_alone(
    server: str, open_page: Opener
) -> None:
    asked = FIRST[0]
    right = proof_of(asked).right
    answers = Answers()
    for other in FIRST[1:]:
        answers = answers.choosing(other, proof_of(other).right)
    page = open_page(server, "quiz", answers=answers.text)
    predict_by_keyboard(page, asked.options[(right + 1) % 4].text)
    expect(page.get_by_role("heading", name="Once more")).to_be_visible()
    expect(page.get_by_text("What torch printed:").first).to_be_visible()
    predict_by_keyboard(page, asked.options[right].text)
    expect(page.get_by_text("Right, this time.")).to_be_visible()
    expect(page.get_by_text(f"{len(FIRST)} of {len(FIRST)} mastered").last).to_be_visible()
    no_exception(page)
    page.go_back()
    expect(page.get_by_text(f"{len(FIRST) - 1} of {len(FIRST)} mastered").last).to_be_visible()
    expect(page.get_by_role("radiogroup", name="Your prediction")).to_have_count(1)


@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_a_later_visit_begins_with_what_was_wrong(
    width: int, dark: bool, server: str, open_page: Opener
) -> None:
    page = open_page(server, "quiz", width=width, dark=dark, answers=ALL_WRONG.text)
    expect(page.get_by_role("heading", level=2).first).to_have_text("From your last visit")
    expect(page.get_by_role("radiogroup", name="Your prediction")).to_have_count(len(FIRST))
    expect(page.get_by_role("list", name="Level 1: Foundations")).to_contain_text("mastered")
    no_exception(page)
    no_sideways_scroll(page)
    faults = Axe().run(page).response["violations"]
    assert not faults, [(fault["id"], fault["nodes"][0]["html"]) for fault in faults]


def test_a_chosen_topic_and_round_stand_in_the_link(server: str, open_page: Opener) -> None:
    first = next(n for n, turn in enumerate(rounds(), start=1) if turn[0].topic is Topic.LOOP)
    page = open_page(server, "quiz")
    page.get_by_role("combobox", name="Level and topic").click()
    page.get_by_role("option", name=Topic.LOOP.title).click()
    expect(page.get_by_role("heading", name=f"Round {first} of")).to_contain_text(Topic.LOOP.title)
    page.get_by_test_id("stMain").get_by_role("radio", name=str(first + 1), exact=True).click()
    second = page.get_by_role("heading", name=f"Round {first + 1} of")
    expect(second).to_be_visible()
    wait(page)
    assert f"round={first + 1}" in page.url
    page.reload()
    expect(second).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name=f"Round {first} of")).to_be_visible()
