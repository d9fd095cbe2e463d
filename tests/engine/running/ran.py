"""Runs a script as `detach-lab run` does, in a forked process: fast, torch is loaded already."""

import contextlib
import gc
import io
import multiprocessing
import multiprocessing.connection
import os
import pickle
import runpy
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NoReturn

import torch
import torch._dynamo
from torch.distributed import TCPStore  # type: ignore[attr-defined]

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
    options = {"step": step, "keep_going": keep_going, "is_module": is_module}
    with _started(target, arguments, options) as running:
        running.process.join(LONGEST)
    return running.ended()


def ran_as_ranks(script: str | Path, *arguments: str, size: int = 2, bare: bool = False) -> list[Ran]:
    """Runs a script as the ranks of a job: in torchrun's environment, with a store as its agent has one, which ends
    all as soon as one has failed. `bare` is without the engine, as Python alone would run it."""
    store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    job = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(store.port), "WORLD_SIZE": str(size)}
    job |= {
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RUN_ID": "a job",
        "TORCHELASTIC_RESTART_COUNT": "0",
    }
    with contextlib.ExitStack() as all_end:
        ranks = [
            all_end.enter_context(
                _started(str(SCRIPTS / script), arguments, None if bare else {}, {**job, "RANK": str(rank)})
            )
            for rank in range(size)
        ]
        run = [rank.process for rank in ranks]
        while run and (ended := multiprocessing.connection.wait([one.sentinel for one in run], LONGEST)):
            for process in [one for one in run if one.sentinel in ended]:
                run.remove(process)
                process.join(LONGEST)  # the sentinel comes a little before the exit status
                if process.exitcode:
                    for other in run:
                        other.terminate()
    return [rank.ended() for rank in ranks]


@dataclass
class _Running:
    """A script in a process of its own, and what that has left once it was waited for."""

    process: ForkProcess
    hung: bool = False
    told: dict[str, bytes] = field(default_factory=dict)

    def ended(self) -> Ran:
        printed = self.told["output"].decode()
        assert not self.hung, printed
        assert "fault" not in self.told, self.told["fault"].decode()
        # A script that won't let itself be ended is ended with its process, and has no outcome but the exit status.
        told, status = self.told, self.process.exitcode or 0
        outcome = pickle.loads(told["outcome"]) if "outcome" in told else Outcome(status)
        record = pickle.loads(told["record"]) if "record" in told else None
        return Ran(outcome.status, outcome.sentence, record, printed)


@contextlib.contextmanager
def _started(
    target: str | Path,
    arguments: Sequence[str],
    options: dict[str, Any] | None,
    environment: dict[str, str] | None = None,
) -> Iterator[_Running]:
    """Starts a script; without options, the engine has no part in it. Who still runs at the end hangs."""
    with tempfile.TemporaryDirectory() as folder:
        process = multiprocessing.get_context("fork").Process(
            target=_run, args=(Path(folder), target, arguments, options, environment or {}), daemon=False
        )
        process.start()
        running = _Running(process)
        yield running
        running.hung = process.exitcode is None
        process.kill()
        process.join()
        running.told = {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def _run(
    folder: Path,
    target: str,
    arguments: Sequence[str],
    options: dict[str, Any] | None,
    environment: dict[str, str],
) -> None:
    process = os.getpid()
    os.environ.update(environment)
    torch.set_num_threads(1)
    gc.freeze()  # optimizers that other tests have left in this process are none of the script's

    def tell(record: StepRecord) -> None:
        with (folder / "record").open("xb") as file:  # there is one report
            file.write(pickle.dumps(record))

    def leave(end: Outcome) -> NoReturn:
        (folder / "outcome").write_bytes(pickle.dumps(end))
        os._exit(end.status)

    try:
        with _printing_to(folder / "output"):
            if options is None:
                sys.argv = [target, *arguments]
                runpy.run_path(target, run_name="__main__")
                return
            outcome = run(target, arguments, tell=tell, leave=leave, **options)
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
    except BaseException:
        if os.getpid() == process:
            (folder / "fault").write_text(traceback.format_exc())
        os._exit(0)
    sys.exit(outcome.status)  # not at once: what multiprocessing made here is cleaned up


@contextlib.contextmanager
def _printing_to(path: Path) -> Iterator[None]:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), line_buffering=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), line_buffering=True)
    yield
    sys.stdout.flush()
