"""The page on a file of the server's owner, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Opener, no_exception, no_sideways_scroll, wait
from tests.servers import running_server

STARVING = """
import torch
from torch import nn
net, head = nn.Linear(3, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

def step():
    return head(net(torch.ones(4, 3)).detach()).pow(2).mean()
"""
LONG = """
import torch
from torch import nn
nets = nn.ModuleList(nn.Linear(8, 8) for _ in range(667))
opt = torch.optim.SGD(nets.parameters(), 0.1)

def step():
    h = torch.ones(4, 8)
    for i, net in enumerate(nets):
        h = net(h).tanh() + 0.1
        if i == 300:
            h = h.detach()
    return h.mean()
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A file, and the address of a server that follows it."""
    path = tmp_path_factory.mktemp("traced") / "my_step.py"
    path.write_text(STARVING)
    with running_server("--", "--trace", str(path)) as address:
        yield path, address


def test_the_bare_address_opens_on_the_file_and_follows_it_as_it_is_saved(
    traced: tuple[Path, str], open_page: Opener
) -> None:
    path, address = traced
    path.write_text(STARVING)
    page = open_page(address)
    expect(page).to_have_url(re.compile("/trace_your_code"))
    expect(page.get_by_test_id("stAlert")).to_contain_text("my_step.py:8")
    cut = page.locator(".coverage .line.cut")
    expect(cut.locator("button.mark")).to_contain_text("is cut here")
    expect(cut.locator(".note")).to_contain_text("Instead: Remove the detach")
    page.locator(".coverage .parameters .pick", has_text="head.*").click()
    expect(page.locator(".coverage").get_by_role("status")).to_contain_text("its gradient passes through")
    cut.locator("button.mark").click()
    expect(page.locator(".coverage").get_by_role("status")).to_contain_text(
        "Line 8 passes a gradient back to 2 parameters"
    )
    row = page.get_by_role("group", name="Parameters").locator("summary", has_text="net.* (2 parameters)")
    expect(page.get_by_text("net.weight, 2 x 3")).not_to_be_visible()
    row.click()
    expect(page.get_by_text("net.weight, 2 x 3")).to_be_visible()
    page.get_by_text("Why it hurts: Detached tensor").click()
    expect(page.get_by_text("Without it:")).to_be_visible()
    wait(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    path.write_text(STARVING.replace(".detach()", ""))
    expect(page.get_by_test_id("stAlert")).to_contain_text("Nothing is wrong here")
    expect(page.locator(".coverage .line.passes")).to_have_count(1)
    expect(page.locator(".coverage .line.cut")).to_have_count(0)
    no_exception(page)
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Detach Lab")
    page.reload()  # its address has the settings, so it is a link to Home
    expect(page.get_by_role("heading", level=1)).to_have_text("Detach Lab")


def test_two_thousand_calls_can_be_read_and_filtered(traced: tuple[Path, str], open_page: Opener) -> None:
    path, address = traced
    path.write_text(LONG)
    page = open_page(address, "trace_your_code", width=390, height=844)
    expect(page.get_by_test_id("stAlert")).to_contain_text("my_step.py:12")
    no_exception(page)
    no_sideways_scroll(page)
    expect(page.locator("#f0-12.line.cut .note")).to_contain_text("Detached tensor")
    assert page.locator("ol.pipeline > li").count() < 60
    expect(page.locator(".box.cut").first).to_contain_text("the gradient stops here")
    expect(page.get_by_text(re.compile(r"of 20\d\d calls, the first 300 shown"))).to_be_visible()
    page.get_by_label("Filter").fill("detach")
    page.get_by_label("Filter").press("Enter")
    expect(page.get_by_text(re.compile(r"^\d+ of 20\d\d calls$"))).to_be_visible(timeout=30_000)
