"""What the README says is what the repository does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_two_commands_stand_in_the_first_screen() -> None:
    first_screen = "\n".join(README.splitlines()[:25])
    assert "-r requirements.txt && .venv/bin/streamlit run streamlit_app.py" in first_screen
    assert "-r tests/requirements.txt && .venv/bin/python -m pytest" in first_screen


def test_the_report_it_quotes_is_the_report() -> None:
    command = [sys.executable, "-m", "engine", "trace", "engine/examples/b_silently_wrong.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    (quoted,) = blocks("text")
    for part in quoted.split("...\n"):
        assert part in done.stdout


def test_the_python_it_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    first = blocks("python")[0]
    exec(compile(first, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "0.8523 0.5985 0.3977 0.2495 0.1516" in printed
    assert "detach" in printed


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w/.]+)\)", README))))
def test_what_it_links_to_is_there(path: str) -> None:
    assert (ROOT / path).exists()
