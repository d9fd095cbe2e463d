"""A deeper network: three linear layers learn to tell three spiral arms apart.

The detach can stand after any layer. Layers above it go on learning from the features that the layers below
happen to give; the layers below get no gradient and keep their first weights. The higher the detach stands, the
less is left to learn with, and after the output layer nothing is: `backward()` raises an error.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, tanh

from . import Defaults, Experiment, Place, Points, detach_here


class Data(NamedTuple):
    """Points in the plane, and the spiral arm that each belongs to."""

    inputs: Tensor  # 60 x 2
    targets: Tensor  # 60, the arm's number


def make_data() -> Data:
    """Three arms of 20 points, each a third of a turn from the next, a little scattered."""
    generator = torch.Generator().manual_seed(0)
    radius = torch.linspace(0.2, 1.0, 20).repeat(3)
    targets = torch.arange(3).repeat_interleave(20)
    angle = 2 * math.pi * (targets / 3 + 0.6 * radius) + 0.15 * torch.randn(60, generator=generator)
    inputs = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    return Data(inputs, targets)


class Model(nn.Module):
    """Three linear layers: 2 -> 12 -> 12 -> 3."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden_1 = nn.utils.skip_init(nn.Linear, 2, 12)
        self.hidden_2 = nn.utils.skip_init(nn.Linear, 12, 12)
        self.output = nn.utils.skip_init(nn.Linear, 12, 3)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """The network with torch's usual random weights, drawn from the run's own generator."""
    model = Model()
    for layer in (model.hidden_1, model.hidden_2, model.output):
        bound = layer.in_features**-0.5
        nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
        nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (60 x 3, one score for each arm)."""
    hidden = tanh(model.hidden_1(data.inputs))
    hidden = detach_here(hidden, "hidden_1")
    hidden = tanh(model.hidden_2(hidden))
    hidden = detach_here(hidden, "hidden_2")
    scores = model.output(hidden)
    scores = detach_here(scores, "output")
    loss = cross_entropy(scores, data.targets)
    return loss, scores


EXPERIMENT = Experiment(
    name="classifier",
    title="A deeper network",
    summary="Three linear layers with tanh learn to tell three spiral arms apart; the detach can stand after any.",
    task="classification",
    difficulty=10,
    places=(
        Place("hidden_1", "after the first hidden layer"),
        Place("hidden_2", "after the second hidden layer"),
        Place("output", "after the output layer"),
    ),
    story=(
        "A small classifier on the features of a larger network shows what these features tell. So that it only looks on, "
        "the features are detached: the classifier learns, and the network below stays as it is. This is the same cut: "
        "layers above the detach learn from the features that they are given, layers below it get no gradient "
        "and keep their first weights. After the output layer nothing is left to learn, and `backward()` raises."
    ),
    seen_in="Understanding Intermediate Layers Using Linear Classifier Probes (Alain, Bengio, 2016)",
    points=Points(
        "regions",
        "The class that the model gives to each point of the plane; the marks are the training data",
        reference="inputs",
    ),
    defaults=Defaults(detach="hidden_2", epochs=60, learning_rate=0.03, optimizer="adam", start="random"),
)
