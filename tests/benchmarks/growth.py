"""How the cost of a recorded step grows with the step: residual blocks of width 16, with and without faults in them.

    python -m tests.benchmarks.growth

A step clears its gradients, goes forward and back, and lets its optimizer move what it holds. Recorded and plain steps
take turns, and the least times of the processor on one thread are compared. The table shows how the ratio of the two
changes from the smallest step to the largest: whoever can record a small model can record a large one.

tests/engine/recorder/test_growing_cost.py holds the same steps to it without a clock.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim import SGD
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.recorder import record_step
from tests.benchmarks.table import Row, Target, compared, table

WIDTH = 16
SIZES = (200, 800, 3_200)
CALLS = 2_000
ALLOWED = 1.2
"""How much larger the ratio of recorded to plain may be than that of the smallest step."""


@dataclass(frozen=True)
class Step:
    """One step of training, and all that the recorder is told about it."""

    run: Callable[[], object]
    names: Mapping[str, object]
    calls: int = 1
    forget: Callable[[], object] = lambda: None
    """Takes away what earlier calls left behind."""

    def plain(self) -> None:
        """The step alone."""
        self.forget()
        for _ in range(self.calls):
            try:
                self.run()
            except ValueError:
                return

    def recorded(self) -> None:
        """The step under the recorder, with the whole diagnosis."""
        self.forget()
        record_step(self.run, names=self.names, calls=self.calls)


class Block(nn.Module):
    """Four parameters and four calls."""

    norm: nn.BatchNorm1d
    gate: Tensor
    last: Tensor | None

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, self.second(torch.relu(self.first(x))))


class Net(nn.Module):
    """So many blocks, one after the other; `between` is what happens between two of them, by number."""

    def __init__(self, parameters: int, between: Callable[[Tensor, int, int], Tensor] | None = None) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(parameters // 4))
        with torch.no_grad():
            for block in self.each():  # otherwise the values double from block to block
                for parameter in block.parameters():
                    parameter.mul_(0.1)
        self.between = between

    def each(self) -> list[Block]:
        """The blocks, in order."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def forward(self, x: Tensor) -> Tensor:
        for number, block in enumerate(self.each()):
            if self.between is not None:
                x = self.between(x, number, len(self.blocks))
            x = block(x)
        return x


def training(
    net: nn.Module,
    *,
    held: Callable[[str], bool] = lambda name: True,
    before_backward: Callable[[Tensor], object] = lambda loss: None,
    before_step: Callable[[], object] = lambda: None,
    after_step: Callable[[], object] = lambda: None,
    more: Mapping[str, object] | None = None,
    calls: int = 1,
    forget: Callable[[], object] = lambda: None,
) -> Step:
    """A step of a network whose optimizer holds those of its parameters that are asked for by name."""
    x, y = torch.randn(8, WIDTH), torch.randn(8, WIDTH)
    optimizer = SGD([p for name, p in net.named_parameters() if held(name)], lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        before_backward(loss)
        loss.backward()
        before_step()
        optimizer.step()
        after_step()

    return Step(step, {"net": net, "optimizer": optimizer, "x": x, "y": y, **(more or {})}, calls, forget)


def fine(parameters: int) -> Step:
    """Nothing is wrong."""
    return training(Net(parameters))


def a_cut(parameters: int) -> Step:
    """A detach half-way starves the first half."""
    return training(Net(parameters, lambda x, number, of: x.detach() if number == of // 2 else x))


def cuts(parameters: int) -> Step:
    """Every block takes part of its input detached, so that each loses a path and nobody starves."""
    return training(Net(parameters, lambda x, number, of: 0.5 * x + 0.5 * x.detach()))


def cut_branches(parameters: int) -> Step:
    """Every block but the first gets nothing: what its layers give is detached before it is added."""
    net = Net(parameters)
    for block in net.each()[1:]:
        block.second.register_forward_hook(lambda module, given, made: made.detach())
    return training(net)


def zeros(parameters: int) -> Step:
    """A rounding after seven eighths of the blocks sends zeros to all before it."""
    return training(Net(parameters, lambda x, number, of: x.round() if number == of * 7 // 8 else x))


def underflow(parameters: int) -> Step:
    """A deep network without residual paths: in the small weights of its last layers the gradient becomes zero."""
    net = nn.Sequential(
        *(one for _ in range(parameters // 2) for one in (nn.Linear(WIDTH, WIDTH), nn.ReLU()))
    )
    with torch.no_grad():
        for layer in list(net)[len(net) * 7 // 8 :]:
            for parameter in layer.parameters():
                parameter.mul_(1e-12 if parameter.dim() > 1 else 1.0)
    return training(net)


def zero_init(parameters: int) -> Step:
    """The second layer of every block starts at zero, so that the first gets zeros in the first step."""
    net = Net(parameters)

    def forget() -> None:
        for block in net.each():
            nn.init.zeros_(block.second.weight)

    return training(net, forget=forget)


def dead(parameters: int) -> Step:
    """The unit of every second block is off."""
    net = Net(parameters)
    for block in net.each()[::2]:
        nn.init.constant_(block.first.bias, -100.0)
    return training(net)


def hinges(parameters: int) -> Step:
    """A loss of many margins, each with a parameter of its own, all of which are kept."""
    scores = nn.ParameterList(nn.Parameter(torch.ones(WIDTH)) for _ in range(parameters))
    free = nn.Parameter(torch.ones(WIDTH))
    optimizer = SGD([*scores, free], lr=1e-3)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = free.mean()
        for score in scores:
            loss = loss + torch.relu(0.1 - score).mean()
        loss.backward()
        optimizer.step()
        return loss

    return Step(step, {"scores": scores, "free": free, "optimizer": optimizer})


def frozen(parameters: int) -> Step:
    """One layer of every block is frozen, and the optimizer holds it all the same."""
    net = Net(parameters)
    for block in net.each():
        block.second.requires_grad_(False)
    return training(net)


def normalised(parameters: int) -> Step:
    """Every block has a batch normalisation, and half of these are frozen and move their statistics all the same."""
    net = Net(parameters)
    for number, block in enumerate(net.each()):
        block.norm = nn.BatchNorm1d(WIDTH)
        block.register_forward_pre_hook(lambda module, given: (module.norm(given[0]),))
        block.norm.requires_grad_(number % 2 == 0)
    return training(net)


def frozen_late(parameters: int) -> Step:
    """The step freezes half of its parameters between forward and backward."""
    net = Net(parameters)

    def switch(on: bool) -> None:
        for block in net.each():
            block.second.requires_grad_(on)

    return training(net, before_backward=lambda loss: switch(False), forget=lambda: switch(True))


def left_out(parameters: int) -> Step:
    """The optimizer has been given no bias."""
    return training(Net(parameters), held=lambda name: name.endswith("second.weight") or "first" in name)


def lost(parameters: int) -> Step:
    """Every block keeps what was computed from a parameter that nobody holds."""
    net = Net(parameters)
    for block in net.each():
        block.gate = nn.Parameter(torch.ones(WIDTH)).unsqueeze(0)
        block.register_forward_pre_hook(lambda module, given: (given[0] * module.gate,))
    return training(net)


def cleared(parameters: int) -> Step:
    """The gradients are cleared before the optimizer uses them."""
    net = Net(parameters)
    return training(net, before_step=net.zero_grad)


def read_and_cleared(parameters: int) -> Step:
    """Every gradient is read for its norm, used by the optimizer, and cleared afterwards."""
    net = Net(parameters)
    norms: list[Tensor] = []

    def read() -> None:
        norms[:] = [p.grad.norm() for p in net.parameters() if p.grad is not None]

    return training(net, before_step=read, after_step=lambda: net.zero_grad(set_to_none=False))


def clipped(parameters: int) -> Step:
    """Weights are clamped after the optimizer's step, as in the first Wasserstein GAN."""
    net = Net(parameters)

    def clamp() -> None:
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.clamp_(-1, 1)

    return training(net, after_step=clamp)


def edited(parameters: int) -> Step:
    """Weights are edited through `.data` after the forward pass, and the backward pass reads the new numbers."""
    net = Net(parameters)

    def edit(loss: object) -> None:
        for parameter in net.parameters():
            parameter.data.mul_(0.999)

    return training(net, before_backward=edit)


def by_hand(parameters: int) -> Step:
    """No optimizer: every parameter is moved by its own gradient, which is cleared then."""
    net, x = Net(parameters), torch.randn(8, WIDTH)

    def step() -> None:
        net(x).pow(2).mean().backward()
        with torch.no_grad():
            for parameter in net.parameters():
                if parameter.grad is not None:
                    parameter.sub_(1e-3 * parameter.grad)
                    parameter.grad.zero_()

    return Step(step, {"net": net, "x": x})


def taken(parameters: int) -> Step:
    """The gradients are taken by `autograd.grad` and the parameters moved by them."""
    net, x = Net(parameters), torch.randn(8, WIDTH)

    def step() -> None:
        every = list(net.parameters())
        gradients = torch.autograd.grad(net(x).pow(2).mean(), every)
        with torch.no_grad():
            for parameter, gradient in zip(every, gradients, strict=True):
                parameter.sub_(1e-3 * gradient)

    return Step(step, {"net": net, "x": x})


def logged(parameters: int) -> Step:
    """After every block a number leaves torch for a log, and another comes back as a plain number."""
    log: list[float] = []

    def between(x: Tensor, number: int, of: int) -> Tensor:
        log.append(x.mean().item())
        return x * (1.0 + 1e-6 * log[-1])

    return training(Net(parameters, between), forget=log.clear)


def growing(parameters: int) -> Step:
    """A list keeps every loss with its graph, over three calls."""
    kept: list[Tensor] = []
    return training(
        Net(parameters), before_backward=kept.append, more={"kept": kept}, calls=3, forget=kept.clear
    )


def activations(parameters: int) -> Step:
    """Every block keeps its last output with its graph, over three calls."""
    net = Net(parameters)
    for block in net.each():
        block.register_forward_hook(lambda module, given, made: setattr(module, "last", made))

    def forget() -> None:
        for block in net.each():
            block.last = None

    return training(net, calls=3, forget=forget)


def an_optimizer_each(parameters: int) -> Step:
    """Every layer has an optimizer of its own."""
    net, x = Net(parameters), torch.randn(8, WIDTH)
    optimizers = [
        SGD(one.parameters(), lr=1e-3) for block in net.each() for one in (block.first, block.second)
    ]

    def step() -> None:
        net.zero_grad()
        net(x).pow(2).mean().backward()
        for optimizer in optimizers:
            optimizer.step()

    named = {f"optimizer_{number}": one for number, one in enumerate(optimizers)}
    return Step(step, {"net": net, "x": x, **named})


def counted(parameters: int) -> Step:
    """One buffer is edited in place after every block."""
    mean = torch.zeros(WIDTH)

    def between(x: Tensor, number: int, of: int) -> Tensor:
        with torch.no_grad():
            mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x

    return training(Net(parameters, between), more={"mean": mean})


def constant_terms(parameters: int) -> Step:
    """After every block a term is added to the loss that is a constant."""
    terms: list[Tensor] = []

    def between(x: Tensor, number: int, of: int) -> Tensor:
        terms.append(x.detach().pow(2).mean())
        return x

    net, x = Net(parameters, between), torch.randn(8, WIDTH)
    optimizer = SGD(net.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        terms.clear()
        loss = net(x).pow(2).mean()
        for term in terms:
            loss = loss + 0.1 * term
        loss.backward()
        optimizer.step()

    return Step(step, {"net": net, "optimizer": optimizer, "x": x})


def own_functions(parameters: int) -> Step:
    """Every block goes through a custom Function that returns zeros on the way back to half of its input."""
    return training(Net(parameters, lambda x, number, of: Halved.apply(x)))  # type: ignore[no-untyped-call]


class Halved(torch.autograd.Function):
    """The identity, whose gradient is half of what comes."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 1.0

    @staticmethod
    def backward(ctx: object, gradient: Tensor) -> Tensor:
        return gradient / 2


class Anew(Block):
    """A block that is computed anew on the way back."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, checkpoint(self.inner, x, use_reentrant=False))

    def inner(self, x: Tensor) -> object:
        return self.second(torch.relu(self.first(x)))


def checkpointed(parameters: int) -> Step:
    """Every block is computed anew on the way back."""
    net = Net(parameters)
    net.blocks = nn.ModuleList(Anew() for _ in net.blocks)
    return training(net)


def not_used(parameters: int) -> Step:
    """A derivative is asked for by every parameter, and half of them have no part in it."""
    net, x = Net(parameters), torch.randn(8, WIDTH)
    net.idle = Net(parameters // 2).blocks

    def step() -> None:
        try:
            torch.autograd.grad(net(x).pow(2).mean(), list(net.parameters()))
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    return Step(step, {"net": net, "x": x})


def several_passes(parameters: int) -> Step:
    """Four losses are backpropagated one after the other, and the gradients add up."""
    net, x = Net(parameters), torch.randn(8, WIDTH)
    optimizer = SGD(net.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        for _ in range(4):
            net(x).pow(2).mean().backward()
        optimizer.step()

    return Step(step, {"net": net, "optimizer": optimizer, "x": x})


def raising(parameters: int) -> Step:
    """The step raises before its backward pass."""

    def fail(loss: object) -> None:
        raise ValueError("nothing comes back")

    return training(Net(parameters), before_backward=fail)


def not_finite(parameters: int) -> Step:
    """A root of zero half-way: the gradients below it are infinite or no numbers."""

    def between(x: Tensor, number: int, of: int) -> Tensor:
        return x + (x - x).sqrt() if number == of // 2 else x

    net = Net(parameters, between)
    start = [p.detach().clone() for p in net.parameters()]

    def forget() -> None:
        with torch.no_grad():
            for parameter, before in zip(net.parameters(), start, strict=True):
                parameter.copy_(before)

    return training(net, forget=forget)


def unused(parameters: int) -> Step:
    """Half of the blocks take no part in the loss."""
    net = Net(parameters)
    net.idle = Net(parameters // 2).blocks
    return training(net)


def without_history(parameters: int) -> Step:
    """The forward pass runs under `no_grad`, so that `backward()` refuses."""
    net, x = Net(parameters), torch.randn(8, WIDTH)

    def step() -> Tensor:
        with torch.no_grad():
            return nn.functional.mse_loss(net(x), x)

    return Step(step, {"net": net, "x": x})


class Recurrent(nn.Module):
    """One block, again and again."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times, self.block = times, Block()
        with torch.no_grad():
            for parameter in self.block.parameters():
                parameter.mul_(0.01)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.times):
            x = self.block(x)
        return x


def recurrent(calls: int) -> Step:
    """Four parameters only, and so many calls."""
    return training(Recurrent(calls // 4))


VARIANTS: Mapping[str, Callable[[int], Step]] = {
    made.__name__.replace("_", " "): made
    for made in (
        *(
            fine,
            a_cut,
            cuts,
            cut_branches,
            constant_terms,
            zeros,
            underflow,
            zero_init,
            dead,
            hinges,
            not_finite,
        ),
        *(
            frozen,
            frozen_late,
            normalised,
            left_out,
            lost,
            unused,
            an_optimizer_each,
            cleared,
            read_and_cleared,
        ),
        *(clipped, edited, counted, by_hand, taken, not_used, logged, growing, activations, several_passes),
        *(own_functions, checkpointed, raising, without_history, recurrent),
    )
}
"""By what is wrong, if anything: makes the step with so many parameters."""


def seconds(run: Callable[[], object]) -> float:
    """What one call takes of the processor."""
    gc.collect()
    begun = time.process_time()
    run()
    return time.process_time() - begun


def times(step: Step, turns: int) -> tuple[float, float]:
    """The least seconds of a recorded and of a plain step, which take turns."""
    step.plain()
    step.recorded()
    both = [(seconds(step.recorded), seconds(step.plain)) for _ in range(turns)]
    return min(ours for ours, _ in both), min(theirs for _, theirs in both)


def rows() -> list[Row]:
    """For each variant one row a size; the larger ones are held against the smallest."""
    torch.set_num_threads(1)
    found: list[Row] = []
    for what, make in VARIANTS.items():
        least: float | None = None
        for size in (*SIZES, CALLS) if make is recurrent else SIZES:
            torch.manual_seed(0)
            ours, theirs = times(make(size), max(3, 1_600 // size))
            ratio = ours / theirs
            least = ratio if least is None else least
            row = compared(
                f"{what}, {size:,} {'calls' if make is recurrent else 'parameters'}",
                ours * 1e3,
                theirs * 1e3,
                "ms",
            )
            target = (
                Target(f"{ALLOWED:g} times that of {SIZES[0]}", ratio <= ALLOWED * least)
                if row.ratio != least
                else None
            )
            found.append(Row(row.what, row.ours, row.reference, row.ratio, target))
            print(found[-1], file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    print(table(rows()))
