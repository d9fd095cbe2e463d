"""A straight-through gradient never vanishes between two whole numbers, and so x settles at the edge."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor(0.201, requires_grad=True)
for _ in range(500):
    y = x + (x.round() - x).detach()
    slope = torch.autograd.grad((y - 1.3).pow(2), x)[0]
    with torch.no_grad():
        x -= 0.01 * slope
print(f"x: {x.item():.1f}")
answer = round(x.item(), 1)
"""

QUESTION = Question(
    name="where-it-settles",
    topic=Topic.RESEARCH,
    prompt=(
        "`y` is `x` rounded, with a straight-through gradient, and is to come near 1.3; the best that a "
        "whole number can do is 1. Where is `x` after 500 steps, to one decimal?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="At 1.3, which is rounded to 1.",
            explanation=(
                "That takes the gradient at `x`. It is taken at `y`: while `y` is 1 it is too low, so `x` "
                "goes on growing past 1.3."
            ),
            answer=1.3,
        ),
        Option(
            text="At 0.5, as soon as `y` is 1.",
            explanation=(
                "That expects the best value to stop the training. `y = 1` is the best there is, but its "
                "gradient is -0.6 and not 0, so `x` grows on."
            ),
            answer=0.5,
        ),
        Option(
            text="At 1.5, where `y` jumps from 1 to 2.",
            explanation=(
                "Below 1.5 `y` is too low and `x` grows, above it `y` is too high and `x` shrinks. The "
                "estimated gradient is zero nowhere, so `x` swings about the edge."
            ),
            answer=1.5,
        ),
        Option(
            text="At 1, where `x` and `y` agree.",
            explanation=(
                "That expects something to pull `x` to its rounded value. The loss sees `y` alone, never "
                "the distance between the two."
            ),
            answer=1.0,
        ),
    ),
    step=3,
)
