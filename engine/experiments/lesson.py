"""The reference lesson: four samples, one linear layer, and a detach between the layer and the loss.

With the detach in place nothing can learn: no parameter is connected to the loss, `backward()` raises an error, and the
loss stays where it started. Without it, Adam at a learning rate of 0.007 brings the loss from 0.85 to 0.15 in
five epochs. At the start of epoch 4 the layer's output rounds to the lesson's table.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from . import RANDOM, Choice, Defaults, Experiment, Place, detach_here


class Data(NamedTuple):
    """Four samples of three features, and two targets for each."""

    inputs: Tensor  # 4 x 3
    targets: Tensor  # 4 x 2


def make_data() -> Data:
    """The lesson's samples and targets."""
    inputs = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]])
    targets = torch.tensor([[0.3, 1.8], [0.7, 3.1], [1.3, 4.0], [2.1, 5.0]])
    return Data(inputs, targets)


class Model(nn.Module):
    """One linear layer from three features to two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.utils.skip_init(nn.Linear, 3, 2)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """The layer with the lesson's own weights, or with torch's usual random ones."""
    model = Model()
    if start == "lesson":
        model.linear.weight.copy_(torch.tensor([[-0.02, 0.14, 0.14], [0.07, 0.08, 0.15]]))
        model.linear.bias.copy_(torch.tensor([-0.04, 0.39]))
    else:
        bound = 3**-0.5
        nn.init.uniform_(model.linear.weight, -bound, bound, generator=generator)
        nn.init.uniform_(model.linear.bias, -bound, bound, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (4 x 2)."""
    prediction = model.linear(data.inputs)
    prediction = detach_here(prediction, "linear")
    loss = mse_loss(prediction, data.targets)
    return loss, prediction


EXPERIMENT = Experiment(
    name="lesson",
    title="The reference lesson",
    summary="Four samples, one linear layer, a mean squared error, and a detach between the layer and the loss.",
    task="regression",
    difficulty=0,
    places=(Place("linear", "after the linear layer"),),
    start_choices=(Choice("lesson", "the lesson's own weights"), RANDOM),
    defaults=Defaults(detach="linear", epochs=5, learning_rate=0.007, optimizer="adam", start="lesson"),
    shown_epoch=4,
    story=(
        "While a model computes, autograd writes down the **computation graph**: which operation made which tensor from which. "
        "`backward()` goes through it from the loss to the parameters. `detach()` gives the same values as a tensor "
        "outside the graph. Real code detaches a result beside this way, to log it, plot it or hand it to another "
        "model, and the gradients stay as they were. Here the detach stands on the only way from the loss to the weights, so "
        "nothing can learn. The lesson prints its numbers rounded: in epoch 4 the first output is 0.4958, printed as "
        "0.5, and the loss is 0.2495, printed as 0.25."
    ),
)
