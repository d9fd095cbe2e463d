"""A pytest plugin with one fixture, `gradients_flow`. Only tests that ask for it import torch.

def test_the_step_trains_everything(gradients_flow):
    gradients_flow(step, optimizer=optimizer)

def test_so_does_one_in_the_middle(gradients_flow):
    with gradients_flow.recording(optimizer=optimizer):
        loss = criterion(model(x), y)
        loss.backward()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .testing import GradientsFlow


@pytest.fixture
def gradients_flow() -> GradientsFlow:
    """Fails with the diagnosis if a parameter that should be trained gets no gradient."""
    from .testing import GradientsFlow

    return GradientsFlow()
