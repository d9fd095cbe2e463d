"""What all tests share: one thread for torch, as the app has it, a Python that has torch already, and the order."""

from collections.abc import Iterator

import pytest
import torch

from tests.warm import Warm, started_warm

torch.set_num_threads(1)

LONG = (
    *("browser/test_app.py", "browser/test_detach_in_practice.py", "server/test_hosted.py", "test_style.py"),
    *("test_installed.py", "engine/running/test_ranks.py", "engine/recorder/test_cases.py"),
    *("browser/test_picture.py", "browser/test_tour.py", "browser/test_trace_your_code.py"),
    *("pages/test_trace_your_code.py", "engine/test_cli.py", "engine/running/test_run.py"),
)
"""The files that take longest. They come first, so that no worker is left with one while the others are done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the long files first; all else keeps its order."""
    places = {f"tests/{path}": place for place, path in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONG)))


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """Runs a command in a process of its own, without the seconds that torch takes to load."""
    with started_warm() as started:
        yield started
