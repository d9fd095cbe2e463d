"""What only a look at the page shows: where the title stands, what sticks out, what a legend's marks look like."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, look, wait

HIDDEN_BEHIND = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("h1"));
  const { left, top, right, bottom } = range.getBoundingClientRect();
  const places = [[left + 2, top + 2], [right - 2, top + 2], [left + 2, bottom - 2], [(left + right) / 2, (top + bottom) / 2]];
  return places.map(([x, y]) => document.elementFromPoint(x, y)).filter((found) => !found.closest("h1"))
    .map((found) => found.outerHTML.slice(0, 80));
}"""
LABELS_OUTSIDE = """() => [...document.querySelectorAll("[data-testid=stVegaLiteChart] svg")].flatMap((drawing) => {
  const right = drawing.getBoundingClientRect().right;
  return [...drawing.querySelectorAll(".role-legend-label text")]
    .filter((label) => label.getBoundingClientRect().right > right + 0.5).map((label) => label.textContent);
})"""


def top_of_title(page: Page) -> float:
    box = page.get_by_role("heading", level=1).bounding_box()
    assert box
    return box["y"]


def test_the_title_stands_at_the_top_of_a_narrow_page_and_nothing_lies_over_it(
    server: str, open_page: Opener
) -> None:
    page = open_page(server, "quiz", width=390, height=844)
    for dark in (False, True):
        look(page, dark)
        assert top_of_title(page) <= 70
        assert page.evaluate(HIDDEN_BEHIND) == []


def test_the_title_stands_at_the_top_and_nothing_lies_over_it_with_the_menu_and_without(
    server: str, open_page: Opener
) -> None:
    page = open_page(server, "quiz")
    for dark in (False, True):
        look(page, dark)
        the_menu_is_closed_and_opened(page)


def the_menu_is_closed_and_opened(page: Page) -> None:
    assert top_of_title(page) <= 40
    page.wait_for_function(f"() => !({HIDDEN_BEHIND})().length")  # the menu may still be on its way
    page.locator("[data-testid=stSidebar]").hover()
    page.locator("[data-testid=stSidebarCollapseButton] button").click()
    opener = page.locator("[data-testid=stExpandSidebarButton]")
    expect(opener).to_be_visible()
    assert top_of_title(page) <= 70
    page.wait_for_function(f"() => !({HIDDEN_BEHIND})().length")  # the menu may still be on its way
    # At once: the header may be drawn anew between a press and its release.
    opener.evaluate("button => button.click()")
    expect(opener).to_have_count(0)


def test_another_round_starts_at_its_top(server: str, open_page: Opener) -> None:
    page = open_page(server, "quiz", width=390, height=844)
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    for button, number in (("Another round", 2), ("Another round", 3), ("Previous round", 2)):
        page.get_by_role("button", name=button, exact=True).scroll_into_view_if_needed()
        assert page.evaluate(scrolled) > 100
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_text(re.compile(f"Round {number} of"))).to_be_visible()
        page.wait_for_function(f"() => ({scrolled})() === 0")
        wait(page)
        assert page.evaluate(scrolled) == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_a_legend_has_room_shows_pieces_of_its_lines_and_a_table_its_last_column(
    width: int, server: str, open_page: Opener
) -> None:
    page = open_page(server, "training_trace", width=width, experiment="gan", epochs=6)
    if width == 1280:
        table = page.get_by_role("group", name="Epochs without detach")
        assert table.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
    assert page.locator("svg .role-legend-label text", has_text="discriminator.output").count() == 4
    assert page.evaluate(LABELS_OUTSIDE) == []
    marks = page.locator("[data-testid=stVegaLiteChart]").first.locator(".role-legend-symbol path")
    expect(marks).to_have_count(2)
    for mark in marks.all():
        # A piece of a line has no height to be filled.
        assert mark.evaluate("(mark) => mark.getBBox().height") == 0
    assert marks.nth(1).get_attribute("stroke-dasharray")
