"""The living picture in a real browser: arrows are cut by mouse, keyboard and touch, epochs played and scrubbed."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Browser, Locator, Page, expect

from engine.experiments import experiment_names, find_experiment
from engine.text import number_text
from tests.browser.conftest import Opener, no_exception, wait

HEIGHT = "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
FOLLOW = "query => { history.pushState(null, '', query); dispatchEvent(new PopStateEvent('popstate')); }"
"""Opens the page that is open by another link."""


def summary(page: Page) -> Locator:
    return page.locator(".living .summary")


def box(page: Page, name: str, twin: str = "with detach") -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{name}, {twin}:"))


def scissors(page: Page, words: str) -> Locator:
    return page.get_by_role("button", name=re.compile(words))


def test_an_arrow_is_cut_by_mouse_and_the_page_follows(server: str, open_page: Opener) -> None:
    page = open_page(server, width=1400)
    expect(summary(page)).to_have_text(
        "Starved: hidden_1 and hidden_2 (no gradient comes back this far). Learning: output."
    )
    scissors(page, "Put the detach after the first hidden layer").click()
    expect(summary(page)).to_have_text(
        "Starved: hidden_1 (no gradient comes back this far). Learning: hidden_2 and output."
    )
    assert "detach=hidden_1" in page.url
    wait(page)
    expect(page.get_by_role("combobox", name="Where the detach stands")).to_have_value(
        "after the first hidden layer"
    )
    expect(box(page, "hidden_1")).to_have_class(re.compile("starved"))
    expect(box(page, "hidden_1")).to_contain_text("starved")
    expect(box(page, "hidden_2")).to_have_class(re.compile("fed"))
    expect(box(page, "hidden_1", "without detach")).to_have_class(re.compile("fed"))
    scissors(page, "The detach stands after the first hidden layer").click()
    expect(summary(page)).to_have_text("Every layer gets its gradient: hidden_1, hidden_2 and output.")
    assert "detach=nowhere" in page.url
    no_exception(page)


def test_an_arrow_is_cut_by_keyboard(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", experiment="vq_codebook", epochs=5)
    place = scissors(page, "Put the detach .*commit|Put the detach .*encoder")
    before = page.url
    place.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
    wait(page)
    expect(scissors(page, "^The detach stands").first).to_have_attribute("aria-pressed", "true")
    no_exception(page)


def test_the_scissors_are_dragged_to_another_arrow(server: str, open_page: Opener) -> None:
    page = open_page(server, width=1400, experiment="classifier", epochs=5)
    target = scissors(page, "Put the detach after the first hidden layer")
    scissors(page, "^The detach stands after the second hidden layer").drag_to(target)
    page.wait_for_url(re.compile("detach=hidden_1"))
    expect(box(page, "hidden_1")).to_contain_text("starved")
    expect(box(page, "hidden_2")).not_to_contain_text("starved")


def test_the_arrow_itself_can_be_clicked(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=1400, experiment="classifier", epochs=5)
    spot = scissors(page, "Put the detach after the first hidden layer").bounding_box()
    assert spot is not None
    page.mouse.click(spot["x"] - 6, spot["y"] + spot["height"] / 2 + 6)  # beside the scissors, on the arrow
    page.wait_for_url(re.compile("detach=hidden_1"))


def test_an_arrow_is_cut_by_touch(server: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{server}/data_flow?experiment=td_target&detach=nowhere&epochs=5")
    wait(page)
    scissors(page, "Put the detach").first.tap()
    page.wait_for_url(re.compile("detach=target"))
    wait(page)
    expect(box(page, "target")).to_contain_text("no gradient")
    context.close()


def test_refused_is_told_apart_from_stopped(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow")
    expect(box(page, "loss")).to_have_class(re.compile("refused stopped"))
    expect(box(page, "linear")).to_contain_text("backward() refused")
    expect(page.locator(".living div.twin1")).to_contain_text("backward() refused")
    expect(box(page, "inputs")).to_contain_text("no gradient needed")


def test_scrubbing_playing_and_looking_in_ask_the_server_for_nothing(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", experiment="classifier", epochs=20)
    page.evaluate(
        "() => { const send = WebSocket.prototype.send;"
        " window.sent = 0; WebSocket.prototype.send = function (data) { window.sent += 1; return send.call(this, data); }; }"
    )
    scrubber = page.get_by_role("slider", name="Epoch of the picture")
    scrubber.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".living output")).to_have_text("Epoch 6 of 20")
    assert "epoch=6" in page.url
    box(page, "hidden_2").click()
    inspector = page.get_by_role("region", name="Inspector: hidden_2")
    expect(inspector).to_contain_text("Gradient back, norm")
    expect(inspector).to_contain_text("No gradient: none comes back this far.")
    page.get_by_role("button", name="▶ Play").click()
    expect(page.locator(".living output")).to_have_text("Epoch 20 of 20")
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.locator(".living output")).to_have_text("Epoch 1 of 20")
    assert page.evaluate("window.sent") == 0


def test_a_link_opens_on_the_epoch_that_was_scrubbed_to(server: str, open_page: Opener) -> None:
    page = open_page(server, experiment="classifier", epochs=12, epoch=7)
    expect(page.locator(".living output")).to_have_text("Epoch 7 of 12")
    page.get_by_role("slider", name="Epoch of the picture").press("ArrowLeft")
    page.reload()
    wait(page)
    expect(page.locator(".living output")).to_have_text("Epoch 6 of 12")


def test_the_lessons_numbers_stand_in_the_inspector(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow")
    box(page, "linear", "without detach").click()
    inspector = page.get_by_role("region", name=re.compile("Inspector"))
    expect(inspector).to_contain_text("0.4958")
    expect(inspector).to_contain_text("First element: 1 ·")


def test_numbers_are_written_as_the_rest_of_the_page_writes_them(server: str, tab: Page) -> None:
    numbers = [
        0.0,
        1.0,
        -0.85225,
        9.9996,
        99999.6,
        123456.0,
        1e6,
        -5.5878e6,
        9.99996e-5,
        1e-5,
        250.0,
        1000.4,
        0.1,
    ]
    sizes = 10.0 ** np.arange(-8, 12).repeat(10)
    numbers += [float(n) for n in (np.random.default_rng(0).normal(size=200) * sizes).astype(np.float32)]
    tab.goto(f"{server}/_stcore/health")  # of the server, and nothing else on it
    written = tab.evaluate(
        "async numbers => { const { numberText } = await import('/app/static/canvas/numbers.js');"
        " return numbers.map(n => numberText(n)); }",
        numbers,
    )
    assert written == [number_text(number) for number in numbers]


def test_nothing_moves_for_who_wants_no_motion(server: str, open_page: Opener) -> None:
    page = open_page(server, still=True, experiment="classifier", epochs=4)
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator(".living output")).to_have_text("Epoch 2 of 4")
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0


def test_a_module_opens_and_closes(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", experiment="simsiam", epochs=3)
    expect(box(page, "encoder")).to_have_count(2)
    page.get_by_role("button", name="Open encoder: 4 calls").first.click()
    expect(box(page, "linear_1")).to_have_count(1)
    expect(box(page, "encoder")).to_have_count(1)
    page.get_by_role("button", name=re.compile("^Close what linear_1")).first.click()
    expect(box(page, "encoder")).to_have_count(2)


def test_data_flow_is_at_most_two_screens_with_every_experiment(server: str, open_page: Opener) -> None:
    heights = {}
    page = open_page(server, "data_flow", width=1400, height=900, epochs=4)
    for name in experiment_names():
        page.evaluate(FOLLOW, f"?experiment={name}&epochs=4")  # without loading streamlit once more
        expect(page.get_by_role("combobox", name="Experiment")).to_have_value(find_experiment(name).title)
        expect(page.get_by_test_id("stMain").get_by_text(f"{find_experiment(name).title} · ")).to_be_visible()
        wait(page)
        expect(page.locator(".living output")).to_contain_text("of 4")
        heights[name] = page.evaluate(HEIGHT)
    assert {name: height for name, height in heights.items() if height > 2 * 900} == {}


def test_arrows_are_as_wide_as_the_root_of_their_gradients_on_one_scale_for_all_epochs(
    server: str, open_page: Opener
) -> None:
    page = open_page(server, "data_flow", width=1400, experiment="classifier", epochs=12, detach="nowhere")
    scrubber = page.get_by_role("slider", name="Epoch of the picture")
    scrubber.focus()
    scales: list[float] = []
    for _ in range(12):
        wires = page.locator("path.back").evaluate_all(
            "paths => paths.filter(p => p.style.display !== 'none')"
            ".map(p => [p, [...p.parentNode.querySelectorAll('path.back')].indexOf(p)])"
            ".map(([p, i]) => [parseFloat(p.style.strokeWidth), Number(p.parentNode.querySelectorAll('text.norm')[i].textContent)])"
        )
        assert all(1.5 <= width <= 10 for width, _ in wires)
        scales += [width / norm**0.5 for width, norm in wires if 1.5 < width < 10]
        page.keyboard.press("ArrowRight")
    assert len(scales) > 30
    assert max(scales) / min(scales) < 1.01  # the norms are read as they are rounded on screen


SAYS = (
    ("experiment=gan&epochs=2", ("Without detach · loss_discriminator",)),
    ("experiment=td_target&epochs=2", ("in all", "though a path is cut")),
    (
        "experiment=optimizer_trap&epochs=40&epoch=40",
        ("A gradient of zeros only: hidden. Learning: output.",),
    ),
    (
        "experiment=simsiam&predictor=false&epochs=150&epoch=150",
        ("The weights differ by now, and both losses are -1.000.",),
    ),
)
"""What a picture says where its losses, its paths, its gradients or its weights are special."""


def test_what_the_picture_says(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=1400, epochs=4)
    for query, texts in SAYS:
        page.evaluate(FOLLOW, f"?{query}")
        for text in texts:
            expect(page.locator(".living")).to_contain_text(text)
    page.evaluate(FOLLOW, "?experiment=kept_losses&epochs=2")  # no gradient came along the path that is cut
    expect(page.locator(".living")).to_contain_text("Every layer gets its gradient: hidden and output.")


def test_a_gradient_from_another_call_of_the_module_is_said_to_be_so(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=1400, experiment="gan", epochs=5)
    both = box(page, "generator")
    expect(both).to_have_count(2)
    elsewhere = both.filter(has_text="from another call")
    expect(elsewhere).to_have_count(1)
    expect(elsewhere).to_have_class(re.compile("hungry"))
    expect(elsewhere).to_contain_text("parameters ∇")
    expect(box(page, "generator", "without detach").filter(has_text="from another call")).to_have_count(0)
    elsewhere.click()
    inspector = page.get_by_role("region", name="Inspector: generator")
    expect(inspector.get_by_text("came from another call: none passes back through this one")).to_have_count(
        1
    )


def test_a_long_name_ends_in_an_ellipsis(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=1400, experiment="kept_losses", epochs=5)
    name = box(page, "validation_targets").locator("strong")
    expect(name).to_have_attribute("title", "validation_targets")
    room = name.evaluate(
        "name => [name.getBoundingClientRect(), name.parentElement.getBoundingClientRect()]"
        ".map(box => [box.left, box.right])"
    )
    (left, right), (first, last) = room
    assert first < left < right < last


def test_what_stands_below_keeps_its_place_when_a_box_is_opened(server: str, open_page: Opener) -> None:
    page = open_page(server, "data_flow", width=1400, experiment="gan", epochs=5)
    height = page.locator(".view").evaluate("view => view.offsetHeight")
    page.get_by_role("button", name=re.compile("^Open generator")).first.click()
    expect(page.get_by_role("button", name=re.compile("^Close what")).first).to_be_visible()
    assert page.locator(".view").evaluate("view => view.offsetHeight") <= height
