"""A new head on a backbone that stays as it is: three ways to leave the backbone alone, and what each costs.

The optimizer holds the head only, so the head learns the same with and without a cut. Without one, gradients are
computed for the whole backbone, in every epoch, and nobody uses them: `optimizer.zero_grad()` does not even clear
them. No cut holds BatchNorm's running statistics still: a forward pass in training mode moves them.

The backbone stands in for a pretrained one. Its weights are random, since what a cut costs does not depend on what they
have learned; its running statistics are those of other data, as after a real pretraining.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, relu
from torch.nn.utils import skip_init
from torch.optim import Optimizer

from . import (
    Choice,
    Defaults,
    Experiment,
    Measure,
    Option,
    Place,
    detach_here,
    freeze_here,
    no_grad_here,
)

MODE = "train"


class Data(NamedTuple):
    """The new task: points, and the class of each."""

    inputs: Tensor  # 60 x 4
    targets: Tensor  # 60


def make_data(generator: torch.Generator) -> Data:
    """Three classes of 20 points, all of them to one side of the data that the backbone's statistics are from."""
    targets = torch.arange(3).repeat(20)
    centres = 1 + torch.randn(3, 4, generator=generator)
    return Data(centres[targets] + 0.5 * torch.randn(60, 4, generator=generator), targets)


class Backbone(nn.Module):
    """Two linear layers, 4 -> 16 -> 16, with a BatchNorm between them."""

    def __init__(self) -> None:
        super().__init__()
        self.linear_1 = skip_init(nn.Linear, 4, 16)
        self.norm = nn.BatchNorm1d(16)
        self.linear_2 = skip_init(nn.Linear, 16, 16)

    def forward(self, inputs: Tensor) -> Tensor:
        """The features (60 x 16) of the inputs (60 x 4)."""
        hidden = relu(self.norm(self.linear_1(inputs)))
        return relu(self.linear_2(hidden))


class Model(nn.Module):
    """The backbone and a head, 16 -> 3."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone()
        self.head = skip_init(nn.Linear, 16, 3)
        self.first_mean = torch.zeros(16)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights, and running statistics of other data than those of the new task."""
    model = Model()
    for layer in (model.backbone.linear_1, model.backbone.linear_2, model.head):
        bound = layer.in_features**-0.5
        nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
        nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    hidden = model.backbone.linear_1(torch.randn(500, 4, generator=generator))
    model.first_mean = hidden.mean(dim=0)
    model.backbone.norm.running_mean = hidden.mean(dim=0)
    model.backbone.norm.running_var = hidden.var(dim=0)
    return model


def make_optimizers(model: Model, make_optimizer: Callable[..., Optimizer]) -> Optimizer:
    """One optimizer, which holds the head only."""
    return make_optimizer(model.head.parameters())


def step(model: Model, data: Data, optimizers: Optimizer) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (60 x 3, one score for each class)."""
    freeze_here(model.backbone, "frozen")
    model.backbone.train(MODE == "train")
    with no_grad_here("no_grad"):
        features = model.backbone(data.inputs)
    features = detach_here(features, "features")
    scores = model.head(features)
    loss = cross_entropy(scores, data.targets)
    optimizers.zero_grad()
    loss.backward()
    optimizers.step()
    return loss, scores


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """How far the running mean has moved, as a Euclidean distance."""
    return torch.dist(model.get_buffer("backbone.norm.running_mean"), model.first_mean)


EXPERIMENT = Experiment(
    name="frozen_backbone",
    title="Frozen backbone",
    summary="A new head learns on the features of a backbone that the optimizer does not hold.",
    task="classification",
    difficulty=30,
    places=(
        Place("features", "on the features (a detach)"),
        Place("no_grad", "around the backbone (no_grad)"),
        Place("frozen", "on the backbone's parameters (requires_grad_(False))"),
    ),
    defaults=Defaults(detach="features", epochs=60, learning_rate=0.03, optimizer="adam", start="random"),
    options=(
        Option(
            "mode",
            "The backbone's mode",
            (Choice("train", "train: statistics of the batch"), Choice("eval", "eval: running statistics")),
        ),
    ),
    measure=Measure(
        "distance of the running mean from its start",
        "neither",
        "BatchNorm keeps a running mean of its inputs. Any distance but 0 says that it moved, though it gets no gradient.",
    ),
    story=(
        "In transfer learning a small head is trained on a large pretrained network that should stay as it is (here a stand-in "
        "with random weights). The optimizer holds the head only, so a cut changes nothing that is learned: it spares "
        "the backward pass through the backbone. With a detach the forward pass still saves the backbone's activations, "
        "which are freed before `backward()` starts; with `no_grad` or `requires_grad_(False)` it never saves them. None of "
        "the three stops BatchNorm's running statistics: only `eval()` does."
    ),
    seen_in="How transferable are features in deep neural networks? (Yosinski, Clune, Bengio, Lipson, 2014)",
)
