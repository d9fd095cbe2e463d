"""From starting the server until a visitor reads the first words, and until the page is whole.

    python -m tests.benchmarks.cold_start

A host that was asleep starts the process when the visitor comes, so both count. The clock runs from before the
process is spawned until the heading is seen in Chromium, which is open already; the reference is an app of one line
with the same configuration. They take turns, each time with a fresh process and a fresh browser profile.
"""

from __future__ import annotations

import statistics
import time
from contextlib import closing

from playwright.sync_api import Browser

from tests.benchmarks.table import Row, compared, measured, table
from tests.browser.conftest import started_browser, wait
from tests.servers import started_server

PLAIN = "tests/benchmarks/plain/one_line.py"
ROUNDS = 4
TARGET = 1.3


def start(browser: Browser, script: str) -> tuple[float, float]:
    """The seconds until the heading is there, and until the whole page is."""
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.set_default_timeout(90_000)
        begun = time.perf_counter()
        with started_server(script=script) as server:
            page.goto(server.address)
            page.wait_for_selector("h1")
            first = time.perf_counter() - begun
            wait(page)
            return first, time.perf_counter() - begun


def rows() -> list[Row]:
    """The medians over all rounds; the round before them warms the disk's cache up for both."""
    with started_browser() as browser:
        for script in ("streamlit_app.py", PLAIN):
            start(browser, script)
        rounds = [(*start(browser, "streamlit_app.py"), *start(browser, PLAIN)) for _ in range(ROUNDS)]
    first, whole, plain, _ = (statistics.median(column) for column in zip(*rounds, strict=True))
    return [
        compared("server start to the first text / an app of one line", first, plain, "s", at_most=TARGET),
        measured("server start to the whole first page", whole, "s"),
    ]


if __name__ == "__main__":
    print(table(rows()))
