"""What is carried along: modules imported, bytes sent on the first load, and what one rerun of each page sends.

    python -m tests.benchmarks.weight

Imports are timed by python itself (-X importtime), in a server that then gets its first visitor; a package's time is
that of its own modules, without what they import from elsewhere. The first load is counted in Chromium with an empty
cache, beside that of an app of one line. A rerun's messages are counted by a visitor who moves a slider of the page.
The targets are for the first load; the rest tells where something could be left out.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter

from playwright.sync_api import Browser, Request, WebSocket

from tests.benchmarks.process import written
from tests.benchmarks.table import Row, compared, measured, table
from tests.browser.conftest import started_browser, wait
from tests.servers import started_server
from tests.visitors import visitor

PLAIN = "tests/benchmarks/plain/one_line.py"
LARGEST = 10
RERUNS = {
    "": ("epochs", 12),
    "data_flow": ("epoch", 3),
    "training_trace": ("epochs", 13),
    "prediction_trace": ("epoch", 2),
    "detach_in_practice": ("epochs", 14),
    "trace_your_code": ("", 0),
    "quiz": ("", 0),
}
"""For each page the slider that is moved and where to; "" runs the page again as it is."""

_IMPORT = re.compile(r"^import time:\s*(\d+) \|\s*\d+ \| +(\w+)", re.MULTILINE)


def imported(log: str) -> Counter[str]:
    """The milliseconds that each top-level package took."""
    spent: Counter[str] = Counter()
    for microseconds, package in _IMPORT.findall(log):
        spent[package] += int(microseconds)
    return Counter({package: time // 1_000 for package, time in spent.items()})


def import_rows() -> list[Row]:
    """The largest packages, by when they came in."""
    with started_server(python=("-X", "importtime")) as server:
        at_start = written(server)
        asyncio.run(_first_page(server.address))
        by_page = written(server)[len(at_start) :]
    started, opened = imported(at_start), imported(by_page)
    found = [
        measured("imports at the server's start, all packages", started.total(), "ms"),
        measured("imports by the first page, all packages", opened.total(), "ms"),
    ]
    for package, spent in (started + opened).most_common(LARGEST):
        when = f"{started[package]} ms at the start, {opened[package]} ms by the first page"
        found.append(measured(f"imports of {package} ({when})", spent, "ms"))
    return found


async def _first_page(address: str) -> None:
    async with visitor(address) as someone:
        await someone.arrive("", {})


def first_load(browser: Browser, address: str) -> tuple[float, float]:
    """The KiB of all responses and of all websocket messages, with an empty cache."""
    answered: list[Request] = []
    frames: list[int] = []

    def count(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(len(frame)))

    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.on("websocket", count)
    page.on("requestfinished", lambda request: answered.append(request))
    page.goto(address)
    wait(page)
    sizes = [request.sizes()["responseBodySize"] for request in answered]
    context.close()
    return sum(sizes) / 1024, sum(frames) / 1024


async def rerun_rows(address: str) -> list[Row]:
    """What one rerun of each page sends."""
    found = []
    for page, (slider, value) in RERUNS.items():
        async with visitor(address) as someone:
            await someone.arrive(page, {})
            answer = await someone.move(slider, value)
        total = sum(size for _, size in answer.sizes) / 1024
        by_kind: Counter[str] = Counter()
        for kind, size in answer.sizes:
            by_kind[kind] += size
        most = ", ".join(f"{kind} {size / 1024:.1f}" for kind, size in by_kind.most_common(3))
        what = f"a rerun of {page or 'home'}, {len(answer.sizes)} messages (KiB: {most})"
        found.append(measured(what, total, "KiB"))
    return found


def rows() -> list[Row]:
    """All three."""
    found = import_rows()
    with started_server() as ours, started_server(script=PLAIN) as plain:
        with started_browser() as browser:
            mine, theirs = first_load(browser, ours.address), first_load(browser, plain.address)
        found.append(
            compared("first load, files / an app of one line", mine[0], theirs[0], "KiB", at_most=1.3)
        )
        found.append(compared("first load, messages / an app of one line", mine[1], theirs[1], "KiB"))
        found += asyncio.run(rerun_rows(ours.address))
    return found


if __name__ == "__main__":
    print(table(rows()))
