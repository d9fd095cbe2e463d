"""Two ranks with gloo on the processor: one report of both, and nobody waits for ever.

Where torchrun itself matters it is run; the other jobs are forks, which have torch already.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.engine.recorder.forked import SCHEMA
from tests.engine.running.ran import SCRIPTS, ran_as_ranks
from tests.imports import ROOT

LONGEST = 150
"""Seconds after which a job counts as hanging."""
SCRIPT = SCRIPTS / "parallel.py"
EXTRA = ["model.module.extra.weight", "model.module.extra.bias"]
BODY = ["model.module.body.weight", "model.module.body.bias"]
TORCHRUN = (
    *(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"),
    *("--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"),
)


@dataclass(frozen=True)
class Job:
    """What became of a job: its one report, and what the script printed."""

    failed: bool
    report: dict[str, Any]
    printed: str

    @property
    def ends(self) -> list[str]:
        return [rank["end"] for rank in self.report["ranks"]]

    @property
    def unused(self) -> list[list[str]]:
        return [rank["unused"] for rank in self.report["ranks"]]

    def line(self, of: dict[str, Any]) -> str:
        number: int = of["line"]
        return SCRIPT.read_text().splitlines()[number - 1].strip()


def torchrun(*command: str) -> subprocess.CompletedProcess[str]:
    """A job in a session of its own, which is ended as a whole should it hang."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*TORCHRUN, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    ) as job:  # fmt: skip
        try:
            out, errors = job.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            job.terminate()  # torchrun ends its ranks, and kills those that don't end
            raise
    return subprocess.CompletedProcess(job.args, job.returncode, out, errors)


def run(*arguments: str, options: tuple[str, ...] = ()) -> Job:
    """A job of torchrun's: two processes that import torch."""
    done = torchrun("-m", "engine", "run", "--json", *options, str(SCRIPT), *arguments)
    report = json.loads(done.stdout)  # fails where there are two
    SCHEMA.validate(report)
    return Job(done.returncode != 0, report, done.stderr)


def forked(*arguments: str) -> Job:
    """The same without torchrun: two forks of this process, which has torch."""
    ranks = ran_as_ranks(SCRIPT, *arguments)
    (record,) = (rank.record for rank in ranks if rank.record is not None)
    report = json.loads(record.to_json())
    SCHEMA.validate(report)
    return Job(any(rank.status for rank in ranks), report, "".join(rank.output for rank in ranks))


def test_a_healthy_job_has_one_report() -> None:
    job = forked("nothing")
    assert (job.failed, job.report["ok"], job.ends) == (False, True, ["recorded", "recorded"])
    assert job.report["findings"] == []
    modules = {p["name"].rpartition(".")[0] for p in job.report["parameters"] if p["in_optimizer"]}
    assert modules == {"model.module.body", "model.module.extra", "model.module.head"}


def test_a_job_that_goes_on_trains_as_it_does_alone() -> None:
    bare = "".join(rank.output for rank in ran_as_ranks(SCRIPT, "nothing", bare=True))
    job = run("nothing", options=("--keep-going",))
    (trained,) = (line for line in bare.splitlines() if line.startswith("trained"))
    assert trained in job.printed.splitlines()
    assert (job.failed, job.report["ok"]) == (False, True)


def test_gradients_that_are_summed_by_hand_are_right() -> None:
    job = forked("by hand")
    assert (job.failed, job.report["ok"], job.ends) == (False, True, ["recorded", "recorded"])


def test_what_no_rank_uses_is_named_with_all_ranks() -> None:
    job = forked("unused")
    (finding,) = job.report["findings"]
    assert job.failed
    assert (finding["kind"], finding["names"], job.unused) == ("not_in_graph", EXTRA, [EXTRA, EXTRA])
    assert "On every rank" in finding["text"]


@pytest.mark.parametrize(
    ("more", "ends", "severity"),
    [(("find",), ["recorded", "recorded"], "unused"), ((), ["waits", "raised"], "fault")],
    ids=["unused parameters are looked for", "unused parameters are waited for"],
)
def test_what_one_rank_reaches_alone_comes_first(
    more: tuple[str, ...], ends: list[str], severity: str
) -> None:
    job = forked("branch", *more)
    first = job.report["findings"][0]
    assert (job.failed, job.ends, job.unused) == (True, ends, [[], EXTRA])
    assert (first["names"], first["severity"]) == (EXTRA, severity)
    assert job.line(first) == "h = self.extra(h)  # <-- branch"
    assert "Rank 1 does not reach" in first["text"]
    assert 'if wrong != "unused" and' in first["text"]


def test_a_cut_on_one_rank_is_named_by_its_line() -> None:
    job = forked("detach")
    first = job.report["findings"][0]
    assert (job.failed, first["kind"], first["names"]) == (True, "detach", BODY)
    assert job.line(first) == "h = h.detach()  # <-- detach"
    assert (job.ends, job.unused) == (["raised", "waits"], [BODY, []])


def test_who_waits_for_a_rank_that_raised_is_told_of() -> None:
    job = forked("raises")
    raised, (waits, _) = job.report["raised"], job.report["ranks"]
    assert (job.failed, job.ends) == (True, ["waits", "raised"])
    assert (raised["type"], raised["message"]) == ("ValueError", "a bad batch")
    assert job.line(raised) == 'raise ValueError("a bad batch")'
    assert job.line(waits) == "loss = model(x).pow(2).mean()"
    assert "rank 0 waits for it" in job.report["verdict"]
    assert "ValueError: a bad batch" in job.printed


def test_a_rank_that_ends_early_leaves_nobody_waiting() -> None:
    job = forked("ends")
    assert (job.failed, job.report["ok"]) == (True, False)
    assert "Rank 1 ended after 1 optimizer step, before step 2." in job.report["verdict"]
    assert job.ends[1] == "ended"


def test_a_rank_that_has_fewer_batches_and_follows_the_others_is_right() -> None:
    job = forked("join")
    assert (job.failed, job.report["ok"], job.ends) == (False, True, ["recorded", "ended"])


def test_a_report_comes_out_where_a_rank_is_killed() -> None:
    job = run("dies")
    assert job.failed
    assert job.ends[1] == "silent"
    assert "Rank 1 did not answer." in job.report["verdict"]


def test_a_script_without_torch_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("print('nothing')\n")
    done = torchrun("-m", "engine", "run", str(tmp_path / "empty.py"))
    assert done.returncode != 0
    assert done.stderr.count("never imported torch") == 1
