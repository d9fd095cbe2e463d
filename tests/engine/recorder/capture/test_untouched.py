"""Recording changes nothing: the same bits of loss and gradient, and nothing left behind, also when a step raises."""

import copy
import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_step, recording

Made = tuple[nn.Module, Callable[[nn.Module], Tensor]]


def transformer() -> Made:
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    x = torch.randn(2, 7, 16)
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), lambda net: net(x).pow(2).mean()


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.norm(self.two(torch.relu(self.one(x)))))


def resnet() -> Made:
    x = torch.randn(2, 3, 12, 12)
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Residual(8), nn.MaxPool2d(2), Residual(8), head)
    y = torch.tensor([1, 3])
    return net, lambda net: nn.functional.cross_entropy(net(x), y)


def lstm() -> Made:
    x = torch.randn(3, 12, 4)

    def step(net: nn.Module) -> Tensor:
        state, total = None, torch.zeros(())
        for chunk in x.split(4, 1):
            out, state = net(chunk, state)
            state = tuple(s.detach() for s in state)
            total = total + out.pow(2).mean()
        return total

    return nn.LSTM(4, 6, 2, batch_first=True), step


@pytest.mark.parametrize("make", [transformer, resnet, lstm])
def test_loss_and_gradients_are_the_same_bits(make: Callable[[], Made]) -> None:
    torch.manual_seed(0)
    net, step = make()
    twin = copy.deepcopy(net)
    for _ in range(2):  # the second turn adds to gradients that are there
        loss = step(twin)
        loss.backward()
        record = record_step(lambda: step(net), names={"net": net})
        assert record.loss == loss.item()
    assert record.ok
    for mine, other in zip(net.parameters(), twin.parameters(), strict=True):
        assert mine.grad is not None
        assert other.grad is not None
        assert torch.equal(mine.grad, other.grad)
    for buffer, its_twin in zip(net.buffers(), twin.buffers(), strict=True):
        assert torch.equal(buffer, its_twin)


def attributes(net: nn.Module, tensors: list[Tensor]) -> list[object]:
    found: list[object] = []
    for module in net.modules():
        found.append({k: (id(v), len(v) if hasattr(v, "__len__") else 0) for k, v in vars(module).items()})
    for tensor in [*net.parameters(), *net.buffers(), *tensors]:
        found.append((sorted(vars(tensor)), tensor._backward_hooks, tensor._version, tensor.requires_grad))
    return found


@pytest.mark.parametrize("raises", [False, True])
def test_nothing_is_left_behind(raises: bool) -> None:
    torch.manual_seed(0)
    net, step = resnet()
    net.eval()
    x = torch.randn(2, requires_grad=True)
    before = attributes(net, [x])
    state = torch.get_rng_state()

    def run() -> Tensor:
        loss = step(net) + x.sum()
        if raises:
            raise ValueError("stop")
        return loss

    record = record_step(run, names={"net": net, "x": x})
    assert (record.raised is not None) == raises
    assert attributes(net, [x]) == before
    assert torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.overrides._get_current_function_mode() is None
    assert not torch.nn.modules.module._global_forward_hooks
    assert not torch.nn.modules.module._global_forward_pre_hooks


def test_a_raising_block_is_left_clean() -> None:
    net = nn.Linear(2, 1)
    recorder = recording(names={"net": net})
    with pytest.raises(RuntimeError, match="does not require grad"), recorder:
        net(torch.ones(1, 2)).detach().sum().backward()
    assert torch.overrides._get_current_function_mode() is None
    assert recorder.report.raised is not None
    assert recorder.report.raised.stage == "backward"
    assert recorder.report.findings[0].kind == "detach"


def test_what_is_kept_is_read_only_and_bounded() -> None:
    net, x = nn.Linear(64, 64), torch.randn(32, 64)
    record = record_step(lambda: net(x).relu().sum(), names={"net": net, "x": x}, keep=100)
    assert [s.output.values is None for s in record.stages] == [True, True, True, False]
    assert record.stages[2].output.minimum == 0.0
    assert record.stages[2].gradient_state == "value"
    small = record_step(lambda: net(x).sum(), names={"net": net, "x": x}, keep=10_000)
    values = small.stages[1].output.values
    assert values is not None
    assert values.shape == (32, 64)
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 1


def test_no_tensor_outlives_the_recording() -> None:
    import gc
    import weakref

    net, x = nn.Linear(4, 4), torch.randn(3, 4)
    alive: list[weakref.ref[Tensor]] = []

    def step() -> Tensor:
        hidden = net(x).tanh()
        alive.append(weakref.ref(hidden))
        loss: Tensor = hidden.sum()
        return loss

    record = record_step(step, names={"net": net, "x": x})
    gc.collect()
    assert record.ok
    assert alive[0]() is None


def test_threads_record_side_by_side() -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        generator = torch.Generator().manual_seed(number)
        x = torch.randn(4, 3, generator=generator)
        net = nn.Linear(3, 2)
        for _ in range(20):
            record = record_step(lambda: net(x).pow(2).mean(), names={"net": net, "x": x})
            names = [s.operation for s in record.stages]
            if not record.ok or names != ["input", "linear", "pow", "mean"]:
                wrong.append(str(record))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
