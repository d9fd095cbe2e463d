"""Training scripts as people write them, run as they are: the line is named, and nothing else about them changes."""

from pathlib import Path

import pytest

from engine.recorder import StepRecord
from tests.engine.running.ran import SCRIPTS, ran

CUT_AT = {
    "arguments.py": "h.detach()",
    "trainer_class.py": ".data",
    "gan.py": "fake.detach()), torch.ones",
    "critic.py": "-critic(fake.detach())",
    "pure_tensors.py": "s.detach()",
    "in_a_thread.py": ".detach()",
    "spawns.py": ".detach()",
    "game.py": "made.detach()",
    "wrapped.py": "h.detach()",
}
"""By script: a part of the line that cuts."""
RIGHT = (
    *("accumulation.py", "grad_scaler.py", "lbfgs.py", "initialised.py", "device.py", "forks.py"),
    *("carries_on.py", "compiled.py", "freezes_the_critic.py", "warned.py"),
)


def names_of(record: StepRecord, state: str) -> set[str]:
    return {p.name for p in record.parameters if p.state == state}


def repaired(script: str, folder: Path) -> Path:
    """The script without its cut."""
    lines = (SCRIPTS / script).read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if CUT_AT[script] in line)
    lines[at] = lines[at].replace(".detach()", "").replace(".data", "")
    (folder / script).write_text("".join(lines))
    return folder / script


@pytest.mark.parametrize("script", CUT_AT)
def test_the_line_that_cuts_comes_first(script: str) -> None:
    found = ran(script)
    assert found.status == 1
    _, number, text = found.first
    assert CUT_AT[script] in text
    assert CUT_AT[script] in (SCRIPTS / script).read_text().splitlines()[number - 1]


@pytest.mark.parametrize("script", CUT_AT)
def test_without_the_cut_nothing_is_wrong(script: str, tmp_path: Path) -> None:
    found = ran(repaired(script, tmp_path))
    assert found.record is not None
    assert (found.status, found.sentence, found.record.findings) == (0, "", ())


@pytest.mark.parametrize("script", RIGHT)
def test_a_right_script_is_not_accused(script: str) -> None:
    found = ran(script)
    assert found.record is not None
    assert (found.status, found.sentence, found.record.findings) == (0, "", ())


@pytest.mark.parametrize("script", [*CUT_AT, *RIGHT])
def test_a_script_that_goes_on_prints_what_it_prints_alone(script: str, tmp_path: Path) -> None:
    alone = tmp_path / "alone.py"
    alone.write_text(f"import runpy\nrunpy.run_path({str(SCRIPTS / script)!r}, run_name='__main__')\n")
    bare, recorded = ran(alone, step=1_000), ran(script, keep_going=True)
    assert bare.output == recorded.output
    assert recorded.record is not None


def test_the_names_are_those_of_the_readers_variables() -> None:
    record = ran("trainer_class.py").record
    assert record is not None
    assert names_of(record, "none") == {
        f"trainer.model.encoder.layers.{n}.{p}" for n in (0, 1) for p in ("weight", "bias")
    }
    record = ran("arguments.py").record
    assert record is not None
    assert names_of(record, "gradient") == {"net.head.weight", "net.head.bias"}


def test_what_is_computed_on_the_way_is_no_parameter() -> None:
    record = ran("accumulation.py").record
    assert record is not None
    assert {p.name.partition(".")[0] for p in record.parameters} == {"net"}


def test_after_the_recorded_step_torch_compiles_again() -> None:
    assert ran("compiles.py", keep_going=True).output.splitlines()[-1] == "1"


def test_the_scripts_own_arguments_reach_it() -> None:
    assert "epoch 6" in ran("arguments.py", "--epochs", "7", "--lr", "0.01", keep_going=True).output


def test_what_a_scaler_scaled_is_told_as_it_was() -> None:
    found = ran("grad_scaler.py", keep_going=True)
    assert found.record is not None
    losses = [float(line.split()[1]) for line in found.output.splitlines() if line[:1].isdigit()]
    assert found.record.loss == pytest.approx(losses[1])


def test_every_pass_between_two_steps_belongs_to_the_step() -> None:
    record = ran("accumulation.py").record
    assert record is not None
    assert len(record.backwards) == 4


def test_a_turn_of_several_optimizers_is_one_step() -> None:
    record = ran("critic.py").record
    assert record is not None
    assert len(record.backwards) == 6


@pytest.mark.parametrize("step", [1, 2])
def test_weights_that_were_initialised_before_are_no_part_of_the_step(step: int) -> None:
    record = ran("initialised.py", step=step).record
    assert record is not None
    assert (record.findings, record.cuts) == ((), ())


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_that_load_data(context: str) -> None:
    found = ran("workers.py", context)
    assert (found.status, found.sentence) == (0, "")
    assert "Traceback" not in found.output


@pytest.mark.parametrize("how", ["copied", "built", "cyclic"])
@pytest.mark.parametrize(("replaced", "step"), [(0, 2), (1, 3), (1, 6), (4, 6)])
def test_a_model_that_was_replaced_leaves_its_optimizer_behind(how: str, replaced: int, step: int) -> None:
    found = ran("replaced.py", how, str(replaced), step=step)
    assert found.status == 1
    kind, _, text = found.first
    assert (kind, text) == ("stale_optimizer", "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)")


@pytest.mark.parametrize("how", ["built", "cyclic"])
def test_a_model_that_is_replaced_in_this_very_step(how: str) -> None:
    found = ran("replaced.py", how, "2", step=3)
    assert (found.status, found.first[0]) == (1, "stale_optimizer")


def test_a_model_that_is_never_replaced() -> None:
    found = ran("replaced.py", "cyclic", "9", step=5)
    assert found.record is not None
    assert (found.status, found.record.findings) == (0, ())


def test_a_forked_child_goes_its_own_way() -> None:
    found = ran("forks.py", keep_going=True)
    assert sorted(found.output.splitlines()) == ["end of child", "end of parent"]


def test_a_script_that_catches_everything_ends_all_the_same() -> None:
    printed = ran("carries_on.py").output.splitlines()
    assert printed[:3] == ["after 0", "swallowed", "after 1"]
    assert "after 4" not in printed


def test_a_step_that_raises_at_once_is_told_of() -> None:
    found = ran("raises_at_once.py")
    assert (found.status, found.sentence) == (1, "")
    assert found.first[0] == "no_grad"
    assert found.record is not None
    assert found.record.raised is not None
    assert found.record.raised.location is not None
    assert found.record.raised.location.text == "loss.backward()"
    assert "Traceback" not in found.output


def test_a_later_step_that_raises_is_told_of() -> None:
    found = ran("raises_later.py", step=3)
    assert (found.status, found.first[0]) == (1, "freed_graph")
    assert found.first[2] == "h = rnn(torch.randn(2, 3), h)"


def test_an_exception_that_is_no_gradients_fault_is_shown_as_python_shows_it(tmp_path: Path) -> None:
    text = (
        (SCRIPTS / "accumulation.py")
        .read_text()
        .replace("torch.randn(4, 3)", "{0: torch.randn(4, 3)}[i // 4]")
    )
    (tmp_path / "script.py").write_text(text)
    found = ran(tmp_path / "script.py")
    assert found.status == 2
    assert "KeyError: 1" in found.sentence
    assert found.output.count("Traceback") == 1
    assert "engine" not in found.output


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("by_hand.py", "ended without calling step() on a torch.optim optimizer in this process"),
        ("evaluates.py", "ended without calling step() on a torch.optim optimizer in this process"),
    ],
)
def test_a_script_without_a_step(script: str, said: str) -> None:
    found = ran(script)
    assert (found.status, found.record) == (2, None)
    assert said in found.sentence


def test_a_script_that_ends_before_the_step() -> None:
    found = ran("accumulation.py", step=5)
    assert (found.status, found.record) == (2, None)
    assert (
        found.sentence
        == f"{SCRIPTS / 'accumulation.py'} ended after 4 optimizer steps, before step 5: --step can be 1 to 4."
    )


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("sys.exit(3)", 2, "exited with status 3"),
        ("sys.exit('no data')", 2, "no data"),
        ("raise ValueError('x')", 2, "ValueError"),
    ],
)
def test_a_script_that_ends_itself_before_any_step(tmp_path: Path, end: str, status: int, said: str) -> None:
    (tmp_path / "script.py").write_text(f"import sys\nimport torch\n{end}\n")
    found = ran(tmp_path / "script.py")
    assert (found.status, found.record) == (status, None)
    assert said in found.sentence


def test_a_script_that_goes_on_keeps_its_own_exit_status(tmp_path: Path) -> None:
    text = (SCRIPTS / "accumulation.py").read_text()
    (tmp_path / "script.py").write_text(f"{text}\nimport sys\nsys.exit(7)\n")
    assert ran(tmp_path / "script.py", keep_going=True).status == 7
    assert ran(tmp_path / "script.py").status == 0


def test_a_module_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "my_project"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "nets.py").write_text("from torch import nn\ndef build():\n    return nn.Linear(3, 1)\n")
    (package / "train.py").write_text(
        (SCRIPTS / "accumulation.py")
        .read_text()
        .replace("net = nn.Sequential", "from .nets import build\nnet = nn.Sequential")
    )
    monkeypatch.chdir(tmp_path)
    found = ran("my_project.train", is_module=True)
    assert (found.status, found.sentence) == (0, "")
    assert (
        ran("my_project.nothing", is_module=True).sentence == "There is no module named my_project.nothing."
    )
    assert ran("my_project", is_module=True).sentence == (
        "The package my_project has no `__main__`; name a module in it."
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "can't be read: No such file or directory."),
        (lambda path: path.mkdir(), "is a folder without a `__main__.py`; name a script in it."),
        (lambda path: path.write_text("x = = 1"), "line 1: not valid Python: invalid syntax."),
        (
            lambda path: path.write_bytes(b"\x00"),
            "not valid Python: source code string cannot contain null bytes.",
        ),
        (lambda path: path.write_bytes(b"x = '\xff'"), "not valid Python"),
    ],
)
def test_what_is_no_script_is_refused_in_one_sentence(tmp_path: Path, make: object, said: str) -> None:
    assert callable(make)
    make(tmp_path / "script.py")
    found = ran(tmp_path / "script.py")
    assert (found.status, found.record, found.output) == (2, None, "")
    assert said in found.sentence
