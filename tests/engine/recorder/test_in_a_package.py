"""What an installed package does by its authors' design is no fault of the reader's; the same in the reader's code is."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step
from tests.engine.recorder.packages import imported, installed

DECODER = """
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend, self.out = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, x):
        queries = torch.zeros(x.shape)
        return self.out(self.attend(queries) + x)
"""
ATTENTION = """
import torch
from torch import nn


class Joint(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(3, 4), nn.Linear(3, 4)

    def forward(self, x):
        both = torch.cat([self.image(x), self.text(x)])
        return nn.functional.normalize(both, dim=-1)[: len(x)].cumsum(-1)
"""
QUANTISER = """
import torch
from torch import nn


class Quantiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.codes = nn.Linear(3, 2), nn.Embedding(4, 2)

    def forward(self, x):
        z = self.encoder(x)
        code = self.codes(torch.cdist(z, self.codes.weight).argmin(1))
        return 0.25 * (z.detach() - code).pow(2) + (z - code.detach()).pow(2)
"""
MOVING_CODES = """
import torch
from torch import nn


class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 2)
        self.register_buffer("codes", torch.rand(4, 2))

    def forward(self, x):
        score = self.encoder(x) @ self.codes.T
        self.codes.data.lerp_(torch.ones(4, 2), 0.1)
        return score
"""
DESIGNS = {
    "first_queries_of_zeros": ("Decoder", DECODER, "zero_op"),
    "half_of_an_attention": ("Joint", ATTENTION, "zero_op"),
    "weights_of_a_quantiser": ("Quantiser", QUANTISER, "detach"),
    "codes_that_move": ("Codes", MOVING_CODES, "data"),
}


def report_on(module: nn.Module) -> StepRecord:
    x, optimizer = torch.randn(8, 3), torch.optim.SGD(module.parameters(), 0.1)

    def step() -> Tensor:
        loss: Tensor = module(x).pow(2).mean()
        return loss

    return record_step(step, optimizer=optimizer)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("load", "blamed"), [(installed, False), (imported, True)])
def test_a_design_is_blamed_in_the_readers_code_alone(
    design: str,
    load: Callable[..., object],
    blamed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch.manual_seed(0)
    name, text, kind = DESIGNS[design]
    report = report_on(getattr(load(design, text, tmp_path, monkeypatch), name)())
    assert [finding.kind for finding in report.findings] == [kind] * blamed, report.verdict
    assert report.ok is not blamed


def test_the_readers_cut_comes_before_a_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    def copied(target, source):
        target.data.copy_(source.data)
    """
    package = installed("copies", text, tmp_path, monkeypatch)
    net, target, head, x = nn.Linear(3, 4), nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

    def step() -> Tensor:
        for mine, theirs in zip(target.parameters(), net.parameters(), strict=True):
            package.copied(mine, theirs)
        hidden = net(x).detach()
        loss: Tensor = (head(hidden) - head(target(x))).pow(2).mean()
        return loss

    first = record_step(step, optimizer=optimizer).findings[0]
    assert first.kind == "detach"
    assert first.location is not None
    assert first.location.text == "hidden = net(x).detach()"
