"""What the tests of the trainers share: a program as its users write it, run in this process or by the command line.

The line of a program that ends with `# cut` is taken out of the right program; the report of the wrong one names it.
"""

import importlib.util
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from tests.imports import ROOT

CUT = "  # cut"


def needs(*libraries: str) -> None:
    """Skips the test without these libraries; in CI it fails."""
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"{', '.join(missing)} not installed: pip install -r tests/requirements-libraries.txt"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


class Program(NamedTuple):
    """A program on disk."""

    path: Path
    line: int
    """Of the cut, or of what stands in its place."""

    def weights(self, **variables: Any) -> torch.Tensor:
        """What `model` has learnt when the program has run here with these variables."""
        model = runpy.run_path(str(self.path), variables)["model"]
        return torch.cat([p.detach().float().flatten() for p in model.parameters()])

    def run(self) -> subprocess.CompletedProcess[str]:
        """The program under `detach-lab run`."""
        command = [sys.executable, "-W", "ignore", "-m", "engine", "run", self.path.name]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        return subprocess.run(
            command, cwd=self.path.parent, env=environment, capture_output=True, text=True, encoding="utf-8"
        )


def told(printed: str) -> str:
    """What was printed, in one line: a report is wrapped."""
    return " ".join(printed.split())


def program(text: str, folder: Path, *, cut: bool) -> Program:
    """A program right or wrong."""
    lines = text.strip().splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.endswith(CUT)]
    lines[at] = lines[at].removesuffix(CUT) if cut else ""
    path = folder / "train.py"
    path.write_text("\n".join(lines) + "\n")
    return Program(path, at + 1)
