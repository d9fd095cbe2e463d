"""A VQ autoencoder: an encoder, a codebook of which the nearest code is taken, and a decoder.

Taking the nearest code has no gradient, so the loss has three terms, each with a detach of its own. The copy
`z + (e - z).detach()` gives the decoder the code e and hands its gradient to the encoder's output z as if no code had
been taken. The codebook term moves the code toward z, held still. The commitment term moves z toward the code, held
still. With all three the reconstruction moves encoder and decoder, the codebook term only the codebook, and the
commitment only the encoder.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss
from torch.nn.utils import skip_init

from . import Choice, Defaults, Experiment, Measure, Option, Place, Points, detach_here

SIDE = "right"
BETA = 0.25


class Data(NamedTuple):
    """Points in eight heaps."""

    inputs: Tensor  # 80 x 6


def make_data(generator: torch.Generator) -> Data:
    """Eight centres drawn at random, and ten points near each."""
    centres = torch.randn(8, 6, generator=generator)
    return Data(centres.repeat(10, 1) + 0.1 * torch.randn(80, 6, generator=generator))


class Model(nn.Module):
    """An encoder 6 -> 16 -> 3, sixteen codes of three numbers, and a decoder 3 -> 16 -> 6."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(skip_init(nn.Linear, 6, 16), nn.Tanh(), skip_init(nn.Linear, 16, 3))
        self.codebook = skip_init(nn.Embedding, 16, 3)
        self.decoder = nn.Sequential(skip_init(nn.Linear, 3, 16), nn.Tanh(), skip_init(nn.Linear, 16, 6))

    def codes(self, z: Tensor) -> Tensor:
        """The number of the nearest code, for each row of `z` (80 x 3)."""
        return torch.cdist(z, self.codebook.weight).argmin(dim=1)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Torch's usual random weights, and codes spread over a cube around zero."""
    model = Model()
    for layer in (*model.encoder, *model.decoder):
        if isinstance(layer, nn.Linear):
            bound = layer.in_features**-0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    nn.init.uniform_(model.codebook.weight, -1, 1, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (80 x 6)."""
    z = model.encoder(data.inputs)
    e = model.codebook(model.codes(z))
    change = detach_here(e - z, "straight_through")
    prediction = model.decoder(z + change)
    reconstruction = mse_loss(prediction, data.inputs)
    if SIDE == "right":
        codebook = mse_loss(e, detach_here(z, "codebook"))
    else:
        codebook = mse_loss(detach_here(e, "codebook"), z)
    commitment = mse_loss(z, detach_here(e, "commitment"))
    loss = reconstruction + codebook + BETA * commitment
    return loss, prediction


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """The perplexity of the codes: 16 where all are used alike, 1 where all points have the same."""
    used = torch.bincount(model.codes(model.encoder(data.inputs)), minlength=16) / len(data.inputs)
    return torch.exp(torch.special.entr(used).sum())


EXPERIMENT = Experiment(
    name="vq_codebook",
    title="VQ codebook",
    summary="An autoencoder passes on the nearest code of a codebook; three terms of the loss each have their detach.",
    task="other",
    difficulty=90,
    places=(
        Place("straight_through", "in the copy that the decoder gets"),
        Place("codebook", "in the codebook term"),
        Place("commitment", "in the commitment term"),
    ),
    points=Points("cloud", "What is decoded, and the data (hollow)", reference="inputs"),
    defaults=Defaults(
        detach="straight_through", epochs=120, learning_rate=0.02, optimizer="adam", start="random"
    ),
    options=(
        Option(
            "side",
            "What the codebook term detaches",
            (Choice("right", "the encoder's output: the code moves"), Choice("wrong", "the code")),
        ),
    ),
    measure=Measure(
        "effective number of codes",
        "up",
        "The perplexity of the choices: they are as varied as if so many codes were used equally often. At most 16, at least 1.",
    ),
    story=(
        "Each point is replaced by the nearest of a few codes, as tokenizers for images and sound do. Choosing has no "
        "derivative, so three detaches say who learns from what. The copy's detach passes the reconstruction's gradient "
        "to the encoder as if nothing had been chosen. In the codebook term the encoder's output is detached, so the term moves the codes only. In the "
        "commitment term the code is detached, so it moves the encoder only. Take one detach away, or put the codebook's on the "
        "wrong side, and read from the table of the terms what each then moves. The commitment's detach makes next to no "
        "difference under Adam, since the codes' gradient only gets a quarter larger without it; under SGD it does."
    ),
    seen_in="Neural Discrete Representation Learning (van den Oord, Vinyals, Kavukcuoglu, 2017)",
    keeps_others=True,
)
