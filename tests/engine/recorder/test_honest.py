"""No clean bill of health where nothing could be seen, and notes on what stands still for another reason."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from engine import record
from engine.recorder import recording
from engine.recorder.render.words import standing
from engine.testing import assert_gradients_flow

Step = Callable[[], Tensor]


def a_step(rate: float = 0.1, stepping: bool = True) -> tuple[nn.Linear, torch.optim.SGD, Step]:
    net, x, y = nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
    optimizer = torch.optim.SGD(net.parameters(), rate)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = mse_loss(net(x), y)
        loss.backward()
        if stepping:
            optimizer.step()
        return loss

    return net, optimizer, step


def test_a_block_without_backward_is_not_called_right() -> None:
    net, x = nn.Linear(3, 1), torch.randn(8, 3)
    with recording() as recorded:
        net(x).sum()
    report = recorded.report
    assert not report.ok
    assert "No `backward()` ran" in report.verdict
    assert [f.suggestion for f in report.findings] == [
        "Include the call of `backward()` in what is recorded."
    ]
    assert all("No `backward()` ran" in p.reason for p in report.parameters)


def test_a_step_without_parameters_is_not_called_right() -> None:
    def step() -> Tensor:
        loss = torch.ones(3, requires_grad=True).sum()
        loss.backward()
        return loss

    report = record(step)
    assert not report.ok
    assert not report.ran
    assert "No parameter was found" in report.verdict
    with pytest.raises(AssertionError, match="No parameter was found"):
        assert_gradients_flow(step)


def test_the_assertion_fails_on_a_layer_that_no_optimizer_holds() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(3, 3)]
            self.head = nn.Linear(3, 1)

        def forward(self, x: Tensor) -> Tensor:
            out: Tensor = self.head(self.layers[0](x))
            return out

    net, x = Net(), torch.randn(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with pytest.raises(AssertionError, match="not registered"):
        assert_gradients_flow(lambda: net(x).sum(), optimizer=optimizer, names={"net": net})


def test_notes_say_what_stands_still_though_its_gradient_comes() -> None:
    _, optimizer, step = a_step(stepping=False)
    never = record(step, optimizer=optimizer)
    assert never.ok
    assert never.notes == ("No optimizer's `step()` was called, so this step updates nothing.",)
    assert never.notes[0] in never.verdict
    _, optimizer, step = a_step(rate=0.0)
    assert "learning rate of `optimizer` is 0" in record(step, optimizer=optimizer).verdict
    net, optimizer, step = a_step()
    net.bias.requires_grad_(False)
    assert record(step, optimizer=optimizer).notes == ("`optimizer` holds `net.bias`, which is frozen.",)
    _, optimizer, step = a_step()
    assert record(step, optimizer=optimizer).verdict.startswith("Nothing is wrong here")


def test_the_verdict_claims_less_where_one_of_several_paths_is_cut() -> None:
    """A quantiser without its straight-through line: the commitment alone moves the encoder, and who knows if that is meant."""
    encoder, decoder = nn.Linear(3, 2), nn.Linear(2, 3)
    book = nn.Embedding(8, 2)
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters(), *book.parameters()], 0.1)
    x = torch.randn(8, 3)

    def step() -> Tensor:
        code = encoder(x)
        near = book(torch.cdist(code, book.weight).argmin(-1))
        return mse_loss(decoder(near), x) + mse_loss(code, near.detach()) + mse_loss(near, code.detach())

    report = record(step, optimizer=optimizer)
    assert report.ok
    assert report.verdict.startswith(
        "Nothing is known to be wrong here: every parameter that should learn gets a gradient."
    )
    assert "(2 of them on only one of a parameter's paths)" in report.verdict


def test_what_no_optimizer_holds_and_nothing_uses_is_not_called_starved() -> None:
    net, average, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> Tensor:
        loss: Tensor = net(x).pow(2).mean()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), net.parameters(), strict=True):
                slow.lerp_(fast, 0.1)
        return loss

    names = {"net": net, "average": average, "optimizer": optimizer}
    told = {p.name: p for p in record(step, names=names).parameters}
    assert standing(told["average.weight"]) == "meant"
    assert told["average.weight"].reason == "No optimizer holds it, so it is not expected to learn."
    assert standing(told["net.weight"]) == "gradient"
    del names["optimizer"]  # now nobody knows who is to be trained
    told = {p.name: p for p in record(step, names=names).parameters}
    assert standing(told["average.weight"]) == "none"


def test_what_no_optimizer_holds_and_a_finding_names_is_called_starved() -> None:
    net, extra, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
    optimizer = torch.optim.SGD([*net.parameters(), extra.bias], 0.1)
    names = {"net": net, "extra": extra, "optimizer": optimizer}
    report = record(lambda: net(x).pow(2).mean(), names=names)
    accused = {name for finding in report.findings for name in finding.names}
    assert "extra.bias" in accused
    assert {p.name for p in report.parameters if standing(p) == "none"} == accused


def test_a_warm_up_that_begins_at_zero_is_no_note() -> None:
    net, x = nn.Linear(3, 1), torch.randn(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda turn: turn / 10)

    def step() -> None:
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        schedule.step()

    assert record(step).notes == ()


def test_a_tensor_under_two_names_is_told_once() -> None:
    emb, out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    out.weight = emb.weight
    index = torch.tensor([1, 2, 3])
    report = record(lambda: out(emb(index)).sum(), names={"emb": emb, "out": out})
    assert [p.reason for p in report.parameters][1] == "The same tensor as `emb.weight`."


@pytest.mark.parametrize(
    "value", [lambda loss: loss.item(), lambda loss: (loss, 1), lambda loss: {"loss": loss}]
)
def test_a_step_that_sent_its_loss_back_may_return_anything(value: Callable[[Tensor], object]) -> None:
    _, optimizer, step = a_step()

    def logged() -> object:
        return value(step())

    assert record(logged, optimizer=optimizer).ok
