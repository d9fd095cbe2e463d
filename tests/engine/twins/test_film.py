"""The film of a twin run: each frame is a step that was recorded, with the weights of its own twin and epoch."""

import numpy as np
import pytest

from engine import Settings
from engine.experiments import experiment_names
from engine.twins.film import (
    COLUMNS,
    MOST_FRAMES,
    MOST_NUMBERS,
    ROWS,
    UNMEASURED,
    Strip,
    chosen_epochs,
    film,
    still,
)
from engine.twins.recorded_step import Weights, record
from engine.twins.training import train


def numbers_of(row: np.ndarray, strip: Strip) -> tuple[np.ndarray, np.ndarray, float]:
    ends = strip.start + strip.cells, strip.start + 2 * strip.cells
    return row[strip.start : ends[0]], row[ends[0] : ends[1]], float(row[ends[1]])


@pytest.mark.parametrize("name", ["lesson", "classifier", "gan"])
def test_a_frame_is_the_recorded_step_of_its_epoch(name: str) -> None:
    settings = Settings(name, epochs=5)
    trace = train(settings)
    made = film(trace)
    assert made.epochs == (1, 2, 3, 4, 5)
    for detached, reel in enumerate(made.reels):
        whose: Weights = "detached" if detached else "attached"
        for frame, epoch in enumerate(made.epochs):
            step = record(settings, epoch=epoch, detached=bool(detached), weights=whose, trace=trace)
            for strip, stage in zip(reel.strips.stages, step.stages, strict=True):
                values, gradient, norm = numbers_of(reel.numbers[frame], strip)
                if stage.operation == "detach":
                    assert strip.cells == 0
                    continue
                assert stage.output.values is not None
                whole = np.atleast_2d(stage.output.values).reshape(
                    -1, stage.output.shape[-1] if stage.output.shape else 1
                )
                assert (values == whole[:ROWS, :COLUMNS].astype(np.float32).ravel()).all()
                assert np.isnan(norm) == (stage.gradient_state == "none") == np.isnan(gradient).all()
                if stage.gradient is not None:
                    assert norm == pytest.approx(np.sqrt((stage.gradient.astype(float) ** 2).sum()), rel=1e-6)
            for strip, parameter in zip(reel.strips.parameters, step.parameters, strict=True):
                norm = numbers_of(reel.numbers[frame], strip)[2]
                assert np.isnan(norm) == (parameter.state not in ("gradient", "zero"))


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_has_a_film_within_the_bounds(name: str) -> None:
    settings = Settings(name, epochs=500 if name in ("lesson", "td_target") else 80)
    made = film(train(settings))
    assert 1 <= len(made.epochs) <= MOST_FRAMES
    assert made.epochs[0] == 1
    assert made.epochs[-1] == settings.epochs
    for reel in made.reels:
        assert reel.numbers.shape[0] == len(made.epochs)
        assert not reel.numbers.flags.writeable
    assert sum(reel.numbers.size for reel in made.reels) <= MOST_NUMBERS


@pytest.mark.parametrize(
    ("epochs", "most"), [(1, 60), (5, 60), (60, 60), (61, 60), (500, 60), (500, 2), (500, 1)]
)
def test_the_epochs_of_a_thinned_film(epochs: int, most: int) -> None:
    chosen = chosen_epochs(epochs, most)
    assert chosen == tuple(sorted(set(chosen)))
    assert len(chosen) <= max(most, 1)
    assert chosen[0] == 1
    if most > 1 or epochs == 1:
        assert chosen[-1] == epochs


def test_a_gradient_that_is_too_large_to_keep_is_no_missing_one() -> None:
    import torch
    from torch import nn

    from engine import record_step

    net = nn.Linear(40, 40)
    (reel,) = still([record_step(lambda: net(torch.ones(50, 40)).sum(), names={"net": net}, keep=10)])
    assert UNMEASURED in {numbers_of(reel.numbers[0], strip)[2] for strip in reel.strips.stages}


def test_the_recording_is_told_of_and_can_be_stopped() -> None:
    trace = train(Settings(epochs=3))
    told: list[tuple[int, int]] = []
    film(trace, lambda done, total: told.append((done, total)))
    assert told == [(number, 6) for number in range(1, 7)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        film(trace, stop)


def test_a_detach_that_comes_in_the_middle_of_a_run_is_known_by_the_frame() -> None:
    made = film(train(Settings("optimizer_trap")))
    begins = next(e for e, alike in zip(made.epochs, made.detached.as_described, strict=True) if alike)
    assert 25 < begins < 40
    assert all(made.attached.as_described)
    stage = next(s for s in made.detached.record.stages if s.operation == "tanh" or s.module == "hidden")
    strip = made.detached.strips.stages[stage.index]
    norms = [numbers_of(row, strip)[2] for row in made.detached.numbers]
    assert [np.isnan(norm) for norm in norms] == list(made.detached.as_described)
