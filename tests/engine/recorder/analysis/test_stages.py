"""The stages that a reader is shown: what the step started from, and its calls in order."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from engine.recorder import record_step
from engine.recorder.analysis.stages import build_stages
from engine.recorder.record import Stage
from tests.engine.recorder.analysed import analysis_of, loss_of


def stages_of(step: Any, **names: object) -> tuple[Stage, ...]:
    return build_stages(analysis_of(step, names))[0]


def operations(stages: tuple[Stage, ...]) -> list[str]:
    return [stage.operation for stage in stages]


def test_data_comes_first_and_each_stage_knows_where_its_inputs_were_made() -> None:
    net, x, y = nn.Linear(3, 2), torch.ones(5, 3), torch.ones(5, 2)

    def step() -> object:
        hidden = net(x)
        error = hidden - y
        return error.pow(2).mean()

    stages = stages_of(step, net=net, x=x, y=y)
    assert [stage.index for stage in stages] == list(range(len(stages)))
    assert operations(stages) == ["input", "input", "linear", "sub", "pow", "mean"]
    assert [stage.output.name for stage in stages[:4]] == ["x", "y", "hidden", "error"]
    assert [stage.inputs for stage in stages] == [(), (), (0,), (2, 1), (3,), (4,)]
    assert stages[2].parameters == ("net.bias", "net.weight")
    assert [stage.module for stage in stages] == ["", "", "net", "", "", ""]
    assert [stage.location is None for stage in stages] == [True, True, False, False, False, False]


def test_the_variables_name_is_that_of_the_last_call_on_its_line() -> None:
    net, x = nn.Linear(3, 2), torch.ones(5, 3)

    def step() -> object:
        hidden = net(x).tanh()
        return hidden.sum()

    stages = stages_of(step, net=net, x=x)
    assert [(stage.operation, stage.output.name) for stage in stages[1:3]] == [
        ("linear", ""),
        ("tanh", "hidden"),
    ]


def test_a_stage_says_with_whom_it_shares_its_memory() -> None:
    net, x = nn.Linear(3, 2), torch.ones(5, 3)

    def step() -> object:
        hidden = net(x)
        flat = hidden.detach().reshape(-1)
        return loss_of(hidden) + flat.sum() + x.view(-1).sum()

    stages = stages_of(step, net=net, x=x)
    linear = next(stage for stage in stages if stage.operation == "linear")
    shared = {s.operation: s.shares_storage_with for s in stages if s.shares_storage_with is not None}
    assert shared == {"detach": linear.index, "reshape": linear.index, "view": 0}


def test_gradients_stand_at_their_stages_and_at_the_leaves() -> None:
    net, x, frozen = nn.Linear(3, 2), torch.ones(5, 3, requires_grad=True), torch.ones(5, 3)

    def step() -> object:
        return (net(x) + net(frozen).detach()).sum()

    stages = stages_of(step, net=net, x=x, frozen=frozen)
    state = {
        (s.operation, s.output.name): s.gradient_state
        for s in stages
        if s.operation in ("input", "detach", "sum")
    }
    assert state == {
        ("input", "x"): "value", ("input", "frozen"): "none", ("detach", ""): "none", ("sum", ""): "value",
    }  # fmt: skip
    by_name = {stage.output.name: stage for stage in stages}
    gradient = by_name["x"].gradient
    assert gradient is not None
    assert x.grad is not None
    assert np.array_equal(gradient, x.grad.numpy())


def test_a_custom_function_is_one_stage_with_its_name() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, values: Tensor) -> Tensor:
            return (values + values).clone()

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Tensor:
            return 2 * gradient

    x = torch.ones(5, 3, requires_grad=True)
    stages = stages_of(lambda: Twice.apply(x).sum(), x=x)  # type: ignore[no-untyped-call]
    assert operations(stages) == ["input", "Twice", "sum"]
    assert stages[1].inputs == (0,)
    assert stages[2].inputs == (1,)
    assert float(np.asarray(stages[1].output.values).max()) == 2.0


def test_what_is_no_tensor_of_the_step_is_no_stage() -> None:
    net, norm, x = nn.Linear(3, 2), nn.BatchNorm1d(2), torch.randn(5, 3)
    optimizer = torch.optim.SGD([*net.parameters(), *norm.parameters()], 0.1)

    def step() -> None:
        optimizer.zero_grad()
        loss = loss_of(norm(net(x)))
        print(loss.item())
        loss.backward()
        optimizer.step()

    stages = stages_of(step, net=net, norm=norm, x=x, optimizer=optimizer)
    given = [stage.output.name for stage in stages if stage.operation == "input"]
    assert given == ["x", "norm.num_batches_tracked", "norm.running_mean", "norm.running_var"]
    assert operations(stages)[len(given) :] == ["linear", "batch_norm", "pow", "mean"]


def test_further_outputs_are_kept_with_their_stage() -> None:
    net, x = nn.Linear(3, 2), torch.ones(5, 3)
    stages = stages_of(lambda: net(x).max(1).values.sum(), net=net, x=x)
    (most,) = [stage for stage in stages if stage.operation == "max"]
    assert [(more.dtype, more.shape) for more in most.more_outputs] == [("int64", (5,))]
    both = stages_of(lambda: sum(part.sum() for part in net(x).max(1)), net=net, x=x)
    assert [s.inputs for s in both if s.operation == "sum"] == [(2,), (2,)]
    assert [stage.more_outputs for stage in stages if stage is not most] == [()] * (len(stages) - 1)


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
@pytest.mark.parametrize("wanted", [False, True])
def test_a_checkpoint_has_one_name_and_the_module_around_it_whether_a_gradient_comes_or_not(
    wanted: bool,
) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
    head, inputs = nn.Linear(2, 1), torch.ones(3, 2, requires_grad=wanted)
    found = record_step(
        lambda: head(checkpoint(net, inputs, use_reentrant=True)).sum(), names={"net": net, "head": head}
    )
    (one,) = (stage for stage in found.stages if stage.operation == "CheckpointFunction")
    assert one.module == "net"
    assert (one.gradient_state == "value") == wanted
