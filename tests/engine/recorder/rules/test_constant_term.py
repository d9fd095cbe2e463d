"""A constant among the terms of a loss: a surrogate on purpose, or a term that moves nothing."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step


def with_term(term: Callable[[Tensor], Tensor]) -> StepRecord:
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)

    def step() -> Tensor:
        hidden = net(x)
        loss: Tensor = head(hidden).pow(2).mean() + term(hidden.exp().mean())
        return loss

    return record_step(step, names={"net": net, "head": head})


@pytest.mark.parametrize(
    "term",
    [
        lambda score: score - score.detach(),
        lambda score: score - score.detach().clone(),
        lambda score: score - score.detach().double().float(),
        lambda score: (score - 1) - (score - 1).detach(),
    ],
    ids=["detach", "clone", "cast", "computed twice"],
)
def test_a_surrogate_is_meant(term: Callable[[Tensor], Tensor]) -> None:
    report = with_term(term)
    assert report.ok, report.verdict


@pytest.mark.parametrize(
    "term",
    [
        lambda score: score.detach(),
        lambda score: 2 + score.detach().clone(),
        lambda score: (score.detach() * torch.ones(())).exp(),
    ],
    ids=["detach", "clone", "computed with"],
)
def test_a_term_that_moves_nothing_is_told(term: Callable[[Tensor], Tensor]) -> None:
    report = with_term(term)
    (finding,) = report.findings
    assert (finding.rule, finding.kind) == ("constant_term", "detach")
    assert finding.names == ("net.weight", "net.bias")
