"""A real server on a free port and Debian's Chromium, for what only a browser shows.

Nothing here sleeps: a page is waited for by streamlit's own mark of a run that has ended.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, Request, TimeoutError, expect, sync_playwright

from tests.servers import running_server

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


expect.set_options(timeout=60_000)
"""What a page must come to show is waited for, however slow the machine: only a wrong page is a failure."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """One server for all tests that need no fresh one: a visitor who comes is a session of its own."""
    with running_server() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Browser:
    """Chromium; without one the test is skipped, in CI it fails."""
    if chromium() is None:
        reason = "no chromium on this machine: install the package chromium to run the browser tests"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    # It ends with the process: to close it at the end of a long session has been seen to wait for ever.
    return _launched(sync_playwright().start())


def chromium() -> str | None:
    """Where this machine's Chromium is."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def started_browser() -> Iterator[Browser]:
    """A fresh Chromium without a window, closed afterwards."""
    with sync_playwright() as playwright:
        found = _launched(playwright)
        yield found
        found.close()


def _launched(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)


Opener = Callable[..., Page]


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Page:
    """A tab that tests open one after another: a new one reads and compiles streamlit's whole script each time."""
    return browser.new_context().new_page()


@pytest.fixture
def open_page(tab: Page) -> Iterator[Opener]:
    """Opens an address with a query, in place of the one before, and waits until the page is drawn.

    Fails if the page asked any other host for anything.
    """
    own: set[str] = set()
    strangers: list[str] = []

    def asked(request: Request) -> None:
        if not any(_own(request.url, address) for address in own):
            strangers.append(request.url)

    def open_(
        address: str,
        path: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        still: bool = False,
        **query: object,
    ) -> Page:
        own.add(address)
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(
            color_scheme="dark" if dark else "light", reduced_motion="reduce" if still else "no-preference"
        )
        tab.goto(f"{address}/{path}?{urlencode(query)}" if query else f"{address}/{path}")
        wait(tab)
        return tab

    tab.set_default_timeout(90_000)
    tab.on("request", asked)
    yield open_
    tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")  # nothing reaches the next test
    tab.remove_listener("request", asked)
    tab.goto("about:blank")
    assert not strangers, f"asked outside hosts: {strangers}"


def _own(url: str, address: str) -> bool:
    host = urlsplit(address).netloc
    return url.startswith((f"http://{host}/", f"ws://{host}/", "data:", "blob:", "about:"))


def wait(page: Page) -> None:
    """Until the script has run to its end and every chart is drawn."""
    page.wait_for_selector(READY)
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=stSkeleton]') && "
        "[...document.querySelectorAll('[data-testid=stVegaLiteChart]')].every(c => c.querySelector('svg, canvas'))"
    )


_IS_DARK = (
    "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor.match(/\\d+/g).slice(0, 3)"
    ".reduce((sum, part) => sum + Number(part), 0) < 200"
)


def look(page: Page, dark: bool) -> None:
    """Has the open page drawn dark or light, without loading it once more."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.wait_for_function(_IS_DARK if dark else f"!({_IS_DARK})")
    wait(page)


def no_exception(page: Page) -> None:
    """Fails if the page shows a traceback."""
    shown = page.locator("[data-testid=stException]")
    assert shown.count() == 0, shown.first.inner_text()


_WIDER = (
    "() => { const m = document.querySelector('[data-testid=stMain]');"
    " return [m.scrollWidth - m.clientWidth, document.documentElement.scrollWidth - innerWidth]; }"
)


def no_sideways_scroll(page: Page) -> None:
    """Fails if anything sticks out of the page to the right, once the charts have followed the window's width."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => Math.max(...({_WIDER})()) <= 0", timeout=30_000)
    wider = page.evaluate(_WIDER)
    assert max(wider) <= 0, wider
