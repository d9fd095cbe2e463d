"""A rerun as a reader feels it: from the key press on a slider until every chart is drawn anew, in Chromium.

    python -m tests.benchmarks.browser

The slider sets the number of epochs on the training trace. A chart counts as drawn when its marks reach the new last
epoch and go no further; the page itself looks at each frame, and its own clock is read, so that nothing of the
test's own way to the browser is counted. The reference is a plain page with charts of the same sizes and no torch (see
plain/charts.py). Both take turns. On the way up each number of epochs is new, so ours trains; on the way back each
has been seen.
"""

from __future__ import annotations

from playwright.sync_api import Page

from tests.benchmarks.table import Row, compared, percentile, table
from tests.browser.conftest import started_browser, wait
from tests.servers import started_server

PLAIN = "tests/benchmarks/plain/charts.py"
FIRST, CHANGES = 30, 30
CHARTS = 4
TARGETS = {"uncached": 2.0, "cached": 1.2}

_MEASURE = """([epochs, charts]) => {
  const slider = document.querySelector('.st-key-epochs input[type=range]');
  slider.focus();
  const reaches = (chart, epoch) => chart.querySelector(`[aria-label^="epoch: ${epoch};"]`) !== null;
  const drawn = () => {
    const all = [...document.querySelectorAll('[data-testid=stVegaLiteChart]')];
    return all.length === charts && all.every(c => reaches(c, epochs) && !reaches(c, epochs + 1));
  };
  window.redrawn = new Promise(resolve => addEventListener('keydown', () => {
    const pressed = performance.now();
    const look = () => drawn() ? resolve(performance.now() - pressed) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  }, {once: true, capture: true}));
}"""


def milliseconds(page: Page, key: str, epochs: int) -> float:
    """How long it takes from this key to all charts with so many epochs."""
    page.evaluate(_MEASURE, [epochs, CHARTS])
    page.keyboard.press(key)
    spent: float = page.evaluate("window.redrawn")
    wait(page)
    return spent


def rows() -> list[Row]:
    """The middle and the slow end, of new settings and of known ones."""
    with started_server() as ours, started_server(script=PLAIN) as plain, started_browser() as browser:
        pages = [browser.new_context(viewport={"width": 1280, "height": 900}).new_page() for _ in range(2)]
        pages[0].goto(f"{ours.address}/training_trace?epochs={FIRST}")
        pages[1].goto(plain.address)
        for page in pages:
            page.set_default_timeout(90_000)
            wait(page)
        last = FIRST + CHANGES
        ways = {
            "uncached": ("ArrowRight", range(FIRST + 1, last + 1)),
            "cached": ("ArrowLeft", range(last - 1, FIRST - 1, -1)),
        }
        found = []
        for name, (key, steps) in ways.items():
            turns = [[milliseconds(page, key, epochs) for page in pages] for epochs in steps]
            mine, theirs = zip(*turns, strict=True)
            found += [
                compared(
                    f"slider to all charts in the browser, {name}, p{percent} of {CHANGES} / the charts alone",
                    percentile(mine, percent),
                    percentile(theirs, percent),
                    "ms",
                    at_most=TARGETS[name],
                )
                for percent in (50, 95)
            ]
        return found


if __name__ == "__main__":
    print(table(rows()))
