"""The script that runs the recorder's tests on other versions: what it installs, and what it says of none."""

from pathlib import Path

import pytest

from tests import versions


def test_another_torch_takes_the_place_of_ours_and_all_else_stays() -> None:
    ours, other = versions.pins(versions.ROOT / "tests" / "requirements.txt"), versions.requirements("2.4.1")
    assert [line for line in other.split() if line.startswith("torch==")] == ["torch==2.4.1"]
    assert {line for line in ours if line not in other.split()} == {
        line for line in ours if line.startswith("torch==")
    }
    assert any(line.startswith("streamlit==") for line in other.split())


def test_no_combination_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert versions.main(["--python", "python0.1"]) == 1
    assert capsys.readouterr().out == "python0.1: not on this machine\n"


def test_the_versions_tried_reach_down_to_the_oldest_that_the_readme_names() -> None:
    oldest = min(tuple(map(int, torch.split(".")[:2])) for torch in versions.TORCHES)
    text = (Path(versions.ROOT) / "README.md").read_text()
    assert f"torch {oldest[0]}.{oldest[1]} or newer" in text
