"""Losses kept for a log: a training loop adds up its validation losses, and with each of them keeps a whole graph.

The validation loss is never backpropagated, so nothing frees what its graph saved for the backward pass. The total holds the
graph of every epoch alive, though only its number is wanted. The training is the same in both twins, bit for bit.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, tanh

from . import Choice, Defaults, Experiment, Option, Place, detach_here

KEEP = "total"
LOGGED = "validation"


class Data(NamedTuple):
    """Points on a noisy curve to learn from, and others to validate with."""

    inputs: Tensor  # 32 x 1
    targets: Tensor  # 32 x 1
    validation_inputs: Tensor  # 32 x 1
    validation_targets: Tensor  # 32 x 1


def make_data(generator: torch.Generator) -> Data:
    """One period of a sine, with noise on it."""
    inputs = 2 * torch.rand(64, 1, generator=generator) - 1
    targets = (3 * inputs).sin() + 0.1 * torch.randn(64, 1, generator=generator)
    return Data(inputs[:32], targets[:32], inputs[32:], targets[32:])


class Model(nn.Module):
    """Two linear layers with tanh between: 1 -> 16 -> 1. The log hangs on it, as on many a trainer object."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.utils.skip_init(nn.Linear, 1, 16)
        self.output = nn.utils.skip_init(nn.Linear, 16, 1)
        self.total: Tensor | float = 0.0
        self.kept: list[Tensor] = []

    def forward(self, inputs: Tensor) -> Tensor:
        """Inputs (32 x 1) to outputs (32 x 1)."""
        outputs: Tensor = self.output(tanh(self.hidden(inputs)))
        return outputs


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights, the hidden layer's wide enough to bend within the data."""
    model = Model()
    nn.init.uniform_(model.hidden.weight, -3, 3, generator=generator)
    nn.init.uniform_(model.hidden.bias, -1, 1, generator=generator)
    nn.init.uniform_(model.output.weight, -0.25, 0.25, generator=generator)
    nn.init.zeros_(model.output.bias)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (32 x 1)."""
    prediction = model(data.inputs)
    loss = mse_loss(prediction, data.targets)
    if LOGGED == "validation":
        logged = mse_loss(model(data.validation_inputs), data.validation_targets)
    else:
        logged = loss
    logged = detach_here(logged, "log")
    if KEEP == "list":
        model.kept.append(logged)
    elif KEEP == "item":
        model.total = model.total + logged.item()
    else:
        model.total = model.total + logged
    return loss, prediction


EXPERIMENT = Experiment(
    name="kept_losses",
    title="Losses kept for a log",
    summary="A training loop adds up its losses for a log; the detach keeps their numbers and lets their graphs go.",
    task="regression",
    difficulty=20,
    places=(Place("log", "on the loss that is logged"),),
    defaults=Defaults(detach="log", epochs=60, learning_rate=0.03, optimizer="adam", start="random"),
    options=(
        Option(
            "keep",
            "What is kept of the losses",
            (
                Choice("total", "a running total"),
                Choice("list", "a list of them"),
                Choice("item", "a total of their item()"),
            ),
        ),
        Option(
            "logged",
            "Which loss is logged",
            (
                Choice("validation", "the validation loss, never backpropagated"),
                Choice("training", "the training loss, after which backward() frees what was saved"),
            ),
        ),
    ),
    story=(
        "A loss that is kept for a log keeps its whole graph alive, and memory fills up epoch by epoch. "
        "With the detach, or with `loss.item()`, only the number is kept. A training loss is the milder case: its own "
        "`backward()` has already freed the tensors that the graph had saved, and only the graph's nodes pile up."
    ),
    seen_in="PyTorch's Frequently Asked Questions, on “cuda runtime error(2): out of memory” (the PyTorch team)",
)
