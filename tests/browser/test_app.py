"""The app in a real browser."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.components.shell.menu import HOME, PAGES
from tests.browser.conftest import Opener, look, no_exception, no_sideways_scroll, wait
from tests.servers import running_server

ADDRESSES = {("Home" if page.path == HOME else page.title): page.address for page in PAGES}
OWN_TESTS = "Detach in practice"
"""The page whose patterns are opened one by one, each on a fresh server, narrow and under axe, in a file of its own."""


def slider(page: Page, key: str) -> str:
    return (
        page.locator(f".st-key-{key} input[type=range]").get_attribute("aria-valuetext")
        or page.locator(f".st-key-{key} input[type=range]").input_value()
    )


def press(page: Page, key: str, arrow: str) -> None:
    address = page.url
    page.locator(f".st-key-{key} input[type=range]").press(arrow)
    page.wait_for_function("before => location.href !== before", arg=address)
    wait(page)


def click(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()
    wait(page)


def test_pages_open_straight_by_their_links_on_a_fresh_server(open_page: Opener) -> None:
    with running_server() as address:
        for title in ("Data flow", "Home"):
            page = open_page(address, ADDRESSES[title], experiment="classifier", detach="hidden_1", epochs=7)
            no_exception(page)
            expect(page.get_by_role("heading", level=1)).to_have_text(
                "Detach Lab" if title == "Home" else title
            )
            expect(page.locator(".st-key-epochs")).to_contain_text("7")
            expect(page.get_by_role("combobox", name="Experiment")).to_have_value("A deeper network")
            expect(page.locator("[data-testid=stSidebar]")).to_contain_text("Prediction trace")


def test_a_moved_slider_reaches_the_chart(server: str, open_page: Opener) -> None:
    page = open_page(server, "training_trace")
    marks = page.locator("path[aria-roledescription=point]")
    expect(page.locator('path[aria-label*="epoch: 4; loss: 0.2495"]').first).to_be_attached()
    before = marks.count()
    press(page, "epochs", "ArrowRight")
    expect(page.locator('path[aria-label*="epoch: 6; loss"]').first).to_be_attached()
    assert marks.count() > before
    assert "epochs=6" in page.url


def test_a_slider_whose_end_moves_stays_where_it_was(server: str, open_page: Opener) -> None:
    page = open_page(server, "training_trace", epochs=30)
    press(page, "epochs", "ArrowRight")
    expect(page.get_by_text("without detach, epoch 4: loss")).to_be_visible()
    expect(page.locator(".st-key-epoch input[type=range]")).to_have_value("4")
    press(page, "epoch", "ArrowRight")
    expect(page.get_by_text("without detach, epoch 5: loss")).to_be_visible()
    assert "epoch=5" in page.url


def test_a_whole_round_of_the_quiz_and_a_reload_that_loses_nothing(server: str, open_page: Opener) -> None:
    page = open_page(server, "quiz")
    for number in range(3):
        group = page.get_by_role("radiogroup", name="Your prediction").first
        group.locator("[data-testid=stRadioOption]").nth(2).click()
        prove = page.get_by_role("button", name="Let torch run the proof").first
        expect(prove).to_be_enabled()
        prove.click()
        expect(page.get_by_text("What torch printed:")).to_have_count(number + 1)
    score = page.get_by_text(re.compile("score \\d of 3"))
    said = score.inner_text()
    page.reload()
    wait(page)
    expect(score).to_have_text(said)
    click(page, "Another round")
    expect(page.get_by_text("Round 2 of")).to_be_visible()


def test_a_shared_link_reproduces_the_view(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow")
    press(page, "epochs", "ArrowRight")
    press(page, "learning_rate", "ArrowRight")
    page.get_by_text("Stage by stage: every number").click()
    press(page, "epoch", "ArrowLeft")
    page.get_by_text("Copy link").click()
    link = page.locator("[data-testid=stSidebar] [data-testid=stCode]").inner_text().strip()
    assert link.split("?")[0] == f"{server}/data_flow"
    tables = page.locator(".lab table").all_text_contents()
    assert tables
    page = open_page(link.split("?")[0], "?" + link.split("?")[1])
    assert page.locator(".lab table").all_text_contents() == tables
    assert "epochs=6" in link
    assert "lr=0.008" in link
    assert "epoch=3" in link


def test_settings_survive_the_menu_and_the_back_button(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", epochs=9)
    page.locator("[data-testid=stSidebar]").get_by_role("link", name="Training trace").click()
    page.wait_for_url("**/training_trace?**")
    wait(page)
    expect(page.locator(".st-key-epochs")).to_contain_text("9")
    press(page, "epochs", "ArrowRight")
    expect(page.locator(".st-key-epochs")).to_contain_text("10")
    page.go_back()
    wait(page)
    no_exception(page)


def test_an_instructors_link_hides_the_controls(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", epochs=9, controls="hidden")
    expect(page.locator(".st-key-epochs")).to_have_count(0)
    expect(page.get_by_role("slider", name="Epoch of the picture")).to_be_visible()
    scissors = page.get_by_role("button", name="The detach stands after the linear layer")
    expect(scissors).to_be_disabled()


def test_an_unknown_page_shows_home(server: str, open_page: Opener) -> None:
    page = open_page(server, "no_such_page", epochs="nan")
    no_exception(page)
    expect(page.get_by_role("heading", level=1).first).to_have_text("Detach Lab")


@pytest.mark.parametrize("title", [title for title in ADDRESSES if title != OWN_TESTS])
def test_axe_finds_nothing_and_a_narrow_page_does_not_scroll_sideways(
    title: str, server: str, open_page: Opener
) -> None:
    page = open_page(server, ADDRESSES[title], answers="312")
    for fold in page.locator("[data-testid=stMain] [data-testid=stExpander] summary").all():
        fold.click()
        wait(page)
    for dark in (False, True):
        look(page, dark)
        no_sideways_scroll(page)
        found = Axe().run(page)
        assert found.violations_count == 0, f"dark: {dark}: {found.generate_report()}"
    page.set_viewport_size({"width": 390, "height": 844})
    wait(page)
    no_exception(page)
    no_sideways_scroll(page)


def test_the_keyboard_alone_reaches_and_moves_the_controls(server: str, open_page: Opener) -> None:
    page = open_page(server, "training_trace")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "() => document.activeElement.closest('[class*=st-key-]')?.className.match(/st-key-(\\w+)/)[1]"
            )
        )
    assert {"experiment", "detach", "epochs", "learning_rate", "optimizer", "start", "epoch"} <= reached


def test_the_sweep_is_drawn_with_its_edges_and_axe_finds_nothing(server: str, open_page: Opener) -> None:
    page = open_page(
        server, "training_trace", width=390, dark=True, sweep="shown", optimizer="sgd", epochs=60
    )
    no_exception(page)
    no_sideways_scroll(page)
    for words in ("chosen", "without detach: diverges", "exact edge"):
        expect(page.locator("svg text", has_text=re.compile(f"^{words}$"))).to_have_count(1)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_back_and_forward_show_what_the_address_says(server: str, open_page: Opener) -> None:
    page = open_page(server, "training_trace")
    place = page.get_by_role("combobox", name="Where the detach stands")
    place.click()
    page.get_by_role("option", name="nowhere").click()
    expect(page.get_by_text("both twins are the same run")).to_be_visible()
    press(page, "epochs", "ArrowRight")
    page.go_back()
    expect(page.locator(".st-key-epochs input[type=range]")).to_have_value("5")
    expect(place).to_have_value("nowhere: no detach at all")
    page.go_back()
    expect(place).to_have_value("after the linear layer")
    expect(page.get_by_text("both twins are the same run")).to_have_count(0)
    page.go_forward()
    expect(place).to_have_value("nowhere: no detach at all")
    expect(page).to_have_url(re.compile("detach=nowhere&epochs=5"))


def test_back_leads_to_the_quizs_round_before(server: str, open_page: Opener) -> None:
    page = open_page(server, "quiz")
    click(page, "Another round")
    expect(page.get_by_text("Round 2 of")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Round 1 of")).to_be_visible()


def test_a_place_of_the_same_name_has_the_label_of_its_experiment(server: str, open_page: Opener) -> None:
    page = open_page(server, "")
    place = page.get_by_role("combobox", name="Where the detach stands")
    labels = {
        "SimSiam": "after each embedding that is predicted",
        "TD target": "after the target r + gamma * V(s')",
    }
    for title, label in labels.items():
        page.get_by_role("combobox", name="Experiment").click()
        page.get_by_role("option", name=title, exact=True).click()
        expect(place).to_have_value(label)
