"""The line that a refused backward pass is put down to, where several changed something."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_step
from engine.recorder.record import Finding


def found_in(refused: Callable[[Tensor, list[Tensor]], object], before: bool) -> Finding:
    """What is found where an optimizer steps between the loss and the pass that refuses."""
    net, head, x = nn.Linear(3, 2), nn.Linear(2, 1), torch.ones(5, 3)
    parameters: list[Tensor] = [*net.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, 0.1)

    def step() -> None:
        loss = head(net(x).tanh()).pow(2).mean()
        if before:
            loss.backward(retain_graph=True)
        for parameter in parameters:
            parameter.grad = torch.ones_like(parameter)
        optimizer.step()
        refused(loss, parameters)

    (finding,) = record_step(step, names={"net": net, "head": head, "optimizer": optimizer}).findings
    return finding


@pytest.mark.parametrize("refused", [lambda loss, _: loss.backward(), torch.autograd.grad])
@pytest.mark.parametrize("before", [True, False])
def test_an_optimizer_that_stepped_before_the_pass_is_to_blame(
    refused: Callable[[Tensor, list[Tensor]], object], before: bool
) -> None:
    finding = found_in(refused, before)
    assert finding.kind == "inplace"
    assert finding.location is not None
    assert finding.location.text.strip() == "optimizer.step()"
    assert finding.suggestion.startswith("Call `backward()` before `step()`")


def test_the_last_change_of_what_the_graph_uses_is_named() -> None:
    net, x, other = nn.Linear(3, 2), torch.ones(5, 3), torch.ones(2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> Tensor:
        hidden = net(x).sigmoid()
        loss: Tensor = hidden.pow(2).mean()
        optimizer.step()
        hidden.add_(1)
        other.add_(1)
        return loss

    (finding,) = record_step(step, names={"net": net, "other": other, "optimizer": optimizer}).findings
    assert finding.location is not None
    assert finding.location.text.strip() == "hidden.add_(1)"
    assert finding.suggestion.startswith("Use the out-of-place form")
