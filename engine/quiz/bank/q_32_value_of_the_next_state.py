"""A TD target that is not detached passes a gradient into the value of the state that comes after."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    value = torch.zeros(2, requires_grad=True)  # of the state, and of the next one
    target = 1.0 + 0.5 * value[1]
    target = target.detach() if detached else target
    (target - value[0]).pow(2).backward()
    print(f"detached: {detached!s:5}  gradient: {value.grad.tolist()}")
    answer += (value.grad[1].item(),)
"""

QUESTION = Question(
    name="value-of-the-next-state",
    topic=Topic.PATTERNS,
    prompt=(
        "The target of a state is its reward, 1, plus half the value of the next state. Both values are "
        "0. Which gradient does the next value get from the squared TD error, with the target detached "
        "and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="0 detached, and 1 without",
            explanation=(
                "Without the detach the optimizer also lowers the next value, which brings the target "
                "down to meet the first. Yet nothing was seen of what follows the next state."
            ),
            answer=(0.0, 1.0),
        ),
        Option(
            text="0 detached, 0 without: only the visited state is trained.",
            explanation=(
                "That is what TD learning means to do, but autograd follows every value, and the target "
                "has one in it."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="0 detached, -1 without",
            explanation=(
                "That has the sign reversed. The target, 1, is above the value, 0: raising the next value "
                "raises the error, so its gradient is positive."
            ),
            answer=(0.0, -1.0),
        ),
        Option(
            text="-2 detached, 1 without",
            explanation=(
                "-2 is the gradient of the first value. That mixes up the two entries: the next value "
                "stands behind the detach."
            ),
            answer=(-2.0, 1.0),
        ),
    ),
    picture=Settings(experiment="td_target", epochs=1),
)
