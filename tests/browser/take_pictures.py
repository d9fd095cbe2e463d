"""Takes the README's pictures from the real app: python -m tests.browser.take_pictures

Every page in light, dark and narrow, and one that moves: an arrow is cut, and the epochs are played.
"""

import io

from PIL import Image
from playwright.sync_api import Browser, Page

from pages.components.shell.menu import PAGES
from tests.browser.conftest import started_browser, wait
from tests.servers import ROOT, running_server

FOLDER = ROOT / "docs" / "pictures"
LOOKS = {"light": (1400, 900, "light"), "dark": (1400, 900, "dark"), "narrow": (390, 844, "light")}
FRAME = 120
"""Milliseconds between two frames of the moving picture."""


def main() -> None:
    """Keeps what a reader sees first of each page, and the moving picture."""
    FOLDER.mkdir(exist_ok=True)
    with running_server() as address, started_browser() as browser:
        for page_file in PAGES:
            for look, (width, height, scheme) in LOOKS.items():
                page = opened(browser, f"{address}/{page_file.address}", width, height, scheme)
                name = page_file.address or "home"
                page.screenshot(path=FOLDER / f"{name}_{look}.jpg", type="jpeg", quality=80)
                page.close()
        moving(opened(browser, address, 1400, 900, "light"))


def opened(browser: Browser, address: str, width: int, height: int, scheme: str) -> Page:
    """A page that is drawn."""
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page.set_default_timeout(90_000)
    page.goto(address)
    wait(page)
    if page.locator(".living").count():
        page.locator(".living .drawing").first.wait_for()
        page.wait_for_timeout(500)  # what is below has moved down by then, and nothing fades any more
    return page


def moving(page: Page) -> None:
    """The detach is put after the first hidden layer, and the training is played."""
    area = page.locator(".living")
    area.locator(".drawing").wait_for()
    frames = [shot(page)] * 6
    page.get_by_role("button", name="Put the detach after the first hidden layer").click()
    page.get_by_text("Starved: hidden_1 (no gradient").wait_for()
    wait(page)
    page.get_by_role("button", name="▶ Play").click()
    while page.get_by_role("button", name="Pause").count():
        frames.append(shot(page))
    frames += [shot(page)] * 12
    first, *others = (frame.quantize(96) for frame in frames)
    first.save(
        ROOT / "docs" / "cut_an_arrow.gif",
        save_all=True,
        append_images=others,
        duration=FRAME,
        loop=0,
        optimize=True,
    )


def shot(page: Page) -> Image.Image:
    """What stands on the screen, beside the menu, at two thirds of its size."""
    data = page.screenshot(clip={"x": 340, "y": 10, "width": 1030, "height": 840})
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return image.resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
