"""A recorded block is a piece of somebody's code: what it leaves behind is no fault, what is asked of it may be."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from engine.recorder import StepRecord, record_file, record_step, recording


def a_classifier() -> tuple[nn.Module, torch.optim.Optimizer, Tensor, Tensor]:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    return net, torch.optim.SGD(net.parameters(), 0.1), torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 0, 1])


def kinds(report: StepRecord) -> list[str]:
    return [finding.kind for finding in report.findings]


def test_named_intermediates_of_a_block_are_no_fault_in_a_function() -> None:
    net, optimizer, x, y = a_classifier()
    with recording(optimizer=optimizer) as recorded:
        logits = net(x)
        scaled = logits * 2
        loss = cross_entropy(scaled, y)
        loss.backward()
    assert recorded.report.ok, recorded.report.verdict
    states = {p.name: p.state for p in recorded.report.parameters}
    assert states["logits"] == states["scaled"] == "not_retained"


MODULE = """
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from engine.recorder import recording

net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(4, 3), torch.tensor([0, 1, 0, 1])
{before}
with recording(optimizer=optimizer) as recorded:
    optimizer.zero_grad()
    logits = net(x)
    loss = cross_entropy(logits, y)
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("before", ["", "logits = None", "logits = torch.zeros(2)"])
def test_named_intermediates_of_a_block_are_no_fault_in_a_module(before: str) -> None:
    names: dict[str, object] = {}
    exec(compile(MODULE.format(before=before), "script.py", "exec"), names)
    recorded = names["recorded"]
    assert isinstance(recorded, recording)
    assert recorded.report.ok, recorded.report.verdict


def test_named_intermediates_of_a_loop_are_no_fault_in_any_turn() -> None:
    net, optimizer, x, y = a_classifier()
    recorded = recording(optimizer=optimizer)
    for _ in range(3):
        with recorded:
            optimizer.zero_grad()
            logits = net(x)
            loss = cross_entropy(logits, y)
            loss.backward()
            optimizer.step()
        assert recorded.report.ok, recorded.report.verdict


def test_what_an_encoder_made_before_the_block_is_no_fault() -> None:
    encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
    both = torch.optim.SGD([*encoder.parameters(), *head.parameters()], 0.1)

    def train(features: Tensor, head: nn.Module, optimizer: torch.optim.Optimizer) -> StepRecord:
        with recording(optimizer=optimizer) as recorded:
            head(features).pow(2).mean().backward()
        return recorded.report

    report = train(encoder(torch.randn(5, 3)), head, both)
    assert report.ok, report.verdict


def test_a_gradient_that_is_read_in_the_block_and_was_not_kept_is_a_fault() -> None:
    net, optimizer, x, y = a_classifier()
    with recording(optimizer=optimizer) as recorded:
        logits = net(x)
        cross_entropy(logits, y).backward()
        with pytest.warns(UserWarning, match="non-leaf"):
            assert logits.grad is None
    assert kinds(recorded.report) == ["non_leaf"]


def test_a_gradient_that_is_read_after_the_block_and_was_not_kept_is_a_fault() -> None:
    net, optimizer, x, y = a_classifier()
    with recording(optimizer=optimizer) as recorded:
        logits = net(x)
        cross_entropy(logits, y).backward()
    with pytest.warns(UserWarning, match="non-leaf"):
        assert logits.grad is None
    assert kinds(recorded.report) == ["non_leaf"]
    assert recorded.report.findings[0].names == ("logits",)
    assert recorded.report.findings[0].location is not None
    assert recorded.report.findings[0].location.text == "logits = net(x)"


def test_a_gradient_that_is_kept_may_be_read() -> None:
    net, optimizer, x, y = a_classifier()
    with recording(optimizer=optimizer) as recorded:
        logits = net(x)
        logits.retain_grad()
        cross_entropy(logits, y).backward()
    assert logits.grad is not None
    assert recorded.report.ok, recorded.report.verdict


def test_a_weight_that_was_made_no_leaf_before_the_block_is_a_fault() -> None:
    weight = torch.randn(3, 1, requires_grad=True) * 0.1
    x = torch.randn(4, 3)
    with recording() as recorded:
        (x @ weight).pow(2).mean().backward()
    assert "non_leaf" in kinds(recorded.report)


def test_an_attribute_that_a_step_sets_is_no_fault() -> None:
    net, optimizer, x, y = a_classifier()

    class Loop:
        def __init__(self) -> None:
            self.net, self.optimizer = net, optimizer

        def step(self) -> Tensor:
            self.logits = self.net(x)
            return cross_entropy(self.logits, y)

    report = record_step(Loop().step)
    assert report.ok, report.verdict


def test_a_files_own_variable_that_waits_for_a_gradient_is_still_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "waits.py"
    path.write_text(
        "import torch\nnet = torch.nn.Linear(3, 1)\nseen = None\n\ndef step():\n    global seen\n"
        "    seen = net(torch.ones(2, 3))\n    return seen.pow(2).sum()\n"
    )
    assert kinds(record_file(str(path))) == ["non_leaf"]
