"""A rounded value forward, and the gradient of no rounding backward."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor(1.75, requires_grad=True)
y = x + (x.round() - x).detach()
(3 * y).backward()
print("y:", y.item())
print("x.grad:", x.grad.item())
answer = (y.item(), x.grad.item())
"""

QUESTION = Question(
    name="straight-through",
    topic=Topic.PATTERNS,
    prompt=(
        "A straight-through estimator rounds `x = 1.75`, and the loss is `3 * y`. What are `y` and `x.grad`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`y` is 2 and the gradient is 0, as it is for rounding.",
            explanation=(
                "Rounding by itself does have gradient 0. Here it stands inside the detach, where no "
                "gradient goes, and the first `x` stands outside."
            ),
            answer=(2.0, 0.0),
        ),
        Option(
            text="`y` is 1.75 and the gradient is 3: the detach undoes the rounding.",
            explanation=(
                "That takes a detach for a change of values. It changes none, so the rounding still "
                "counts in the sum."
            ),
            answer=(1.75, 3.0),
        ),
        Option(
            text="`y` is 2 and the gradient is 3.",
            explanation=(
                "Forward, the two `x` cancel and the rounded value is left. Backward, only the first `x` "
                "counts, as if nothing had been rounded."
            ),
            answer=(2.0, 3.0),
        ),
        Option(
            text="`y` is 1.75 and the gradient is 0.",
            explanation=(
                "That has forward and backward reversed: the value is the rounded one, and the gradient "
                "is that of the plain `x`."
            ),
            answer=(1.75, 0.0),
        ),
    ),
    step=5,
    picture=Settings(experiment="straight_through", epochs=1),
)
