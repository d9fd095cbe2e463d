"""What a step leaves in a `.grad`, and whether what came was used before it was cleared."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder.analysis.analysis import Analysis
from tests.engine.recorder.analysed import analysis_of, code_at, loss_of

Told = tuple[str, str, str]
Step = Callable[[], object]


def told(analysis: Analysis) -> Told:
    """The weight's state, and the line that cleared what had come: before it was used, or after."""
    name = "net.weight"
    wiped, spent = analysis.wiped, analysis.spent
    return (
        analysis.states[name],
        code_at(analysis, wiped[name]) if name in wiped else "",
        code_at(analysis, spent[name]) if name in spent else "",
    )


class Steps:
    """Steps of one layer, each of its own order of pass, use and clearing."""

    def __init__(self) -> None:
        self.net, self.x = nn.Linear(3, 1), torch.ones(5, 3)
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
        self.kept: list[Tensor | None] = []

    def backward(self) -> None:
        loss_of(self.net(self.x)).backward()

    def never_cleared(self) -> None:
        self.backward()

    def cleared_first(self) -> None:
        self.net.zero_grad()
        self.backward()

    def cleared(self) -> None:
        self.backward()
        self.net.zero_grad()

    def cleared_to_zeros_twice(self) -> None:
        self.backward()
        self.net.zero_grad(set_to_none=False)
        self.net.zero_grad(set_to_none=False)

    def set_to_none_twice(self) -> None:
        self.backward()
        self.net.weight.grad = None
        self.net.zero_grad()

    def stepped_and_cleared(self) -> None:
        self.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def cleared_before_the_step(self) -> None:
        self.backward()
        self.net.zero_grad()
        self.optimizer.step()

    def stepped_before_the_pass(self) -> None:
        self.optimizer.step()
        self.backward()
        self.net.zero_grad()

    def read_and_cleared(self) -> None:
        self.backward()
        self.kept.append(self.gradient().norm())
        self.net.zero_grad()

    def printed_and_cleared(self) -> None:
        self.backward()
        self.gradient().sum().item()
        self.net.zero_grad()

    def gathered_and_cleared(self) -> None:
        self.backward()
        self.kept.append(self.net.weight.grad)
        self.net.zero_grad()

    def looked_at_and_cleared(self) -> None:
        self.backward()
        assert self.net.weight.grad is not None
        self.net.zero_grad()

    def scaled_to_zeros(self) -> None:
        self.backward()
        self.gradient().mul_(0)

    def filled_with_zeros(self) -> None:
        self.backward()
        self.gradient().zero_()

    def cleared_and_cancelled(self) -> None:
        self.net.zero_grad(set_to_none=False)
        self.net(self.x).mean().backward()
        (-self.net(self.x).mean()).backward()

    def brought_zeros(self) -> None:
        self.net(0 * self.x).mean().backward()

    def used_zeros(self) -> None:
        self.brought_zeros()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def unused(self) -> None:
        self.net.zero_grad()

    def gradient(self) -> Tensor:
        assert self.net.weight.grad is not None
        return self.net.weight.grad


CLEARED = "self.net.zero_grad()"
TO_ZEROS = "self.net.zero_grad(set_to_none=False)"
EACH: list[tuple[Callable[[Steps], None], Told]] = [
    (Steps.never_cleared, ("gradient", "", "")),
    (Steps.cleared_first, ("gradient", "", "")),
    (Steps.cleared, ("none", CLEARED, "")),
    (Steps.cleared_to_zeros_twice, ("zero", TO_ZEROS, "")),
    (Steps.set_to_none_twice, ("none", "self.net.weight.grad = None", "")),
    (Steps.stepped_and_cleared, ("gradient", "", "self.optimizer.zero_grad()")),
    (Steps.cleared_before_the_step, ("none", CLEARED, "")),
    (Steps.stepped_before_the_pass, ("none", CLEARED, "")),
    (Steps.read_and_cleared, ("gradient", "", CLEARED)),
    (Steps.printed_and_cleared, ("gradient", "", CLEARED)),
    (Steps.looked_at_and_cleared, ("none", CLEARED, "")),
    (Steps.scaled_to_zeros, ("zero", "", "")),
    (Steps.filled_with_zeros, ("zero", "self.gradient().zero_()", "")),
    (Steps.cleared_and_cancelled, ("zero", "", "")),
    (Steps.brought_zeros, ("zero", "", "")),
    (Steps.used_zeros, ("zero", "", "")),
    (Steps.unused, ("none", "", "")),
]


@pytest.mark.parametrize(("step", "wanted"), EACH, ids=[step.__name__ for step, _ in EACH])
@pytest.mark.parametrize("before", [False, True], ids=["fresh", "with an old gradient"])
def test_each_order(step: Callable[[Steps], None], wanted: Told, before: bool) -> None:
    steps = Steps()
    if before:
        steps.backward()
    analysis = analysis_of(lambda: step(steps), {"net": steps.net, "optimizer": steps.optimizer})
    assert told(analysis) == wanted


def test_a_gradient_that_is_kept_elsewhere_was_used() -> None:
    steps = Steps()
    analysis = analysis_of(steps.gathered_and_cleared, {"net": steps.net})
    assert told(analysis) == ("gradient", "", CLEARED)


def test_an_old_gradient_that_nothing_touched_is_none_of_this_step() -> None:
    steps = Steps()
    steps.backward()
    assert told(analysis_of(lambda: None, {"net": steps.net})) == ("none", "", "")


def test_a_hook_that_takes_the_gradient_away_has_used_it() -> None:
    steps = Steps()
    steps.net.weight.register_post_accumulate_grad_hook(lambda weight: setattr(weight, "grad", None))
    analysis = analysis_of(lambda: loss_of(steps.net(steps.x)), {"net": steps.net})
    assert told(analysis) == ("gradient", "", "")
    assert analysis.states["net.bias"] == "gradient"
