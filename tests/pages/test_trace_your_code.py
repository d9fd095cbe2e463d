"""Trace your code: the report of a file, and that nobody but the server's owner names one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import subprocess_recording
from engine.examples import examples
from engine.recorder.rules import rules_of
from pages.components.shell.command_line import Named, named_file
from tests.pages.test_pages import html, opened, text

pytestmark = pytest.mark.usefixtures("forks")
PAGE = "pages/trace_your_code.py"
STARVING = """
import torch
from torch import nn
net, head = nn.Linear(3, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

def step():
    return head(net(torch.ones(4, 3)).detach()).pow(2).mean()
"""


def test_a_loss_that_cannot_train_is_named_with_its_line_and_its_words() -> None:
    app = opened(PAGE, traced="a_cannot_train")
    assert not app.exception
    said = text(app).replace("\\", "")
    assert "a_cannot_train.py:22" in said
    assert "does not require grad and does not have a grad_fn" in said
    assert "policy.0.weight" in said
    assert "Write instead" in said


def test_a_loss_that_trains_silently_wrong_is_named_too() -> None:
    said = text(opened(PAGE, traced="b_silently_wrong"))
    assert "actor.0.weight" in said
    assert "rsample" in said
    assert "line 21" in said


def test_an_intended_detach_gets_no_warning() -> None:
    app = opened(PAGE, traced="c_nothing_wrong")
    assert not app.error
    assert app.success
    assert any("intended" in table for table in html(app))


def test_a_finding_has_its_title_and_its_severity_and_no_id() -> None:
    app = opened(PAGE, traced="b_silently_wrong")
    shown = text(app) + "".join(html(app))
    assert "**1. Sample without a history** (✕ fault, line 21)" in text(app)
    assert "Sample without a history" in shown
    assert "no_grad" not in shown.replace("torch.no_grad", "")


def source_shown(app: AppTest) -> list[str]:
    """The data of the annotated source."""
    return [
        json.loads(one.proto.json)
        for one in app.get("bidi_component")
        if "living_picture" not in one.proto.component_name
    ]


def test_the_source_is_annotated_in_place_of_a_plain_listing() -> None:
    app = opened(PAGE, traced="b_silently_wrong")
    (shown,) = source_shown(app)
    assert "is cut here" in shown
    assert 'class="line cut"' in shown
    listings = [one.value for one in app.main.code if "def step" in one.value]
    assert listings == []


def test_what_the_verdict_says_is_not_said_again() -> None:
    app = opened(PAGE, traced="b_silently_wrong")
    said = "draws numbers without a history"
    assert said in app.error[0].value
    assert not any(said in one.value for one in app.main.markdown)


def test_a_finding_comes_with_the_explanation_of_its_rule() -> None:
    app = opened(PAGE, traced="b_silently_wrong")
    (rule,) = rules_of("sampled")
    app.session_state["rule of finding 1"] = True
    app.run()
    assert not app.exception
    assert rule.why in text(app).replace("\\", "")
    codes = [one.value for one in app.main.code]
    assert rule.bad.strip() in codes
    assert rule.good.strip() in codes


def test_parameters_of_one_fate_are_one_row_that_opens() -> None:
    table = next(t for t in html(opened(PAGE, traced="b_silently_wrong")) if 'aria-label="Parameters"' in t)
    assert "<summary>actor.* (4 parameters)</summary>" in table
    assert all(f"<li>actor.{name}," in table for name in ("0.weight", "0.bias", "2.weight", "2.bias"))
    assert table.count("cut by finding 1") == 1
    assert table.count("❄ frozen") == 1


def test_the_filter_finds_calls_by_any_of_their_words() -> None:
    app = opened(PAGE, traced="a_cannot_train")
    app.text_input(key="calls filter").set_value("log_softmax").run()
    assert not app.exception
    table = next(t for t in html(app) if 'aria-label="Calls"' in t)
    assert table.count("<tr>") < 9
    app.text_input(key="calls filter").set_value("<script>[(").run()
    assert not app.exception


@pytest.mark.parametrize(
    "traced", ["/etc/passwd", "../../x.py", "your file", "a_cannot_train.py", "x" * 5_000]
)
def test_no_link_can_name_a_file(traced: str) -> None:
    app = opened(PAGE, traced=traced)
    assert not app.exception
    radio = next(r for r in app.main.radio if r.label == "What to trace")
    assert radio.options == [example.title for example in examples()]
    assert examples()[0].story in text(app)
    assert not app.get("file_uploader")
    assert [t.label for t in app.text_input] == ["Filter"]


def started_with(monkeypatch: pytest.MonkeyPatch, path: Path) -> AppTest:
    monkeypatch.setattr(sys, "argv", ["streamlit_app.py", "--trace", str(path)])
    return opened(PAGE)


def test_the_file_of_the_command_line_is_traced_and_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my_step.py"
    path.write_text(STARVING)
    app = started_with(monkeypatch, path)
    assert "my_step.py:8" in app.error[0].value.replace("\\", "")
    assert str(tmp_path) not in app.error[0].value
    (shown,) = source_shown(app)
    assert str(tmp_path) not in shown
    assert 'class="line cut"' in shown
    path.write_text(STARVING.replace(".detach()", ""))
    app.run()
    assert not app.error
    assert app.success


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "can't be read"),
        ("def step(:\n", "not valid Python"),
        ("x = 1\n", "defines no function"),
        ("def step():\n    return 3\n", "not a tensor"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import os\nos._exit(3)\n", "exited with status"),
    ],
)
def test_a_file_that_cannot_be_traced_gets_one_sentence(
    source: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my_step.py"
    if source is not None:
        path.write_text(source)
    app = started_with(monkeypatch, path)
    assert not app.exception
    assert len(app.error) == 1
    assert words in app.error[0].value.replace("\\", "")
    assert len(app.error[0].value) < 300
    assert not app.get("bidi_component")
    assert source is None or any(one.value.strip() == source.strip() for one in app.main.code)


def test_what_a_file_does_to_torch_stays_in_its_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(
        subprocess_recording, "subprocess", subprocess
    )  # a fresh Python, as the app starts it
    path = tmp_path / "my_step.py"
    path.write_text(
        "import torch\ntorch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\n" + STARVING
    )
    app = started_with(monkeypatch, path)
    assert "my_step.py" in app.error[0].value.replace("\\", "")
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--trace", "a.py"], Named(("a.py",), False)),
        (["--trace=a.py"], Named(("a.py",), False)),
        (["--trace"], None),
        (["--trace", ""], None),
        (["-x", "else"], None),
        (
            ["--run", "train.py", "--lr", "0.1", "--trace", "x"],
            Named(("train.py", "--lr", "0.1", "--trace", "x"), True),
        ),
        (["--run", "-m", "my.train", "--lr", "0.1"], Named(("-m", "my.train", "--lr", "0.1"), True)),
        (["--run"], None),
    ],
)
def test_the_command_line_is_read_leniently(
    arguments: list[str], named: Named | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["streamlit_app.py", *arguments])
    assert named_file() == named


def test_a_training_script_is_run_with_its_own_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.py"
    path.write_text((Path(__file__).parents[1] / "engine/running/scripts/arguments.py").read_text())
    monkeypatch.setattr(sys, "argv", ["streamlit_app.py", "--run", str(path), "--epochs", "3"])
    app = opened(PAGE)
    assert not app.exception
    assert "train.py:15" in app.error[0].value.replace("\\", "")
    assert "train.py --epochs 3" in app.radio[0].options[0]
    monkeypatch.setattr(sys, "argv", ["streamlit_app.py", "--run", str(path), "--epochs", "1"])
    assert "ended after 1 optimizer step, before step 2" in opened(PAGE).error[0].value


def test_the_bare_address_opens_on_the_named_file_and_links_to_home_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my_step.py"
    path.write_text(STARVING)
    monkeypatch.setattr(sys, "argv", ["streamlit_app.py", "--trace", str(path)])
    app = opened("streamlit_app.py")
    assert not app.exception
    assert app.title[0].value == "Trace your code"
    assert "my_step.py:8" in app.error[0].value.replace("\\", "")
    app.switch_page("streamlit_app.py").run()  # the menu's Home
    assert app.title[0].value == "Detach Lab"
    assert opened("streamlit_app.py", epochs="5").title[0].value == "Detach Lab"
    assert opened("pages/quiz.py").title[0].value == "Quiz"
