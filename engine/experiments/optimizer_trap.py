"""A layer behind the cut that still moves: the detach stops the gradient, and the optimizer goes on.

For 30 epochs the whole model is trained; from then on its hidden features are detached. If gradients are cleared to
zeros, the hidden layer has a gradient of zeros from then on, and to the optimizer that is a gradient: weight decay, the
velocity of momentum and the averages of Adam move the layer further. If they are cleared to None, the optimizer skips it.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, tanh
from torch.nn.utils import skip_init
from torch.optim import Optimizer

from . import Choice, Defaults, Experiment, Measure, Option, Place, detach_here

GRADIENTS = "zeros"
DECAY = 0.01
SWITCH = 31  # the first epoch with the cut


class Data(NamedTuple):
    """Points on a curve."""

    inputs: Tensor  # 32 x 1
    targets: Tensor  # 32 x 1


def make_data() -> Data:
    """One period of a sine."""
    inputs = torch.linspace(-1, 1, 32).unsqueeze(1)
    return Data(inputs, (3 * inputs).sin())


class Model(nn.Module):
    """Two linear layers: 1 -> 16 -> 1. It is told the epoch, and keeps the hidden layer of the cut to compare."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch = 1
        self.hidden = skip_init(nn.Linear, 1, 16)
        self.output = skip_init(nn.Linear, 16, 1)
        self.at_cut = torch.zeros(32)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights."""
    model = Model()
    nn.init.uniform_(model.hidden.weight, -2, 2, generator=generator)
    nn.init.uniform_(model.hidden.bias, -1, 1, generator=generator)
    nn.init.uniform_(model.output.weight, -0.25, 0.25, generator=generator)
    nn.init.zeros_(model.output.bias)
    return model


def make_optimizers(model: Model, make_optimizer: Callable[..., Optimizer]) -> Optimizer:
    """One optimizer for the whole model, with weight decay."""
    optimizer = make_optimizer(model.parameters())
    optimizer.param_groups[0]["weight_decay"] = DECAY
    return optimizer


def step(model: Model, data: Data, optimizers: Optimizer) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (32 x 1)."""
    hidden = tanh(model.hidden(data.inputs))
    cut = detach_here(hidden, "hidden")
    prediction = model.output(hidden if model.epoch < SWITCH else cut)
    loss = mse_loss(prediction, data.targets)
    optimizers.zero_grad(set_to_none=GRADIENTS == "none")
    loss.backward()
    optimizers.step()
    return loss, prediction


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """How far the hidden layer is from where it was when the cut came, as a Euclidean distance; before it, 0."""
    now = torch.cat([model.hidden.weight.flatten(), model.hidden.bias])
    if model.epoch < SWITCH:
        model.at_cut = now
    return torch.dist(now, model.at_cut)


EXPERIMENT = Experiment(
    name="optimizer_trap",
    title="The optimizer's trap",
    summary="After 30 epochs the hidden features are detached; whether the hidden layer stops is up to the optimizer.",
    task="regression",
    difficulty=40,
    places=(Place("hidden", "on the hidden features, from epoch 31 on"),),
    defaults=Defaults(detach="hidden", epochs=80, learning_rate=0.01, optimizer="adam", start="random"),
    shown_epoch=31,
    options=(
        Option(
            "gradients",
            "What zero_grad leaves",
            (Choice("zeros", "zeros (set_to_none=False)"), Choice("none", "None (set_to_none=True)")),
        ),
        Option("decay", "Weight decay", (Choice(0.01, "0.01"), Choice(0.0, "off"))),
    ),
    measure=Measure(
        "move of the hidden layer since the cut",
        "neither",
        "The Euclidean distance of the hidden layer's weights and biases from where they were at the start of epoch 31; read "
        "after the step of each epoch, and 0 until then. Without the detach the layer goes on learning, so it moves, too.",
    ),
    story=(
        "When a part of a model has learned enough, a detach behind it is meant to hold it still. It keeps the gradient out, "
        "but a gradient of zeros is not None: the optimizer still applies weight decay (SGD and Adam add it to the "
        "gradient, AdamW shrinks the weights themselves; the layer moves under all three), and still steps by its momentum "
        "or its running averages. So the layer moves on. With None in place of zeros it stands still to the last bit."
    ),
    seen_in="Decoupled Weight Decay Regularization (Loshchilov, Hutter, 2019)",
)
