"""The contract of an experiment file, walked over all of them."""

import ast
import inspect
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
import torch

from engine import Settings, record, train
from engine.experiments import experiment_names, find_experiment
from engine.settings import NOWHERE, places
from engine.twins.experiment_script import MARK, script_of
from engine.twins.export import export_script
from engine.twins.trace import Run

TAKEN = {
    "experiment",
    "detach",
    "epochs",
    "lr",
    "optimizer",
    "start",
    "seed",
    "seeds",
    "epoch",
    "sample",
    "controls",
    "hide",
    "round",
}


def every_setting(name: str, epochs: int = 3) -> list[Settings]:
    """The experiment's places with its usual options, and its usual place with each choice of each option."""
    usual = Settings(name, epochs=epochs)
    found = [usual.changed(detach=place) for place in places(name)]
    for option in usual.described().options:
        found += [usual.choosing(option.name, choice.text) for choice in option.choices[1:]]
    return found


ALL = [
    pytest.param(s, id=f"{s.experiment} {s.detach} {' '.join(c for _, c in s.options)}")
    for n in experiment_names()
    for s in every_setting(n)
]


def test_they_stand_from_the_easiest_to_the_hardest_the_lesson_first() -> None:
    ranks = [find_experiment(name).difficulty for name in experiment_names()]
    assert experiment_names()[:2] == ("lesson", "classifier")
    assert ranks[0] == 0
    assert all(one < other for one, other in pairwise(ranks))


@pytest.mark.parametrize("name", experiment_names())
def test_a_file_says_what_it_is(name: str) -> None:
    found = find_experiment(name)
    module = import_module(f"engine.experiments.{name}")
    assert found.name == name
    assert module.__doc__
    assert found.places
    for option in found.options:
        assert option.name not in TAKEN
        assert len({choice.text for choice in option.choices}) == len(option.choices) > 1
        assert getattr(module, option.constant) == option.choices[0].value
    assert (found.measure is None) == (not hasattr(module, "measure"))
    assert len(found.story) > 80
    if name != "lesson":
        assert any(letter.isdigit() for letter in found.seen_in)


@pytest.mark.parametrize("name", experiment_names())
def test_marks_stand_in_the_step_only_and_name_the_places(name: str) -> None:
    tree = ast.parse(inspect.getsource(import_module(f"engine.experiments.{name}")))
    marked: dict[str, set[str]] = {}
    for node in tree.body:
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "").endswith("_here"):
                place = call.args[-1]
                assert isinstance(place, ast.Constant)
                marked.setdefault(str(getattr(node, "name", "")), set()).add(str(place.value))
    assert marked == {"step": {place.name for place in find_experiment(name).places}}


@pytest.mark.parametrize("settings", ALL)
def test_every_setting_trains_and_is_the_script_that_is_shown(settings: Settings) -> None:
    script = script_of(settings)
    assert bool(script.marked_lines) == (settings.detach != NOWHERE)
    assert script.text.count(MARK) == len(script.marked_lines)
    assert "_here(" not in script.text
    assert "engine" not in script.text
    trace = train(settings)
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_script(settings), "exported", "exec"), names)
    for run, step in zip(trace.runs, ("step_without_detach", "step_with_detach"), strict=True):
        assert repr(names["train"](names[step])) == repr(list(run.losses))


@pytest.mark.parametrize("settings", ALL)
def test_every_setting_can_be_recorded(settings: Settings) -> None:
    trace = train(settings)
    for detached in (False, True):
        step = record(settings, epoch=2, detached=detached, trace=trace)
        assert step.stages
        run: Run = trace.runs[detached]
        if step.loss is not None and not run.refusal:
            assert step.loss == pytest.approx(run.losses[1] if not detached else step.loss)
    if settings.detach == NOWHERE:
        assert trace.parted_at is None


@pytest.mark.parametrize("name", experiment_names())
def test_the_same_settings_give_the_same_bits_whatever_else_runs(name: str) -> None:
    settings = Settings(name, epochs=4)
    first = train(settings)
    torch.manual_seed(123)
    torch.rand(1000)
    again = train(settings)
    for one, other in zip(first.runs, again.runs, strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()
        assert one.predictions.tobytes() == other.predictions.tobytes()


@pytest.mark.parametrize("name", experiment_names())
def test_another_seed_is_another_run(name: str) -> None:
    if find_experiment(name).starts == ("lesson",):
        return
    runs = [
        train(Settings(name, epochs=2, start="random", seed=seed)).attached.weights.tobytes()
        for seed in (0, 1, 2)
    ]
    assert all(one != other for one, other in pairwise(runs))


def test_a_new_start_is_named_by_its_own_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an experiment calls its start weights, the settings and the page's line know it."""
    from dataclasses import replace

    import engine.settings
    from engine.experiments import Choice
    from pages.components.shell import controls

    zeros = replace(find_experiment("classifier"), start_choices=(Choice("zeros", "all zeros"),))
    zeros = replace(zeros, defaults=replace(zeros.defaults, start="zeros"))
    for module in (engine.settings, controls):
        monkeypatch.setattr(module, "find_experiment", lambda _: zeros)
    assert controls.describe(Settings("classifier")).endswith("all zeros")
