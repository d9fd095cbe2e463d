"""The command line: its three exit statuses, and one clear sentence where a step can't be recorded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main

GOOD = "import torch\nnet = torch.nn.Linear(2, 1)\n\ndef step():\n    print('noise')\n    return net(torch.ones(3, 2)).sum()\n"


def write(folder: Path, text: str) -> str:
    path = folder / "my_step.py"
    path.write_text(text)
    return str(path)


def test_status_0_where_nothing_starves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", write(tmp_path, GOOD)]) == 0
    assert "Nothing is wrong" in capsys.readouterr().out


def test_status_1_and_the_line_where_something_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", write(tmp_path, GOOD.replace(".sum()", ".detach().sum()"))]) == 1
    out = capsys.readouterr().out
    assert "my_step.py:6" in out
    assert "detach" in out


def test_what_a_step_prints_does_not_mix_with_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", write(tmp_path, GOOD), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert [p["name"] for p in report["parameters"]] == ["net.weight", "net.bias"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def step(:\n", "line 1: not valid Python"),
        ("x = 1\n", "defines no function `step()`"),
        ("def step():\n    return 3.0\n", "returned float, not a tensor"),
        ("def step():\n    pass\n", "returned NoneType, not a tensor"),
        ("def step(x):\n    return x\n", "callable without arguments"),
        (
            "import torch\nraise ValueError('no data')\n",
            "line 2: ValueError while the file was loaded: no data",
        ),
        ("import nothing_of_that_name\n", "ModuleNotFoundError"),
        ("import sys\nsys.exit(0)\n", "ended the program while it was loaded"),
        ("import sys\ndef step():\n    sys.exit(0)\n", "ended the program"),
    ],
)
def test_status_2_and_one_sentence(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", write(tmp_path, text)]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert not captured.out


def test_status_2_for_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(tmp_path / "none.py")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["trace", str(tmp_path)]) == 2


def test_a_bad_count_of_calls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["trace", write(tmp_path, GOOD), "--calls", "0"])
    assert refused.value.code == 2


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "engine", "trace", write(tmp_path, GOOD), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"]


def test_a_step_may_define_dataclasses_and_import_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_step.py").write_text("def cut(h):\n    return h.detach()\n")
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport torch\n"
        "from neighbour_of_step import cut\n@dataclass\nclass Part:\n    scale: float = 2.0\n"
        "enc, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        "def step():\n    return head(cut(enc(torch.ones(3, 2))) * Part().scale).sum()\n"
    )
    from engine.recorder import record_file

    record = record_file(write(tmp_path, text))
    location = record.findings[0].location
    assert location is not None
    assert location.file.endswith("neighbour_of_step.py")
    assert (location.line, location.text) == (2, "return h.detach()")
