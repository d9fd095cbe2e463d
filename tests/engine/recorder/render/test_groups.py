"""How a report is told: one row for each cause and module, nothing twice, lines with their file, titles and no ids."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step
from engine.recorder.record import Buffer, Cut, Finding, Location, ParameterRecord
from engine.recorder.render.groups import buffer_rows, by_module, parameter_rows, told
from engine.recorder.render.text import to_text
from engine.recorder.render.words import STANDINGS, place


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn = nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.bn(self.conv(x)).relu()
        return out


def deep(blocks: int = 9) -> StepRecord:
    """A deep encoder that is cut off, a head that learns, a target, a frozen layer, a second name."""
    encoder = nn.Sequential(*[Block() for _ in range(blocks)])
    head, target, still = nn.Linear(2, 1), nn.Linear(2, 1), nn.Linear(2, 2).requires_grad_(False)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], 0.1)
    x = torch.randn(4, 2, 3, 3)

    def step() -> Tensor:
        h = encoder(x).mean((2, 3)).detach()
        loss: Tensor = (head(h) - target(still(h)).detach()).pow(2).mean()
        return loss

    names = {"still": still, "again": head, "encoder": encoder, "head": head, "target": target}
    return record_step(step, names=names, optimizer=optimizer)


def parameter(name: str, **more: Any) -> ParameterRecord:
    plain = ParameterRecord(name, (1,), "gradient", "It gets a gradient.", None, False, None, None)
    return plain._replace(**more)


@pytest.fixture(scope="module")
def record() -> StepRecord:
    return deep()


def test_there_is_one_row_for_each_cause_and_module(record: StepRecord) -> None:
    assert len(record.parameters) == 44
    rows = [(row.word, row.title, row.in_optimizer, row.cause) for row in parameter_rows(record)]
    assert rows[0] == (STANDINGS["none"], "encoder.* (36 parameters)", True, "cut by finding 1")
    assert [(word, title) for word, title, _, _ in rows[1:]] == [
        (STANDINGS["gradient"], "again.* (2 parameters)"),
        (STANDINGS["meant"], "target.* (2 parameters)"),
        (STANDINGS["frozen"], "still.* (2 parameters)"),
        (STANDINGS["same"], "head.* (2 parameters)"),
    ]
    assert rows[-1][-1] == "The same as in `again`."


def test_the_rows_hold_every_parameter_once(record: StepRecord) -> None:
    members = [one.name for row in parameter_rows(record) for one in row.members]
    assert sorted(members) == sorted(one.name for one in record.parameters)


def test_the_text_has_the_row_and_html_opens_it(record: StepRecord) -> None:
    words = " ".join(str(record).split())
    assert "x encoder.* (36 parameters) NO gradient optimizer cut by finding 1" in words
    shown = record._repr_html_()
    assert "<summary>encoder.* (36 parameters)</summary>" in shown
    assert all(f"<li>{one.name}," in shown for one in record.parameters)


def test_marks_and_signs_tell_the_standings_apart() -> None:
    for part in zip(*STANDINGS.values(), strict=True):
        assert len(set(part)) == len(STANDINGS)


def test_what_the_verdict_says_is_not_said_again(record: StepRecord) -> None:
    (finding,) = record.findings
    assert finding.text in record.verdict
    assert told(record)[0].text == ""
    assert " ".join(str(record).split()).count(finding.text) == 1
    assert record._repr_html_().count("32 more get no gradient") == 1
    assert "Instead: Remove the" in str(record)


def test_what_the_verdict_leaves_out_is_said(record: StepRecord) -> None:
    (finding,) = record.findings
    two = replace(record, findings=(finding, replace(finding, text="Another thing.\nAt length.")))
    assert [one.text for one in told(two)] == ["", "Another thing.\nAt length."]
    longer = replace(record, findings=(replace(finding, text=f"{finding.text}\nA second line."),))
    assert told(longer)[0].text == "A second line."


@pytest.mark.parametrize("severity", ["fault", "unused"])
def test_a_severity_is_shown(record: StepRecord, severity: str) -> None:
    one = replace(record, findings=(replace(record.findings[0], severity=severity),))
    assert f"1. Detached tensor ({severity}, line " in str(one)
    assert f" {severity}, line " in one._repr_html_()


def test_a_line_has_its_file_where_that_is_not_the_traced_one(record: StepRecord) -> None:
    assert record.file == __file__
    assert place(Location(record.file, 12, ""), record.file) == "line 12"
    assert place(Location("/elsewhere/helpers.py", 12, ""), record.file) == "helpers.py:12"
    assert place(Location("C:\\work\\helpers.py", 12, ""), record.file) == "helpers.py:12"
    moved = replace(record, file="/another/main.py")
    for shown in (str(record), record._repr_html_()):
        assert "line " in shown
    for shown in (str(moved), moved._repr_html_()):
        assert f"{Path(__file__).name}:{record.findings[0].location.line}" in shown  # type: ignore[union-attr]


def test_a_way_of_a_gradient_is_told_by_lines(record: StepRecord) -> None:
    row = next(row for row in parameter_rows(record) if row.word is STANDINGS["gradient"])
    (only,) = {path.lines for one in row.members for path in one.paths}
    assert row.ways == " > ".join(f"line {at.line}" for at in only)


def test_moved_buffers_are_grouped_and_every_line_is_short(record: StepRecord) -> None:
    assert len(record.buffers) == 27
    said = " ".join(str(record).split())
    assert "encoder.* (27: running_mean, running_var and num_batches_tracked of 9 modules)" in said
    assert max(map(len, str(record).splitlines())) <= 100


def test_a_single_buffer_keeps_its_name() -> None:
    assert buffer_rows([Buffer("ema", "net")]) == ["ema"]
    assert buffer_rows([Buffer("a.bn.n", "a.bn"), Buffer("b.n", "b")]) == ["a.bn.n", "b.n"]


def test_what_starves_comes_before_a_table_is_cut(record: StepRecord) -> None:
    frozen = [parameter(f"f{i}", state="none", requires_grad=False) for i in range(40)]
    same = [parameter(f"s{i}", same_as="f0", reason="The same tensor as `f0`.") for i in range(40)]
    long = replace(record, parameters=(*frozen, *same, parameter("hungry", state="none")))
    said = to_text(long)
    assert "hungry" in said
    assert "and 21 more" in said
    assert said.index("hungry") < said.index(" f0 ")


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["w"], ["w"]),
        (["net.a.w", "net.a.b"], ["net.a.* (2 parameters)"]),
        (["net.a.w", "net.c"], ["net.* (2 of 3 parameters)"]),
        (["params['w']", "params['b']"], ["params[*] (2 parameters)"]),
        (["w", "v"], ["w", "v"]),
        (["nets[0].w", "nets[1].w"], ["nets[*] (2 parameters)"]),
    ],
)
def test_names_are_put_together_by_what_they_begin_with(
    record: StepRecord, names: list[str], title: list[str]
) -> None:
    known = [
        "w",
        "v",
        "net.a.w",
        "net.a.b",
        "net.c",
        "network.x",
        "params['w']",
        "params['b']",
        "nets[0].w",
        "nets[1].w",
    ]
    assert by_module(names, replace(record, parameters=tuple(map(parameter, known)))) == title


def test_an_id_reaches_tools_and_no_reader(record: StepRecord) -> None:
    at = Location(record.file, 3, "x = 1")
    finding = Finding("some_kind", "Some title", "fault", at, (), "It went wrong.", "", "some_rule")
    cut = Cut("some_kind", "Some title", at, ("encoder.0.bn.bias",), False, None)
    one = replace(
        record, findings=(finding,), cuts=(cut, replace(cut, stage=3, intended=True, possible=True))
    )
    for shown in (str(one), one._repr_html_()):
        assert "some_kind" not in shown
        assert shown.count("Some title") >= 3
    assert "Some title (possible)" in str(one)
    plain = json.loads(one.to_json())
    for held in (plain["findings"][0], plain["cuts"][0]):
        assert (held["kind"], held["title"]) == ("some_kind", "Some title")


def test_a_reason_has_no_id_either() -> None:
    used, net, x = nn.Linear(2, 1), nn.Linear(2, 1), torch.ones(3, 2)

    def step() -> Tensor:
        float(used(x).sum().item())
        loss: Tensor = net(x).sum()
        return loss

    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    record = record_step(step, names={"used": used, "net": net}, optimizer=optimizer)
    said = "No optimizer holds it, so it is not expected to learn. It is used for something other than the loss: a Python number has no history."
    assert record.parameters[0].reason == said
    optimizer.add_param_group({"params": [*used.parameters()]})
    record = record_step(step, names={"used": used, "net": net}, optimizer=optimizer)
    said = "Nothing connects it to the loss. It is used for something other than the loss: a Python number has no history."
    assert record.parameters[0].reason == said


def test_zeros_that_come_by_no_way_are_referred_to_their_finding() -> None:
    net, head, x = nn.Linear(2, 2), nn.Linear(2, 1), torch.ones(3, 2)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)
    record = record_step(
        lambda: head(net(x).sign()).sum(), names={"net": net, "head": head}, optimizer=optimizer
    )
    row = parameter_rows(record)[0]
    assert (row.word, row.title, row.cause) == (STANDINGS["zero"], "net.* (2 parameters)", "see finding 1")
    assert row.ways == ""
    assert "zero_op" not in str(record)
