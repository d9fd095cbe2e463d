"""Several ranks' records in one, without any process."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.forms import FORMS, Form
from engine.recorder import StepRecord, record_step
from engine.recorder.ranks import RankReport, merged
from engine.recorder.record import Location, Raised
from engine.recorder.render.formats import report_as
from tests.engine.recorder.forked import SCHEMA

EXTRA = ("net.extra.weight", "net.extra.bias")
BODY = ("net.body.weight", "net.body.bias")
X = torch.ones(6, 3)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.extra, self.head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x: Tensor, more: bool, cut: bool) -> Tensor:
        h = self.body(x)
        if more:
            h = self.extra(h)  # the branch
        if cut:
            h = h.detach()  # the cut
        out: Tensor = self.head(h)
        return out


def record(
    *, more: bool = True, cut: bool = False, held: Callable[[Net], Any] = Net.parameters
) -> StepRecord:
    net = Net()
    optimizer = torch.optim.SGD(held(net), lr=0.1)

    def step() -> None:
        optimizer.zero_grad()
        net(X, more, cut).pow(2).mean().backward()
        optimizer.step()

    return record_step(step, names={"net": net, "optimizer": optimizer})


def recorded(rank: int, of: StepRecord, **more: Any) -> RankReport:
    return RankReport(rank, "recorded", "reached the end of step 2", of, **more)


def all_of(*reports: RankReport, size: int = 2) -> StepRecord:
    found = merged(reports, size)
    assert found is not None
    return found


def line_of(record: StepRecord) -> str:
    at = record.findings[0].location
    assert at is not None
    return at.text


def test_ranks_that_are_alike_are_one_healthy_record() -> None:
    both = all_of(recorded(1, record()), recorded(0, record()))
    assert (both.ok, both.ran, both.findings) == (True, True, ())
    assert [(rank.rank, rank.end, rank.shown) for rank in both.ranks] == [
        (0, "recorded", True),
        (1, "recorded", False),
    ]


def test_nobody_s_record_is_no_record() -> None:
    assert merged([RankReport(0, "ended", "ended before step 2")], 2) is None


def test_what_one_rank_reaches_comes_first_with_the_line_that_only_it_comes_to() -> None:
    both = all_of(recorded(0, record()), recorded(1, record(more=False)))
    first = both.findings[0]
    assert (first.names, first.kind, first.severity) == (EXTRA, "not_in_graph", "unused")
    assert line_of(both) == "h = self.extra(h)  # the branch"
    assert "inside `if more:`" in first.text
    assert [rank.unused for rank in both.ranks] == [(), EXTRA]
    assert len(both.findings) == 1  # what rank 1 found by itself is the same thing


def test_a_cut_on_one_rank_is_the_line_and_its_advice_the_advice() -> None:
    cut = record(cut=True)
    both = all_of(recorded(0, cut), recorded(1, record()))
    first = both.findings[0]
    assert line_of(both) == "h = h.detach()  # the cut"
    assert (first.kind, first.rule, first.severity) == ("detach", "detach", "fault")
    assert first.suggestion == cut.findings[0].suggestion
    assert {*BODY} < {*first.names}


def test_the_same_cut_on_all_ranks_is_told_once() -> None:
    both = all_of(recorded(0, record(cut=True)), recorded(1, record(cut=True)))
    (finding,) = both.findings
    assert finding.text.startswith("On every rank: ")
    assert finding.kind == "detach"


def test_ranks_that_train_different_parts_are_not_accused() -> None:
    one = record(held=lambda net: [*net.body.parameters(), *net.extra.parameters()], cut=False)
    other = record(cut=True, held=lambda net: net.head.parameters())
    both = all_of(recorded(0, one), recorded(1, other))
    assert not any("does not reach" in finding.text for finding in both.findings)


def test_a_branch_that_was_taken_before_is_a_note() -> None:
    fed = frozenset(EXTRA)
    both = all_of(recorded(0, record(), fed_before=fed), recorded(1, record(more=False), fed_before=fed))
    assert both.findings == ()
    assert any("Rank 1 does not reach" in note for note in both.notes)


def standing(rank: int, **more: Any) -> RankReport:
    half = replace(record(), findings=(), cuts=(), notes=())
    at = Location("train.py", 9, "loss.backward()")
    return RankReport(rank, "waits", "does not reach the end of step 2: it waits", half, location=at)


def test_a_rank_that_waits_for_one_that_ended_is_a_fault() -> None:
    both = all_of(standing(0), RankReport(1, "ended", "ended before step 2"))
    assert (both.ok, both.hangs, both.ran) == (False, True, True)
    assert "it waits at train.py:9, `loss.backward()`" in both.verdict
    assert "Rank 1 ended before step 2." in both.verdict


def test_a_rank_that_waits_for_those_that_were_stopped_is_none() -> None:
    both = all_of(standing(0), recorded(1, record()))
    assert (both.ok, both.hangs) == (True, False)
    assert "Rank 0 does not reach the end of step 2" in both.verdict
    assert both.ranks[1].shown


def test_who_left_nothing_is_silent() -> None:
    both = all_of(recorded(0, record()), size=3)
    assert [rank.end for rank in both.ranks] == ["recorded", "silent", "silent"]
    assert both.ok
    assert "Rank 2 did not answer." in both.verdict


def test_a_job_that_was_ended_before_any_rank_came_through_has_no_diagnosis() -> None:
    half = replace(standing(0), end="silent", text="was terminated (SIGTERM) in step 2")
    both = all_of(half)
    assert (both.ok, both.ran) == (False, False)
    assert both.verdict.startswith("No rank reached the end of its step.")


def test_what_was_raised_is_told_with_its_rank() -> None:
    at = Location("train.py", 7, "raise ValueError")
    broken = replace(record(), raised=Raised("ValueError", "a bad batch", "step", at), findings=())
    both = all_of(standing(0), RankReport(1, "raised", "raised ValueError: a bad batch", broken, location=at))
    assert both.raised == broken.raised
    assert both.verdict == (
        "train.py:7, `raise ValueError`: on rank 1 the step raised ValueError: a bad batch (rank 0 waits for it)"
    )
    assert both.ranks[0].shown


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_ranks(form: Form) -> None:
    text = report_as(all_of(standing(0), RankReport(1, "ended", "ended before step 2")), form)
    assert "does not reach the end of step 2: it waits" in " ".join(text.split())
    if form == "json":
        report = json.loads(text)
        SCHEMA.validate(report)
        assert [rank["end"] for rank in report["ranks"]] == ["waits", "ended"]


def test_a_report_on_one_process_has_no_ranks() -> None:
    assert "ranks" not in record().to_dict()
