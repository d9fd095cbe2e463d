"""A policy gradient: a policy learns which action pays, from the rewards of the actions that it drew.

Drawing an action has no gradient, so the loss is a stand-in: minus the mean of log-probability times advantage, whose
gradient points, on average, along the gradient of the expected reward. The advantage is the reward less a learned
value, and counts as a number. In place of the log-probability, PPO takes the ratio of the new probability to the old.
At the first step of a batch that ratio is one, and with the old one held still its gradient is the same.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax, mse_loss, softmax

from . import Choice, Defaults, Experiment, Measure, Option, Place, Points, detach_here

OBJECTIVE = "ratio"
BASELINE = "value"
VALUE_WEIGHT = 0.25


class Data(NamedTuple):
    """Sixteen draws an epoch, four in each of four situations; the same chances come again after 50 epochs."""

    features: Tensor  # 4 x 4, each situation a row with a single one
    situations: Tensor  # 16, the situation's number
    chances: Tensor  # 50 x 16 x 4, Gumbel noise to draw the actions with
    rewards: Tensor  # 50 x 16 x 4, what each of the four actions would pay
    means: Tensor  # 4 x 4, what each pays on average: no step reads them
    best: Tensor  # 4 x 1, the mean reward of each situation's best action


def make_data(generator: torch.Generator) -> Data:
    """Four situations with four actions each; a reward is its action's mean, between 0 and 2, and noise."""
    means = 2 * torch.rand(4, 4, generator=generator)
    situations = torch.arange(4).repeat(4)
    uniform = torch.rand(50, 16, 4, generator=generator).clamp(1e-6, 1 - 1e-6)
    rewards = means[situations] + 0.5 * torch.randn(50, 16, 4, generator=generator)
    return Data(
        torch.eye(4), situations, -(-uniform.log()).log(), rewards, means, means.amax(dim=1, keepdim=True)
    )


class Model(nn.Module):
    """Two tables, as linear layers: a score for each action in each situation, and each situation's value."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = nn.utils.skip_init(nn.Linear, 4, 4, bias=False)
        self.value = nn.utils.skip_init(nn.Linear, 4, 1, bias=False)
        self.epoch = 1


@torch.no_grad()
def make_model(start: str, generator: torch.Generator) -> Model:
    """All actions about equally likely, and values near zero."""
    model = Model()
    nn.init.normal_(model.policy.weight, 0, 0.1, generator=generator)
    nn.init.normal_(model.value.weight, 0, 0.1, generator=generator)
    return model


def step(model: Model, data: Data) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) and the prediction (4 x 1), every situation's value."""
    batch = (model.epoch - 1) % 50
    scores = model.policy(data.features)[data.situations]
    # the largest of scores + Gumbel noise is a draw from softmax(scores)
    actions = (scores + data.chances[batch]).argmax(dim=1, keepdim=True)
    rewards = data.rewards[batch].gather(1, actions)
    log_probs = log_softmax(scores, dim=1)
    log_probs = detach_here(log_probs, "log_prob")
    log_prob = log_probs.gather(1, actions)
    factor = log_prob
    if OBJECTIVE == "ratio":
        old = detach_here(log_prob, "old")
        factor = (log_prob - old).exp()
    values = model.value(data.features)
    advantage = rewards
    if BASELINE == "value":
        advantage = rewards - values[data.situations]
    advantage = detach_here(advantage, "advantage")
    loss = -(factor * advantage).mean()
    if BASELINE == "value":
        loss = loss + VALUE_WEIGHT * mse_loss(values[data.situations], rewards)
    return loss, values


def measure(model: Model, data: Data, prediction: Tensor) -> Tensor:
    """What the policy earns on average, worked out from its probabilities and the mean rewards."""
    probabilities = softmax(model.policy(data.features), dim=1)
    return (probabilities * data.means).sum(dim=1).mean()


EXPERIMENT = Experiment(
    name="policy_gradient",
    title="Policy gradient",
    summary=(
        "A policy learns from the rewards of the actions that it draws; two detaches keep its loss a policy gradient, "
        "a third one ends it."
    ),
    task="other",
    difficulty=85,
    places=(
        Place("advantage", "on the advantage, reward minus value"),
        Place("old", "on the old log-probability, in the ratio"),
        Place("log_prob", "on the log-probabilities themselves (a mistake)", mistake=True),
    ),
    points=Points(
        "values",
        "The value of each situation, and what its best action pays on average (hollow)",
        reference="best",
    ),
    defaults=Defaults(detach="advantage", epochs=150, learning_rate=0.1, optimizer="adam", start="random"),
    options=(
        Option(
            "objective",
            "What the advantage is multiplied by",
            (
                Choice("ratio", "the ratio of new to old probability (PPO)"),
                Choice("log_prob", "the log-probability (REINFORCE)"),
            ),
        ),
        Option(
            "baseline",
            "What the reward is compared with",
            (Choice("value", "a learned value"), Choice("none", "nothing: the advantage is the reward")),
        ),
    ),
    measure=Measure(
        "expected reward",
        "up",
        "What the policy earns on average, computed from its probabilities and the mean rewards of the actions. "
        "The highest possible is the mean reward of each situation's best action, averaged over the four situations.",
    ),
    story=(
        "Drawing an action has no gradient, so reinforcement learning weights the log-probability of the drawn action by "
        "its advantage: how much more it paid than the value of the situation. The advantage is only a weight, and the "
        "detach says so. Without it the policy's loss also trains the value, and pulls it away from the mean reward: "
        "far below it with the ratio, above it with the log-probability. On average that does not change the policy's "
        "gradient, but it makes it noisier. The ratio of PPO divides the probability by itself, held still. Its "
        "value is one, and its gradient is that of the log-probability; with the old one not detached it is one "
        "whatever the policy does, and its gradient is zero. The third detach is the classic mistake: with a detached "
        "log-probability, or its `item()`, no gradient reaches the policy. The value still learns, so nothing warns; "
        "without a baseline `backward()` raises."
    ),
    seen_in=(
        "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning (Williams, 1992); "
        "Proximal Policy Optimization Algorithms (Schulman, Wolski, Dhariwal, Radford, Klimov, 2017)"
    ),
    keeps_others=True,
)
