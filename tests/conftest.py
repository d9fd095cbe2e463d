"""What all tests share: one thread for torch, as the app has it, and a Python that has torch already."""

from collections.abc import Iterator

import pytest
import torch

from tests.warm import Warm, started_warm

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """Runs a command in a process of its own, without the seconds that torch takes to load."""
    with started_warm() as started:
        yield started
