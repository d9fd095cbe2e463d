"""Each pattern by its own link: the verdict, and how it changes when one control is moved."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from engine.experiments import experiment_names
from tests.browser.conftest import Opener, no_sideways_scroll, wait

MOVES = {
    "gan": ("radio", "at the top of the step", "wasted work", "learns something else"),
    "truncated_bptt": ("radio", "True: the graph is kept", "error", "learns something else"),
    "kept_losses": ("radio", "item", "leak", "no difference"),
    "td_target": ("Where the detach stands", "nowhere", "learns something else", "no difference"),
    "checkpointed_adapter": ("radio", "non-reentrant", "learns something else", "wasted work"),
    "policy_gradient": ("Where the detach stands", "nowhere", "learns something else", "no difference"),
    "simsiam": ("Where the detach stands", "nowhere", "learns something else", "no difference"),
    "straight_through": ("radio", "alone", "learns something else", "no difference"),
    "vq_codebook": ("Where the detach stands", "nowhere", "learns something else", "no difference"),
    "frozen_backbone": ("Where the detach stands", "nowhere", "wasted work", "no difference"),
    "optimizer_trap": ("Where the detach stands", "nowhere", "learns something else", "no difference"),
}
"""By experiment: the control, a part of the choice's label, and the verdict before and after the choice."""
EPOCHS = {"optimizer_trap": 60}
"""Where the verdict hangs on an epoch in the middle of the run; elsewhere a few tell it as well."""


def test_every_pattern_has_a_move() -> None:
    assert set(MOVES) == set(experiment_names()) - {"lesson", "classifier"}


def verdict(page: Page, kind: str) -> None:
    expect(page.get_by_role("heading", name="Verdict")).to_have_text(f"Verdict: {kind}")


@pytest.mark.parametrize("experiment", MOVES)
def test_a_pattern_opens_by_its_link_and_its_verdict_follows_the_control(
    experiment: str, server: str, open_page: Opener
) -> None:
    control, choice, before, after = MOVES[experiment]
    dark = experiment_names().index(experiment) % 2 == 0
    page = open_page(
        server, "detach_in_practice", dark=dark, experiment=experiment, epochs=EPOCHS.get(experiment, 20)
    )
    assert page.locator("[data-testid=stException]").count() == 0
    verdict(page, before)
    if control == "radio":
        page.locator("[data-testid=stMain] label").filter(has_text=choice).first.click()
    else:
        page.get_by_role("combobox", name=control).click()
        page.get_by_role("option").filter(has_text=choice).first.click()
    wait(page)
    verdict(page, after)
    assert page.locator("[data-testid=stException]").count() == 0
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 390, "height": 844})
    wait(page)
    no_sideways_scroll(page)
