import traceback

import pytest
import torch

from engine import recording
from engine.tracebacks import without_ours


def backwards(depth: int) -> None:
    """Recurses, so that one function stands in the traceback several times."""
    if depth:
        backwards(depth - 1)
    else:
        torch.ones(1).backward()


def frames(error: BaseException) -> list[tuple[str, int | None]]:
    return [(frame.name, frame.lineno) for frame in traceback.extract_tb(without_ours(error.__traceback__))][
        1:
    ]


def test_a_recorded_call_leaves_the_traceback_of_a_bare_one() -> None:
    with pytest.raises(RuntimeError) as bare:
        backwards(3)
    with pytest.raises(RuntimeError) as recorded, recording():
        backwards(3)
    assert frames(recorded.value) == frames(bare.value)
    assert [name for name, _ in frames(bare.value)].count("backwards") == 4
    assert len(traceback.extract_tb(recorded.value.__traceback__)) > len(frames(recorded.value)) + 1
