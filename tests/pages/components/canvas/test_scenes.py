"""The scenes: where scissors stand, and that all of it travels as plain JSON of a bounded size."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from engine import Settings
from engine.experiments import experiment_names, find_experiment
from engine.settings import NOWHERE
from engine.twins.film import film
from engine.twins.training import train
from pages.components.canvas.payload import Look, Picture, Scene, payload
from pages.components.canvas.scenes import twin_picture, twin_scene

MOST_BYTES = 1_000_000


def scene_of(settings: Settings) -> Scene:
    trace = train(settings)
    return twin_scene(trace, film(trace))


@pytest.mark.parametrize("name", experiment_names())
def test_every_place_has_its_scissors(name: str) -> None:
    settings = Settings(name, epochs=2)
    scene = scene_of(settings)
    assert [scissors.name for scissors in scene.scissors] == [
        place.name for place in settings.described().places
    ]
    assert [scissors.name for scissors in scene.scissors if scissors.chosen] == [settings.detach]
    for scissors in scene.scissors:
        assert scissors.edges or scissors.nodes
        ways = {(edge.start, edge.end) for edge in scene.graph.edges}
        assert set(scissors.edges) <= ways


def test_scissors_stand_where_the_detach_is_put() -> None:
    for place in ("hidden_1", "hidden_2", "output"):
        scene = scene_of(Settings("classifier", epochs=1, detach=place))
        (chosen,) = (scissors for scissors in scene.scissors if scissors.chosen)
        cut = [(edge.start, edge.end) for edge in scene.graph.edges if edge.cut[1]]
        assert list(chosen.edges) == cut
    scene = scene_of(Settings("classifier", epochs=1, detach=NOWHERE))
    assert not any(scissors.chosen for scissors in scene.scissors)
    assert len(scene.scissors) == 3


@pytest.mark.parametrize("name", ["policy_gradient", "vq_codebook"])
def test_scissors_stand_where_they_are_whichever_place_is_chosen(name: str) -> None:
    """In these experiments the other detaches stay, so each place has an uncut step of its own."""
    stands = []
    for place in find_experiment(name).places:
        scene = scene_of(Settings(name, epochs=2, detach=place.name))
        (chosen,) = (scissors for scissors in scene.scissors if scissors.chosen)
        cut = {(edge.start, edge.end) for edge in scene.graph.edges if edge.cut[1] and not edge.cut[0]}
        # the old log-probability comes to the ratio by one of two ways between the same calls
        assert cut or place.name == "old"
        assert set(chosen.edges) >= cut
        assert chosen.edges
        stands.append([(scissors.name, scissors.edges) for scissors in scene.scissors])
    assert all(found == stands[0] for found in stands)
    assert len({edges for _, edges in stands[0]}) == len(stands[0])


@pytest.mark.parametrize("name", experiment_names())
def test_a_long_run_travels_in_less_than_a_megabyte(name: str) -> None:
    scene = scene_of(Settings(name, epochs=500))
    assert len(Picture.of(scene).written) <= MOST_BYTES


def test_a_picture_is_written_once_and_a_look_is_a_line_before_it() -> None:
    trace = train(Settings(epochs=4))
    shown = film(trace)
    picture = twin_picture(trace, shown)
    assert twin_picture(trace, film(trace)) is picture
    first, second = (
        picture.seen(Look(epoch, can_cut=True, link="epochs=4")).splitlines() for epoch in (1, 3)
    )
    assert [json.loads(lines[0]) for lines in (first, second)] == [
        {"shown": epoch, "can_cut": True, "link": "epochs=4"} for epoch in (1, 3)
    ]
    assert first[1:] == second[1:] == [picture.written]
    assert json.loads(picture.written) == json.loads(json.dumps(payload(twin_scene(trace, shown))))


def test_the_numbers_arrive_as_they_are() -> None:
    scene = scene_of(Settings(epochs=4))
    for twin, sent in zip(scene.twins, payload(scene)["twins"], strict=True):
        numbers = np.frombuffer(base64.b64decode(sent["numbers"]), dtype="<f4").reshape(-1, sent["width"])
        assert np.array_equal(numbers, twin.reel.numbers, equal_nan=True)
