"""Temporal differences: the value of a state learns from the value of the next state.

The target is `r + gamma * V(s')`. Detached, it is a number to move toward: semi-gradient TD, whose resting point are
the values of the chain that the transitions show. Not detached, the gradient moves the target as well: the residual
gradient, whose resting point is the least mean squared TD error. Where chance decides the next state these are two
points, since that error also pays for how much the target scatters.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from . import Choice, Defaults, Experiment, Measure, Option, Place, Points, detach_here

CHAIN = "stochastic"
GAMMA = 0.8


class Data(NamedTuple):
    """Transitions that were seen, 100 from each of five states, and what the states are truly worth."""

    features: Tensor  # 5 x 5, each state a row with a single one
    states: Tensor  # 500, the state's number
    rewards: Tensor  # 500 x 1
    next_states: Tensor  # 500, the next state's number
    values: Tensor  # 5 x 1, known only because the chain is: no step reads them


def make_data(generator: torch.Generator) -> Data:
    """A ladder of five rungs: climb one, or fall back to the lowest; the highest pays 1 and leads back down."""
    climb = 0.5 if CHAIN == "stochastic" else 1.0
    chances = torch.zeros(5, 5)
    chances[:, 0] = 1 - climb
    for state in range(4):
        chances[state, state + 1] = climb
    chances[4, 0] = 1.0
    reward = torch.tensor([[0.0], [0.0], [0.0], [0.0], [1.0]])
    values = torch.linalg.solve(torch.eye(5) - GAMMA * chances, reward)
    states = torch.arange(5).repeat_interleave(100)
    next_states = torch.multinomial(chances[states], 1, generator=generator).squeeze(1)
    return Data(torch.eye(5), states, reward[states], next_states, values)


class Model(nn.Module):
    """A table of values: a linear layer with one weight for each state."""

    def __init__(self) -> None:
        super().__init__()
        self.value = nn.utils.skip_init(nn.Linear, 5, 1, bias=False)


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """Values near zero, as nothing is known yet."""
    model = Model()
    nn.init.normal_(model.value.weight, 0, 0.1, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar), which is the mean squared TD error, and the prediction (5 x 1), every state's value."""
    values = model.value(data.features)
    target = data.rewards + GAMMA * values[data.next_states]
    target = detach_here(target, "target")
    loss = mse_loss(values[data.states], target)
    return loss, values


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """The root mean squared distance of the five values from the true ones."""
    return mse_loss(prediction, data.values).sqrt()


EXPERIMENT = Experiment(
    name="td_target",
    title="TD target",
    summary="The value of each rung of a ladder learns from the value of the next; the detach holds the target still.",
    task="other",
    difficulty=80,
    places=(Place("target", "after the target r + gamma * V(s')"),),
    points=Points("values", "The value of each state, and the known one (hollow)", reference="values"),
    defaults=Defaults(detach="target", epochs=300, learning_rate=1.0, optimizer="sgd", start="random"),
    options=(
        Option(
            "chain",
            "How the next state comes about",
            (
                Choice("stochastic", "by chance: climb or fall"),
                Choice("deterministic", "always the same: climb"),
            ),
        ),
    ),
    measure=Measure(
        "distance from the true values",
        "down",
        "The chain is a ladder of five rungs; what each rung is worth is known exactly, as the solution of a system of "
        "linear equations. The distance is the root of the mean squared error; 0 is right.",
    ),
    story=(
        "In reinforcement learning a network predicts the value V(s) of a state s. It moves toward a target that it computes "
        "itself: r + gamma * V(s'), the reward r plus the value of the next state s' times the discount gamma, here 0.8. The detach makes "
        "that a plain number. Without it the gradient also pulls V(s') toward V(s), which gives a lower loss and wrong values. "
        "Where chance decides on s', the targets of a state scatter; without the detach the values of all states are drawn together, "
        "so that they scatter less, and that is not what they are worth. Where every state has just one next state, nothing scatters and both "
        "twins head for the true values, but without the detach it takes far longer."
    ),
    seen_in="Residual Algorithms: Reinforcement Learning with Function Approximation (Baird, 1995)",
)
