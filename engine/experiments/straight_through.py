"""The straight-through estimator: a code of rounded numbers, trained through the rounding.

`round` has a derivative of zero wherever it has one, so nothing below it can learn. `x + (round(x) - x).detach()` has
the same values forward, and going back the detached part is a constant: what is left is x, with a derivative of one.
Here one direction out of eight decides the target. An encoder that can't learn looks the wrong way, and no decoder
makes up for that.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, normalize

from . import Choice, Defaults, Experiment, Option, Place, detach_here

ROUNDING = "straight-through"


class Data(NamedTuple):
    """Points in eight dimensions, and a number for each."""

    inputs: Tensor  # 64 x 8
    targets: Tensor  # 64 x 1


def make_data(generator: torch.Generator) -> Data:
    """Points all around, and how far each lies along one direction, which is not known."""
    inputs = torch.randn(64, 8, generator=generator)
    direction = normalize(torch.randn(8, 1, generator=generator), dim=0)
    return Data(inputs, inputs @ direction)


class Model(nn.Module):
    """An encoder to two numbers, which are rounded, and a decoder from them."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.utils.skip_init(nn.Linear, 8, 2)
        self.decoder = nn.utils.skip_init(nn.Linear, 2, 1)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights, the encoder's wide enough to reach several whole numbers."""
    model = Model()
    nn.init.uniform_(model.encoder.weight, -0.6, 0.6, generator=generator)
    nn.init.uniform_(model.encoder.bias, -0.5, 0.5, generator=generator)
    nn.init.uniform_(model.decoder.weight, -0.5, 0.5, generator=generator)
    nn.init.zeros_(model.decoder.bias)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (64 x 1)."""
    hidden = model.encoder(data.inputs)
    if ROUNDING == "plain":
        code = hidden.round()
    else:
        code = hidden + detach_here(hidden.round() - hidden, "rounding")
    prediction = model.decoder(code)
    loss = mse_loss(prediction, data.targets)
    return loss, prediction


EXPERIMENT = Experiment(
    name="straight_through",
    title="Straight-through estimator",
    summary=(
        "An encoder, a rounding and a decoder learn which of eight directions counts; the detach lets the gradient "
        "pass the rounding."
    ),
    task="regression",
    difficulty=70,
    places=(Place("rounding", "around what the rounding changes"),),
    defaults=Defaults(detach="rounding", epochs=120, learning_rate=0.03, optimizer="adam", start="random"),
    options=(
        Option(
            "rounding",
            "How the code is rounded",
            (Choice("straight-through", "x + (round(x) - x)"), Choice("plain", "round(x) alone")),
        ),
    ),
    story=(
        "A network with whole numbers, bits or codes inside can't be trained through `round`, whose derivative is "
        "zero. With the detach the values are rounded, and the gradient passes as if they were not. Without it the two "
        "parts cancel: the derivative of x is 1 and that of round(x) - x is 0 - 1, so the encoder's gradient is "
        "exactly zero and only the decoder learns."
    ),
    seen_in=(
        "Estimating or Propagating Gradients Through Stochastic Neurons for Conditional Computation "
        "(Bengio, Léonard, Courville, 2013)"
    ),
)
