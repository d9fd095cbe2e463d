"""Several seeds are asked, and what is said of them is what their own runs show."""

import math

import pytest

from engine import Settings, train
from engine.evidence.seeds import COUNT, OverSeeds, over_seeds, refusal
from engine.serving.results import seeds_of
from engine.settings import NOWHERE

TD = Settings("td_target", epochs=30)


def test_each_pair_of_ends_is_that_of_a_run_of_its_own() -> None:
    found = over_seeds(TD.changed(seed=77))
    assert len(found.ends) == COUNT
    for seed, pair in enumerate(found.ends):
        runs = train(TD.changed(seed=seed)).runs
        assert list(pair) == [run.measures[-1] for run in runs if run.measures is not None]
        assert f"seed {seed}: " in found.numbers
    losses = over_seeds(Settings("classifier", epochs=5))
    assert losses.what == "loss"
    assert losses.ends[1][0] == train(Settings("classifier", epochs=5, seed=1)).attached.losses[-1]


def test_they_are_computed_once_whatever_the_seed() -> None:
    assert seeds_of(TD) is seeds_of(TD.changed(seed=5))


def test_the_td_target_is_better_with_its_detach_in_every_seed_and_simsiam_too() -> None:
    td = over_seeds(Settings("td_target"))
    assert td.sentence == (
        "Of 6 seeds (0 to 5) all agree: the distance from the true values, where lower is better, ends lower with the detach."
    )
    simsiam = over_seeds(Settings("simsiam", epochs=60))
    assert simsiam.sentence.endswith("where higher is better, ends higher with the detach.")


def test_where_the_seeds_disagree_it_is_said() -> None:
    """The detach in VQ's codebook term: the codes are used more evenly with it in some seeds, without it in others."""
    found = over_seeds(Settings("vq_codebook", detach="codebook"))
    assert any(with_ > 1.02 * without for without, with_ in found.ends)
    assert sum(without > 1.02 * with_ for without, with_ in found.ends) >= 3
    assert found.sentence.endswith(": the seed decides, not the detach alone.")


def test_ties_and_ends_that_are_missing() -> None:
    alike = OverSeeds(TD, ((1.0, 1.0),) * COUNT)
    assert "ends alike in both twins" in alike.sentence
    mixed = OverSeeds(TD, ((1.0, 1.0), (math.nan, 1.0), (1.0, 2.0)))
    assert "ends lower with the detach in 1 and without it in 1, and alike in 1" in mixed.sentence
    gone = (math.nan, math.inf)
    assert (
        OverSeeds(TD, (gone,) * COUNT).sentence
        == "With each of 6 seeds both twins diverge, so neither ends better."
    )
    some = OverSeeds(TD, (gone, (2.0, 1.0), (2.0, 1.0)))
    assert "all that do not diverge (2) agree: " in some.sentence
    assert some.sentence.endswith("ends lower with the detach. With 1 seed both twins diverge.")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (Settings("lesson"), "given, not drawn"),
        (TD.changed(detach=NOWHERE), "the same run with every seed"),
        (Settings("optimizer_trap"), "neither more nor less is good"),
    ],
)
def test_where_seeds_would_tell_nothing_the_reason_is_said(settings: Settings, why: str) -> None:
    assert why in (refusal(settings) or "")
    with pytest.raises(ValueError, match=why):
        over_seeds(settings)


def test_the_callback_hears_of_every_epoch_and_can_stop() -> None:
    heard: list[tuple[int, int]] = []
    over_seeds(TD.changed(epochs=3), lambda done, total: heard.append((done, total)))
    assert heard == [(done, 36) for done in range(1, 37)]

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        over_seeds(TD, stop)
