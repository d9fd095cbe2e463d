"""SimSiam: two noisy views of each point are to get the same embedding, with nothing that pushes points apart.

One embedding for all points would do that perfectly. The predictor and the stop-gradient on the branch that it
predicts keep the training from it; without either of them the embeddings collapse.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, normalize, relu

from . import Choice, Defaults, Experiment, Measure, Option, Place, Points, detach_here

PREDICTOR = True


class Data(NamedTuple):
    """Two views of the same points."""

    view_1: Tensor  # 64 x 8
    view_2: Tensor  # 64 x 8


def make_data(generator: torch.Generator) -> Data:
    """Points all around, and for each view some noise."""
    points = torch.randn(64, 8, generator=generator)
    view_1, view_2 = (points + 0.3 * torch.randn(64, 8, generator=generator) for _ in range(2))
    return Data(view_1, view_2)


class Block(nn.Module):
    """Two linear layers with a batch normalization between them."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.linear_1 = nn.utils.skip_init(nn.Linear, 8, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.linear_2 = nn.utils.skip_init(nn.Linear, hidden, 8)

    def forward(self, inputs: Tensor) -> Tensor:
        """Samples x 8, from samples x 8."""
        outputs: Tensor = self.linear_2(relu(self.norm(self.linear_1(inputs))))
        return outputs


class Model(nn.Module):
    """An encoder, and a predictor with a bottleneck."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Block(32)
        self.predictor = Block(4) if PREDICTOR else nn.Identity()


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Torch's usual random weights, drawn from the run's own generator."""
    model = Model()
    for layer in model.modules():
        if isinstance(layer, nn.Linear):
            bound = layer.in_features**-0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar from -1 to 1) and the prediction (64 x 8), the embedding of the first view."""
    embedding_1, embedding_2 = model.encoder(data.view_1), model.encoder(data.view_2)
    predicted_1, predicted_2 = model.predictor(embedding_1), model.predictor(embedding_2)
    target_1 = detach_here(embedding_1, "target")
    target_2 = detach_here(embedding_2, "target")
    similarity_1 = cosine_similarity(predicted_1, target_2).mean()
    similarity_2 = cosine_similarity(predicted_2, target_1).mean()
    loss = -(similarity_1 + similarity_2) / 2
    return loss, embedding_1


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """How far the embeddings' directions spread: 1 for evenly all around, 0 where all are the same."""
    return normalize(prediction, dim=1).std(dim=0).mean() * 8**0.5


EXPERIMENT = Experiment(
    name="simsiam",
    title="SimSiam",
    summary="Two views of each point learn to predict each other; the stop-gradient keeps all points from becoming one.",
    task="other",
    difficulty=100,
    places=(Place("target", "after each embedding that is predicted"),),
    points=Points(
        "cloud",
        "The embeddings of the samples, at length 1; of their eight directions the two in which they scatter most",
        at_length_1=True,
    ),
    defaults=Defaults(detach="target", epochs=150, learning_rate=0.02, optimizer="adam", start="random"),
    options=(
        Option(
            "predictor",
            "A predictor before the comparison",
            (Choice(True, "yes"), Choice(False, "no")),
        ),
    ),
    measure=Measure(
        "spread of the embeddings",
        "up",
        "How much the directions of the embeddings differ: 1 where they point evenly all around, 0 where all are the same. It is "
        "their standard deviation at length 1, divided by that of an even spread.",
    ),
    story=(
        "Self-supervised learning wants the same embedding for two views of one picture (here of one point), and the easiest "
        "way there is one embedding for all of them. With the detach each view only predicts the other, which is held still, and "
        "the embeddings stay spread out. Without it the loss is lower and the embeddings collapse. The "
        "detach needs its predictor, a small network that only one of the two views passes through: without it "
        "the detach only halves the gradient, and the embeddings collapse as well."
    ),
    seen_in="Exploring Simple Siamese Representation Learning (Chen, He, 2021)",
)
