"""The one file of gradient coverage, in a real browser, from the disk as somebody opens it who was sent it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from engine.recorder import StepRecord
from engine.recorder.record import Cut, Finding, Location, ParameterRecord, Stage, TensorRecord
from engine.recorder.render.coverage_page import to_page
from tests.engine.recorder.forked import record_of

STEP = """
import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(6, 4), torch.randn(6, 1)


def step():
    hidden = encoder(x)
    hidden = hidden.detach()
    prediction = head(hidden)
    target = (prediction * 2).detach()
    return (prediction - y).pow(2).mean() + (prediction - target).abs().mean()
"""
FILES, CALLS = 20, 100
Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a record's page from the disk; fails if it asks for anything or writes an error to the console."""
    asked: list[str] = []
    contexts = []

    def open_(record: StepRecord, *, width: int = 1280, dark: bool = False) -> Page:
        path = tmp_path / "report.html"
        path.write_text(to_page(record), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: asked.append(r.url) if r.url != path.as_uri() else None)
        page.on("console", lambda m: asked.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [one for one in asked if not one.startswith("data:")] == []


@pytest.fixture
def record(tmp_path: Path) -> StepRecord:
    path = tmp_path / "my_step.py"
    path.write_text(STEP)
    return record_of(str(path))


def line(page: Page, number: int, file: int = 0) -> str:
    return f"#f{file}-{number}"


def no_sideways_scroll(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_every_line_says_in_words_what_the_gradient_does(opened: Open, record: StepRecord) -> None:
    page = opened(record)
    expect(page.locator(".verdict")).to_contain_text("my_step.py:13")
    for number, words in (
        (12, "does not pass back from here"),
        (13, "is cut here"),
        (14, "passes"),
        (15, "stops here on purpose"),
    ):
        expect(page.locator(f"{line(page, number)} button.mark")).to_contain_text(words)
    expect(page.locator(f"{line(page, 13)} .note")).to_contain_text("Instead: Remove the detach")
    assert page.locator(f"{line(page, 8)} button").count() == 0
    shapes = [
        page.locator(line(page, number)).evaluate("e => getComputedStyle(e).borderLeftStyle")
        for number in (12, 13, 14, 15, 8)
    ]
    assert len(set(shapes)) == 5


def test_a_parameter_shows_its_lines_and_a_line_its_parameters(opened: Open, record: StepRecord) -> None:
    page = opened(record)
    said = page.get_by_role("status")
    page.locator(".parameters .pick", has_text="head.*").click()
    expect(page.locator(f"{line(page, 14)}.on")).to_be_visible()
    expect(page.locator(f"{line(page, 16)}.on")).to_be_visible()
    expect(page.locator(f"{line(page, 12)}.on")).to_have_count(0)
    expect(said).to_contain_text("its gradient passes through")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".line.here")).to_have_count(1)
    page.locator(".parameters .pick", has_text="encoder.0.*").click()
    expect(page.locator(f"{line(page, 12)}.on")).to_be_visible()
    expect(page.locator(f"{line(page, 14)}.on")).to_have_count(0)
    expect(said).to_contain_text("no gradient reaches it through 2 lines")
    page.locator(f"{line(page, 14)} button.mark").click()
    expect(said).to_contain_text("Line 14 passes a gradient back to 2 parameters: head.weight, head.bias")
    expect(page.locator(".parameters .row > .pick.fed .name")).to_have_text(["head.* (2 parameters)"])
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".line.on")).to_have_count(0)


def test_the_keyboard_does_all_of_it(opened: Open, record: StepRecord) -> None:
    page = opened(record)
    first = page.locator(f"{line(page, 12)} button.mark")
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{line(page, 13)} button.mark")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(f"{line(page, 16)} button.mark")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Line 16 passes a gradient back to")
    page.keyboard.press("Escape")
    expect(page.locator(".chosen")).to_be_hidden()
    expect(page.locator(f"{line(page, 16)} button.mark")).to_be_focused()
    page.keyboard.press("Home")
    expect(first).to_be_focused()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_fault_and_nothing_sticks_out(
    width: int, dark: bool, opened: Open, record: StepRecord
) -> None:
    page = opened(record, width=width, dark=dark)
    page.locator(".more summary").first.click()
    no_sideways_scroll(page)
    for choice in (None, ".parameters .pick", f"{line(page, 14)} button.mark"):
        if choice is not None:
            page.locator(choice).first.click()
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        no_sideways_scroll(page)


def test_it_prints_with_every_file_open(opened: Open) -> None:
    page = opened(big(Path(__file__).parent))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".file:not([open])").count() == 0


def big(folder: Path) -> StepRecord:
    """Two thousand calls on the lines of twenty files, each with a parameter of its own, cut in the middle."""
    empty = StepRecord(None, (), (), (), (), None, (), (), "x", file=str(folder / "part_0.py"))
    stages, parameters = [], []
    for number in range(FILES * CALLS):
        at = Location(
            str(folder / f"part_{number // CALLS}.py"), number % CALLS * 2 + 1, f"h = layer_{number}(h)"
        )
        cut = number == FILES * CALLS // 2
        name = f"net.layer_{number}.weight"
        fed = number > FILES * CALLS // 2
        out = TensorRecord("h", (4, 8), "float32", not cut, None, False, None, (0.0, 1.0, 0.5))
        before = (number - 1,) if number else ()
        stages.append(Stage(number, "linear", f"net.layer_{number}", before, (name,), out, None, None, "value" if fed else "none", at))  # fmt: skip
        parameters.append(ParameterRecord(name, (8, 8), "gradient" if fed else "none", "So it is.", None, True, None, None))  # fmt: skip
    where = stages[FILES * CALLS // 2].location
    starved = tuple(one.name for one in parameters if one.state == "none")
    finding = Finding(
        "detach", "Detached tensor", "fault", where, starved, "It starves.", "Remove it.", "detach"
    )
    cut_ = Cut("detach", "Detached tensor", where, starved, False, FILES * CALLS // 2)
    return replace(
        empty, stages=tuple(stages), parameters=tuple(parameters), cuts=(cut_,), findings=(finding,)
    )


def test_two_thousand_calls_over_twenty_files_stay_usable(opened: Open, tmp_path: Path) -> None:
    for number in range(FILES):
        text = "".join(f"h = layer_{number * CALLS + i}(h)\n# why\n" for i in range(CALLS))
        (tmp_path / f"part_{number}.py").write_text(text)
    page = opened(big(tmp_path), width=390)
    no_sideways_scroll(page)
    assert page.locator(".file").count() == FILES
    assert page.locator(".file").first.locator("button.mark").count() == CALLS
    half = FILES // 2
    page.locator(".row details summary").first.click()
    page.locator(".members .pick", has_text="net.layer_3.weight").click()
    expect(page.get_by_role("status")).to_contain_text(f"through {FILES * CALLS // 2 - 2} lines")
    page.get_by_role("button", name="Previous").click()  # before the first is the last: the cut, elsewhere
    expect(page.locator(f"#f{half}-1.here")).to_be_in_viewport()
    page.locator(".row > .pick", has_text="gradient").last.click()
    expect(page.locator(f"#f{FILES - 1}-199.on")).to_have_count(1)
    page.locator(".file > summary").nth(FILES - 1).click()
    page.locator(f"#f{FILES - 1}-199 button.mark").click()
    expect(page.get_by_role("status")).to_contain_text(
        f"passes a gradient back to {FILES * CALLS // 2 - 1} parameters"
    )
    no_sideways_scroll(page)
