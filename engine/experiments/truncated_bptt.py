"""Truncated backpropagation through time: a recurrent network reads a sequence in chunks.

After each chunk its loss is backpropagated, and the hidden state goes on into the next chunk, cut from its history. The
network has to say what it read six steps before: the values pass the cuts, the gradient does not.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, tanh

from . import Choice, Defaults, Experiment, Option, Place, detach_here

CHUNK = 4
RETAIN_GRAPH = False


class Data(NamedTuple):
    """Sequences of numbers, and what the network should say at each step."""

    inputs: Tensor  # 32 x 24
    targets: Tensor  # 32 x 24


def make_data(generator: torch.Generator) -> Data:
    """Random numbers between -1 and 1; the target is the number of six steps before, at first 0."""
    inputs = 2 * torch.rand(32, 24, generator=generator) - 1
    return Data(inputs, torch.cat([torch.zeros(32, 6), inputs[:, :-6]], dim=1))


class Model(nn.Module):
    """A hidden state of 16 numbers, made anew at each step of the input and of itself."""

    def __init__(self) -> None:
        super().__init__()
        self.input = nn.utils.skip_init(nn.Linear, 1, 16)
        self.recurrent = nn.utils.skip_init(nn.Linear, 16, 16, bias=False)
        self.output = nn.utils.skip_init(nn.Linear, 16, 1)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights, the recurrent ones orthogonal, so that the state neither grows nor fades."""
    model = Model()
    nn.init.uniform_(model.input.weight, -0.5, 0.5, generator=generator)
    nn.init.zeros_(model.input.bias)
    nn.init.orthogonal_(model.recurrent.weight, generator=generator)
    nn.init.uniform_(model.output.weight, -0.25, 0.25, generator=generator)
    nn.init.zeros_(model.output.bias)
    return model


def make_optimizers(
    model: Model, make_optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
) -> torch.optim.Optimizer:
    """One for the whole network."""
    return make_optimizer(model.parameters())


def step(model: Model, data: Data, optimizer: torch.optim.Optimizer) -> tuple[Tensor, Tensor]:
    """The loss of the whole sequence (a scalar) and the prediction (32 x 24)."""
    optimizer.zero_grad()
    hidden = torch.zeros(32, 16)
    losses, predictions = [], []
    for inputs, targets in zip(
        data.inputs.split(CHUNK, dim=1), data.targets.split(CHUNK, dim=1), strict=True
    ):
        outputs = []
        for number in inputs.split(1, dim=1):
            hidden = tanh(model.input(number) + model.recurrent(hidden))
            outputs.append(model.output(hidden))
        prediction = torch.cat(outputs, dim=1)
        loss = mse_loss(prediction, targets, reduction="sum") / data.targets.numel()
        loss.backward(retain_graph=RETAIN_GRAPH)
        hidden = detach_here(hidden, "hidden")
        losses.append(loss.detach())  # for the log: no chunk's graph is kept for it
        predictions.append(prediction.detach())
    optimizer.step()
    return torch.stack(losses).sum(), torch.cat(predictions, dim=1)


EXPERIMENT = Experiment(
    name="truncated_bptt",
    title="Truncated backpropagation through time",
    summary="A recurrent network reads a sequence in chunks; the detach cuts the hidden state's history between them.",
    task="regression",
    difficulty=50,
    places=(Place("hidden", "on the hidden state between the chunks"),),
    defaults=Defaults(detach="hidden", epochs=40, learning_rate=0.02, optimizer="adam", start="random"),
    options=(
        Option(
            "chunk",
            "Steps in a chunk",
            (
                Choice(4, "4"),
                Choice(1, "1"),
                Choice(2, "2"),
                Choice(8, "8"),
                Choice(24, "24, the whole sequence"),
            ),
        ),
        Option(
            "retain_graph",
            "retain_graph of backward()",
            (Choice(False, "False: the graph is freed"), Choice(True, "True: the graph is kept")),
        ),
    ),
    story=(
        "A long sequence is read in chunks so that each `backward()` passes through one chunk only. Without the detach "
        "the graph of the second chunk leads into that of the first, which is freed: `backward()` raises. With "
        "`retain_graph=True` it runs, learns from the whole history, and each chunk costs more than the one before. The "
        "price of the detach: no gradient reaches what was read before the chunk began."
    ),
    seen_in="An Efficient Gradient-Based Algorithm for On-Line Training of Recurrent Network Trajectories (Williams, Peng, 1990)",
)
