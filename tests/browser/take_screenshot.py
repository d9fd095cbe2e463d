"""Takes the README's screenshot from the real app: python -m tests.browser.take_screenshot"""

from tests.browser.conftest import started_browser, wait
from tests.servers import ROOT, running_server


def main() -> None:
    """Opens the data flow of the lesson and keeps what a reader sees first."""
    with running_server() as address, started_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1040}, color_scheme="light")
        page.goto(f"{address}/data_flow")
        wait(page)
        page.screenshot(path=ROOT / "docs" / "data_flow.png")


if __name__ == "__main__":
    main()
