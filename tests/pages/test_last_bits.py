"""The lesson is told word for word the same on every processor.

The last bits of a float32 product differ between processors. Here they are made to differ on one: each start weight of
the lesson is moved by one unit in the last place, up and down. What a reader sees must not follow.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from engine import Settings, train
from engine.evidence.observations import observe, summarize
from engine.evidence.verdicts import judge
from engine.quiz import Question, proof, prove, round_of
from engine.serving.cache import Cache
from engine.twins import experiment_script
from engine.twins.training import start_model
from pages.components.draw.chart_specs import SHOWN
from pages.components.shell.menu import PAGES
from tests.pages.test_pages import opened, text

WEIGHTS = sum(parameter.numel() for parameter in start_model(Settings()).parameters())


@dataclass(frozen=True)
class Moved:
    """Start weights that are moved, by their places in the model, and the way they go."""

    places: tuple[int, ...]
    towards: float

    def __str__(self) -> str:
        which = "all" if len(self.places) == WEIGHTS else str(self.places[0])
        return f"{which} {'up' if self.towards > 0 else 'down'}"

    def move(self, numbers: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        """Moves them in place by one unit in the last place."""
        chosen = list(self.places)
        numbers[chosen] = np.nextafter(numbers[chosen], np.float32(self.towards))


EACH = [Moved((place,), towards) for place in range(WEIGHTS) for towards in (np.inf, -np.inf)]
ALL = [Moved(tuple(range(WEIGHTS)), towards) for towards in (np.inf, -np.inf)]


def moved_model(model: nn.Module, moved: Moved) -> nn.Module:
    flat = nn.utils.parameters_to_vector(model.parameters()).detach()
    moved.move(flat.numpy())
    with torch.no_grad():
        nn.utils.vector_to_parameters(flat, model.parameters())
    for parameter in model.parameters():
        parameter.data = parameter.detach().clone()  # in memory of its own again
    return model


def moved_snippet(snippet: str, moved: Moved) -> str:
    """The quiz's copy of the lesson, whose weight and bias stand in it as numbers."""
    lines = snippet.splitlines()
    rows = [n for n, line in enumerate(lines) if line.startswith(("weight = ", "bias = "))]
    number = re.compile(r"-?\d\.\d+")
    found = np.array([n for row in rows for n in number.findall(lines[row])], dtype=np.float32)
    assert len(found) == WEIGHTS
    moved.move(found)
    written = iter(found.tolist())
    for row in rows:
        lines[row] = number.sub(lambda _: repr(next(written)), lines[row])
    return "\n".join(lines)


def forget() -> None:
    """Empties every cache of the app."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("engine", "pages"):
            for value in list(vars(module).values()):
                if isinstance(value, Cache):
                    value.clear()
                elif hasattr(value, "cache_clear") and value is not experiment_script.script:
                    value.cache_clear()


@contextmanager
def started_from(moved: Moved | None) -> Iterator[None]:
    """The app with these start weights, from empty caches to empty caches."""
    script, run = experiment_script.script, proof._run

    def moved_script(*key: Any) -> experiment_script.Script:
        written = script(*key)
        if moved is None or key[0] != "lesson":
            return written
        return replace(
            written, make_model=lambda start, rng: moved_model(written.make_model(start, rng), moved)
        )

    def moved_run(question: Question) -> Any:
        if moved is None or question.name != "loss-with-the-detach":
            return run(question)
        return run(replace(question, snippet=moved_snippet(question.snippet, moved)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment_script, "script", moved_script)
        patch.setattr(proof, "_run", moved_run)
        forget()
        yield
    forget()


QUERIES: dict[str, list[dict[str, object]]] = {
    "streamlit_app.py": [{"experiment": "lesson"}],
    "pages/data_flow.py": [{}, {"epoch": 1}],
    "pages/training_trace.py": [{}, {"epoch": 2, "sweep": "shown"}, {"optimizer": "sgd", "sweep": "shown"}],
    "pages/prediction_trace.py": [{"sample": sample} for sample in range(1, 5)],
    "pages/quiz.py": [{"answers": "333"}],
}
"""What else than the page as it opens: whatever a control can bring to the page. Home opens on another experiment."""
APART = ["pages/trace_your_code.py"]
"""It shows files of readers and none of our experiments."""


def words(app: AppTest) -> list[str]:
    """All that a page says, its charts' numbers included.

    Those of the sweep's chart are left out: 512 losses lie so close that some are where four digits turn, however
    numbers are rounded. What is said of them in words is here.
    """
    assert not app.exception
    charts = [
        pa.ipc.open_stream(data.data.data).read_all().to_pydict()
        for chart in app.get("vega_lite_chart")
        for data in chart.proto.datasets
    ]
    numbers = [number for chart in charts if "rate" not in chart for number in chart.get(SHOWN, [])]
    return [*re.sub(r' style="[^"]*"', "", text(app)).splitlines(), *numbers]


def told() -> dict[str, list[str]]:
    """All that is said of the lesson, by where it is said."""
    trace = train(Settings())
    by_engine = [str(trace), *summarize(trace), judge(trace).sentence]
    said = {
        "engine": [
            *by_engine,
            *(sentence for run in trace.runs for sentence in observe(run, trace.settings)),
        ],
        "proofs": [str(prove(question)) for question in round_of(1)],
    }
    for path in (page.path for page in PAGES if page.path not in APART):
        for query in QUERIES.get(path, [{}]):
            app = opened(path, **query)
            said[f"{path} {query}"] = words(app)
            if path == "pages/training_trace.py" and not query:
                app.session_state["twin of the epochs"] = "with detach"
                said["the other twin's epochs"] = words(app.run())
            if path == "pages/detach_in_practice.py":
                said["the other step's slopes"] = words(
                    app.radio(key="differenced step").set_value("without the detach").run()
                )
    return said


@pytest.fixture(scope="module")
def usual() -> dict[str, list[str]]:
    with started_from(None):
        return told()


@pytest.mark.parametrize("moved", [*EACH, *ALL], ids=str)
def test_one_unit_in_the_last_place_changes_no_word(moved: Moved, usual: dict[str, list[str]]) -> None:
    with started_from(moved):
        now = told()
    assert now.keys() == usual.keys()
    for where, said in now.items():
        assert said == usual[where], where


def test_the_moved_weights_lie_on_both_sides_of_a_tie_and_reach_every_run() -> None:
    """Else the test above would show nothing: plain formatting shows the first loss in two ways."""
    plain = set()
    for moved in (*EACH, *ALL):
        with started_from(moved):
            run = train(Settings()).attached
        usual = train(Settings()).attached
        assert np.flatnonzero(run.weights[0] != usual.weights[0]).tolist() == list(moved.places)
        plain.add(f"{run.losses[0]:.4f}")
    assert plain == {"0.8522", "0.8523"}


def test_the_charts_say_their_numbers(usual: dict[str, list[str]]) -> None:
    said = usual["pages/training_trace.py {}"]
    assert said.count("0.8523") == 6  # without the detach in epoch 1, with it in all five
    assert any("Loss over 5 epochs: without detach from 0.8523 to 0.1516" in line for line in said)
