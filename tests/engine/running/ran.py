"""Runs a script as `detach-lab run` does, in a forked process: fast, torch is loaded already."""

import contextlib
import gc
import io
import multiprocessing
import os
import pickle
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

from engine.recorder import StepRecord
from engine.running.run import Outcome, run

LONGEST = 60
"""Seconds after which a script counts as hanging."""
SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True)
class Ran:
    """What became of a script."""

    status: int
    sentence: str
    record: StepRecord | None
    """What was told, if anything was."""
    output: str
    """What it printed, on both outputs."""

    @property
    def first(self) -> tuple[str, int, str]:
        """Kind, line and text of that line of the first finding."""
        assert self.record is not None
        finding = self.record.findings[0]
        assert finding.location is not None
        return finding.kind, finding.location.line, finding.location.text


def ran(
    script: str | Path, *arguments: str, step: int = 2, keep_going: bool = False, is_module: bool = False
) -> Ran:
    """Runs a script of the folder `scripts`, or any other by its path."""
    target = script if is_module else str(SCRIPTS / script)
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        options = {"step": step, "keep_going": keep_going, "is_module": is_module}
        child = context.Process(target=_run, args=(Path(folder), target, arguments, options), daemon=False)
        child.start()
        child.join(LONGEST)
        hung = child.exitcode is None
        child.kill()
        told = {file.name: file.read_bytes() for file in Path(folder).iterdir()}
    printed = told["output"].decode()
    assert not hung, printed
    assert "fault" not in told, told["fault"].decode()
    # A script that won't let itself be ended is ended with its process, and has no outcome but the exit status.
    outcome = pickle.loads(told["outcome"]) if "outcome" in told else Outcome(child.exitcode or 0)
    record = pickle.loads(told["record"]) if "record" in told else None
    return Ran(outcome.status, outcome.sentence, record, printed)


def _run(folder: Path, target: str, arguments: Sequence[str], options: dict[str, Any]) -> None:
    process = os.getpid()
    torch.set_num_threads(1)
    gc.freeze()  # optimizers that other tests have left in this process are none of the script's

    def tell(record: StepRecord) -> None:
        with (folder / "record").open("xb") as file:  # there is one report
            file.write(pickle.dumps(record))

    try:
        with _printing_to(folder / "output"):
            outcome = run(target, arguments, tell=tell, leave=lambda end: os._exit(end.status), **options)
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
    except BaseException:
        if os.getpid() == process:
            (folder / "fault").write_text(traceback.format_exc())
        os._exit(0)


@contextlib.contextmanager
def _printing_to(path: Path) -> Iterator[None]:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), line_buffering=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), line_buffering=True)
    yield
    sys.stdout.flush()
