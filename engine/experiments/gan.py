"""A generative adversarial network: one network makes points, the other tells them from the real ones.

Each epoch has two steps. The discriminator learns from real points and from fakes; the generator then learns from
what the discriminator says of new fakes. In the first step the fakes are only data, and the detach says so.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus, tanh

from . import Choice, Defaults, Experiment, Measure, Option, Place, Points, detach_here

UPDATES = "both"
CLEARING = "right-before"
FAKES = "anew"


class Data(NamedTuple):
    """Real points, and the noise that the generator starts from: a batch an epoch, used again after 20 epochs."""

    real: Tensor  # 64 x 2
    noise: Tensor  # 20 x 64 x 2


def make_data(generator: torch.Generator) -> Data:
    """Points scattered around (1.5, -1), wider along the first axis."""
    real = torch.tensor([1.5, -1.0]) + torch.tensor([0.8, 0.4]) * torch.randn(64, 2, generator=generator)
    return Data(real, torch.randn(20, 64, 2, generator=generator))


class Player(nn.Module):
    """Two linear layers with tanh between: 2 -> 16 -> `outputs`."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.utils.skip_init(nn.Linear, 2, 16)
        self.output = nn.utils.skip_init(nn.Linear, 16, outputs)

    def forward(self, points: Tensor) -> Tensor:
        """Points (64 x 2) to 64 x `outputs`."""
        answer: Tensor = self.output(tanh(self.hidden(points)))
        return answer


class Model(nn.Module):
    """The generator makes points of noise; the discriminator's score is above 0 where a point looks real."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = Player(2)
        self.discriminator = Player(1)
        self.epoch = 1


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Torch's usual random weights."""
    model = Model()
    for player in (model.generator, model.discriminator):
        for layer in (player.hidden, player.output):
            bound = layer.in_features**-0.5
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return model


class Optimizers(NamedTuple):
    """One for each player."""

    generator: torch.optim.Optimizer
    discriminator: torch.optim.Optimizer


def make_optimizers(
    model: Model, make_optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
) -> Optimizers:
    """Each moves its own player only."""
    return Optimizers(
        make_optimizer(model.generator.parameters()), make_optimizer(model.discriminator.parameters())
    )


def step(model: Model, data: Data, optimizers: Optimizers) -> tuple[Tensor, Tensor]:
    """The discriminator's loss, or the generator's where it alone is trained (a scalar), and the fakes (64 x 2)."""
    noise = data.noise[(model.epoch - 1) % 20]
    if CLEARING == "at-the-top":
        optimizers.generator.zero_grad()
    fake = model.generator(noise)
    if UPDATES != "generator":
        score_real = model.discriminator(data.real)
        score_fake = model.discriminator(detach_here(fake, "fake"))
        # softplus(-score) is -log(sigmoid(score)): the cross-entropy of a point that is labelled real
        loss_discriminator = softplus(-score_real).mean() + softplus(score_fake).mean()
        optimizers.discriminator.zero_grad()
        loss_discriminator.backward()
        optimizers.discriminator.step()
    if UPDATES != "discriminator":
        if FAKES == "anew":
            fake = model.generator(noise)
        loss_generator = softplus(-model.discriminator(fake)).mean()
        if CLEARING == "right-before":
            optimizers.generator.zero_grad()
        loss_generator.backward()
        optimizers.generator.step()
    return loss_generator if UPDATES == "generator" else loss_discriminator, fake


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """How far the fakes' mean and spread are from the real points'."""
    mean = prediction.mean(dim=0) - data.real.mean(dim=0)
    spread = prediction.std(dim=0) - data.real.std(dim=0)
    return torch.stack([mean, spread]).square().sum().sqrt()


EXPERIMENT = Experiment(
    name="gan",
    title="GAN",
    summary="A generator learns to make points that a discriminator takes for real; the detach keeps their steps apart.",
    task="other",
    difficulty=60,
    places=(Place("fake", "between the fakes and the discriminator's step"),),
    points=Points("cloud", "What the generator makes, and the data (hollow)", reference="real"),
    defaults=Defaults(detach="fake", epochs=200, learning_rate=0.3, optimizer="sgd", start="random"),
    options=(
        Option(
            "updates",
            "Who is trained",
            (
                Choice("both", "both"),
                Choice("discriminator", "the discriminator only"),
                Choice("generator", "the generator only"),
            ),
        ),
        Option(
            "clearing",
            "When the generator's gradients are cleared",
            (
                Choice("right-before", "right before its own backward()"),
                Choice("at-the-top", "at the top of the step"),
            ),
        ),
        Option(
            "fakes",
            "What the generator is judged by",
            (Choice("anew", "fakes made anew"), Choice("reused", "the discriminator's fakes again")),
        ),
    ),
    measure=Measure(
        "distance of the fakes from the data",
        "down",
        "How far the mean and the spread of the 64 fakes are from those of the 64 real points, which lie around (1.5, -1); 0 is "
        "a perfect match.",
    ),
    story=(
        "In the discriminator's step the fakes are only data: the detach keeps its gradient out of the generator. "
        "Without it the generator gets gradients of the discriminator's loss, which cost a backward pass through it and are then cleared. "
        "Where they are not cleared, they add to the generator's own and work against it: the fakes stay away from the data. "
        "And where both steps share one batch of fakes, the first `backward()` frees the graph that the second needs."
    ),
    seen_in=(
        "Generative Adversarial Nets (Goodfellow, Pouget-Abadie, Mirza, Xu, Warde-Farley, Ozair, Courville, Bengio, 2014)"
    ),
)
