"""The written-out script: it is the code that runs, and it prints the same digits in a process of its own."""

import ast
import re

import pytest

from engine import Settings, train
from engine.experiments import experiment_names
from engine.settings import places
from engine.twins.experiment_script import MARK, script
from engine.twins.export import export_script
from tests.warm import Warm

EVERY_PLACE = [(experiment, place) for experiment in experiment_names() for place in places(experiment)]


@pytest.mark.parametrize(("experiment", "place"), EVERY_PLACE)
def test_the_twins_differ_by_the_marked_line_alone(experiment: str, place: str) -> None:
    written = script(experiment, place)
    steps = {n.name: n for n in ast.walk(ast.parse(written.text)) if isinstance(n, ast.FunctionDef)}
    bodies = [
        [line for statement in steps[name].body for line in ast.unparse(statement).splitlines()]
        for name in ("step_without_detach", "step_with_detach")
    ]
    extra = [line for line in bodies[1] if line not in bodies[0]]
    if place == "nowhere":
        assert bodies[0] == bodies[1]
        assert written.marked_line is None
    else:
        marked = [written.text.splitlines()[line - 1] for line in written.marked_lines]
        assert marked
        assert all(line.endswith(MARK) for line in marked)
        stops = (".detach()", "torch.no_grad()", ".requires_grad_(False)")
        assert all(any(stop in line for stop in stops) for line in extra)
        # An option can put a marked line into a branch that is not taken, so there are no more than those.
        assert 1 <= len(extra) <= len(marked)


@pytest.mark.parametrize(("experiment", "place"), EVERY_PLACE)
def test_the_script_is_plain_torch(experiment: str, place: str) -> None:
    text = export_script(Settings(experiment=experiment, detach=place))
    imports = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    assert set(imports) <= {"torch", "math", "typing", "collections"}
    assert "engine" not in text
    assert "detach_here" not in text


RUNS = [
    Settings(),
    Settings(optimizer="sgd", learning_rate=1.0, epochs=50),
    Settings("classifier", "hidden_1", 15, optimizer="momentum", seed=4),
    Settings("simsiam"),
]


@pytest.mark.parametrize("settings", RUNS, ids=lambda s: f"{s.experiment}-{s.detach}-{s.optimizer}")
def test_the_script_prints_the_same_losses_to_the_last_digit(settings: Settings, warm: Warm) -> None:
    two_threads = "import torch\ntorch.set_num_threads(2)  # which would add up in another order\n"
    done = warm.run("-c", two_threads + export_script(settings))
    assert done.returncode == 0, done.stderr
    trace = train(settings)
    _, without, with_ = re.split(r"^with(?:out)? detach$", done.stdout, flags=re.MULTILINE)
    for printed, run in ((without, trace.attached), (with_, trace.detached)):
        assert f"losses {list(run.losses)}" in printed
        assert ("backward() raised" in printed) == (run.refusal is not None)
        assert (run.refusal or "") in printed
        assert f"epoch 1: prediction {run.predictions[0].tolist()}" in printed
        assert printed.count(", gradient None") == sum(p.layer in run.never_moved for p in run.parameters)
