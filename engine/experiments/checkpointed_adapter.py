"""Adapters behind activation checkpointing: a frozen embedding before a reentrant checkpoint ends their training.

A checkpoint saves only the inputs of a block, and runs the block once more during the backward pass. The reentrant kind
is an autograd function of its own: it is on the way back only where one of its inputs requires grad, whatever the
parameters inside do. Behind a frozen embedding none does, so the adapters in the block get no gradient, while the
head after it learns. The non-reentrant kind looks at what runs inside.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, tanh
from torch.nn.utils import skip_init
from torch.optim import Optimizer
from torch.utils.checkpoint import checkpoint

from . import Choice, Defaults, Experiment, Option, Place, detach_here, freeze_here

CHECKPOINT = "reentrant"
INPUTS = "as they are"


class Data(NamedTuple):
    """The task: all pairs of two digits from 0 to 4, and the class of each."""

    tokens: Tensor  # 25 x 2
    targets: Tensor  # 25


def make_data() -> Data:
    """The class is the digits' sum, modulo 3."""
    tokens = torch.cartesian_prod(torch.arange(5), torch.arange(5))
    return Data(tokens, tokens.sum(dim=1) % 3)


class Adapted(nn.Module):
    """A layer of the backbone, which stays as it is, and a low-rank adapter beside it, which learns (LoRA)."""

    def __init__(self) -> None:
        super().__init__()
        self.base = skip_init(nn.Linear, 8, 8).requires_grad_(False)
        self.down = skip_init(nn.Linear, 8, 2, bias=False)
        self.up = skip_init(nn.Linear, 2, 8, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """25 x 8, from 25 x 8."""
        return tanh(self.base(inputs) + self.up(self.down(inputs)))


class Model(nn.Module):
    """An embedding (two tokens of four numbers), two adapted layers, and a new head, 8 -> 3."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = skip_init(nn.Embedding, 5, 4)
        self.block = nn.Sequential(Adapted(), Adapted())
        self.head = skip_init(nn.Linear, 8, 3)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Random weights, also for the backbone, which only stands in for a pretrained one. An adapter starts as zero."""
    model = Model()
    nn.init.normal_(model.embedding.weight, generator=generator)
    for name, parameter in model.named_parameters():
        if name.endswith("up.weight"):
            nn.init.zeros_(parameter)
        elif name != "embedding.weight":
            nn.init.uniform_(parameter, -(8**-0.5), 8**-0.5, generator=generator)
    return model


def make_optimizers(model: Model, make_optimizer: Callable[..., Optimizer]) -> Optimizer:
    """One optimizer, for the adapters and the head: the embedding is not to be trained."""
    trained = [p for name, p in model.named_parameters() if "embedding" not in name and "base" not in name]
    return make_optimizer(trained)


def step(model: Model, data: Data, optimizers: Optimizer) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (25 x 3, one score for each class)."""
    freeze_here(model.embedding, "frozen")
    embedded = model.embedding(data.tokens).flatten(1)
    embedded = detach_here(embedded, "embedded")
    if INPUTS == "require grad":
        embedded.requires_grad_()
    if CHECKPOINT == "none":
        hidden = model.block(embedded)
    else:
        # "None of the inputs have requires_grad=True": the warning comes from here, and means the adapters
        hidden = checkpoint(model.block, embedded, use_reentrant=CHECKPOINT == "reentrant")
    scores = model.head(hidden)
    loss = cross_entropy(scores, data.targets)
    model.zero_grad()
    loss.backward()
    optimizers.step()
    return loss, scores


EXPERIMENT = Experiment(
    name="checkpointed_adapter",
    title="Checkpointed adapter",
    summary=(
        "Adapters in a frozen backbone are trained behind activation checkpointing; whether they learn can depend on the "
        "embedding, which nobody trains."
    ),
    task="classification",
    difficulty=35,
    places=(
        Place("frozen", "on the embedding's parameters (requires_grad_(False))"),
        Place("embedded", "on the embedding's output (a detach)"),
    ),
    defaults=Defaults(detach="frozen", epochs=150, learning_rate=0.03, optimizer="adam", start="random"),
    shown_epoch=10,
    options=(
        Option(
            "checkpoint",
            "Activation checkpointing",
            (
                Choice("reentrant", "reentrant"),
                Choice("non-reentrant", "non-reentrant"),
                Choice("none", "off: all activations are saved"),
            ),
        ),
        Option(
            "inputs",
            "The inputs of the checkpoint",
            (
                Choice("as they are", "as they come"),
                Choice("require grad", "made to require grad"),
            ),
        ),
    ),
    story=(
        "Large models are fine-tuned with small adapters, and to save memory a checkpoint drops a block's activations and "
        "computes them again in the backward pass. Of PyTorch's two kinds, the reentrant one builds no graph inside the "
        "block on the way forward, and its output requires grad only if an input does. A frozen embedding (or a "
        "detach on its output) takes that away: the adapters get no gradient, though they require grad and the optimizer "
        "holds them. The head behind the block still learns, so the loss falls a little; torch's only sign is the warning "
        "“None of the inputs have requires_grad=True”. Two cures: make the input require grad, which is what "
        "`enable_input_require_grads()` does in Hugging Face's libraries, or `use_reentrant=False`. With either, freezing "
        "the embedding changes no weight and only saves work. The backbone here is a stand-in with random weights. "
        "In the counts of an epoch, a reentrant checkpoint is one autograd node."
    ),
    seen_in=(
        "Training Deep Nets with Sublinear Memory Cost (Chen, Xu, Zhang, Guestrin, 2016); "
        "LoRA: Low-Rank Adaptation of Large Language Models (Hu, Shen, Wallis, Allen-Zhu, Li, Wang, Wang, Chen, 2021)"
    ),
)
