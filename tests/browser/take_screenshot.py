"""Takes the README's screenshot from the real app: python -m tests.browser.take_screenshot"""

import shutil

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, wait
from tests.servers import ROOT, running_server


def main() -> None:
    """Opens the data flow of the lesson and keeps what a reader sees first."""
    with running_server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 1040}, color_scheme="light")
        page.goto(f"{address}/data_flow")
        wait(page)
        page.screenshot(path=ROOT / "docs" / "data_flow.png")
        browser.close()


if __name__ == "__main__":
    main()
