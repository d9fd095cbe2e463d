"""The living picture while it plays, by the browser's own clock: how long a frame lasts, and how long a scrub takes.

    python -m tests.benchmarks.picture

A frame lasts from one animation frame to the next while the epochs are played, in Chromium without a graphics card. A scrub
lasts from a key press on the scrubber to the second animation frame after it, when the new picture stands on the
screen. Beside them stands what left for the server meanwhile, in messages.
"""

from __future__ import annotations

from playwright.sync_api import Page

from tests.benchmarks.table import Row, measured, percentile, table
from tests.browser.conftest import started_browser, wait
from tests.servers import running_server

PLAYED = {"A deeper network": "?experiment=classifier", "SimSiam": "?experiment=simsiam"}
LONGEST = 33.4
"""Milliseconds: two frames of a screen that shows 60 a second."""
SCRUBS = 40

_COUNT = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (data) { window.messages += 1; return send.call(this, data); };
}"""
_PLAY = """() => new Promise(resolve => {
  const picture = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot
    ?? document.querySelector('[data-testid=stBidiComponentIsolated]').firstElementChild.shadowRoot;
  const button = picture.querySelector('.play');
  button.click();
  const frames = [];
  let last = performance.now();
  const look = now => {
    frames.push(now - last);
    last = now;
    if (button.textContent === 'Pause') requestAnimationFrame(look);
    else resolve(frames.slice(2));
  };
  requestAnimationFrame(look);
})"""
_SCRUB = """() => { window.scrubbed = new Promise(resolve => addEventListener('keydown', () => {
  const pressed = performance.now();
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - pressed)));
}, {once: true, capture: true})); }"""


def scrubs(page: Page) -> list[float]:
    """How long each of some steps of the scrubber takes."""
    page.get_by_role("slider", name="Epoch of the picture").focus()
    found = []
    for number in range(SCRUBS):
        page.evaluate(_SCRUB)
        page.keyboard.press("ArrowRight" if number % 20 < 10 else "ArrowLeft")
        found.append(float(page.evaluate("window.scrubbed")))
    return found


def rows() -> list[Row]:
    """The slow end of frames and scrubs, and the messages that they cost."""
    made = []
    with running_server() as address, started_browser() as browser:
        for name, query in PLAYED.items():
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(f"{address}/{query}")
            page.set_default_timeout(90_000)
            wait(page)
            page.locator(".living .drawing").wait_for()
            page.evaluate(_COUNT)
            frames = page.evaluate(_PLAY)
            page.get_by_role("button", name="Reset", exact=True).click()
            spent = scrubs(page)
            made += [
                measured(f"{name}, a frame while playing, p50", percentile(frames, 50), "ms"),
                measured(f"{name}, a frame while playing, p95", percentile(frames, 95), "ms", LONGEST),
                measured(f"{name}, a scrub to its picture, p95", percentile(spent, 95), "ms", LONGEST),
                measured(
                    f"{name}, messages to the server meanwhile", page.evaluate("window.messages"), at_most=0
                ),
            ]
            page.close()
    return made


if __name__ == "__main__":
    print(table(rows()))
