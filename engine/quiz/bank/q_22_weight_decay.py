"""None means skip, zeros mean step: under weight decay the difference moves the weight."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

none, zeros = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
zeros.grad = torch.zeros(1)
optimizer = torch.optim.SGD([none, zeros], lr=0.1, weight_decay=0.5)
optimizer.step()
print("with None: ", none.item())
print("with zeros:", round(zeros.item(), 4))
answer = (round(none.item(), 4), round(zeros.item(), 4))
"""

QUESTION = Question(
    name="weight-decay",
    topic=Topic.LOOP,
    prompt=(
        "The loss reaches neither weight: `none.grad` is `None`, `zeros.grad` is zeros. What are the "
        "weights after one step with weight decay?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="1.0 and 1.0",
            explanation=(
                "That takes zeros for no gradient at all. To the optimizer zeros are a gradient: it adds "
                "the decay to them and takes the step."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="0.95 and 0.95",
            explanation=(
                "That takes the decay for something separate from the gradient. A weight whose `.grad` is "
                "`None` is skipped, and its decay with it."
            ),
            answer=(0.95, 0.95),
        ),
        Option(
            text="1.0 and 0.95",
            explanation=(
                "`None` is skipped. Zeros plus decay make 0.5, times 0.1 a step of 0.05: a layer that you "
                "thought frozen shrinks."
            ),
            answer=(1.0, 0.95),
        ),
        Option(
            text="0.95 and 1.0",
            explanation=(
                "That has the two reversed: it is `None` that makes the optimizer skip a weight, and "
                "zeros that let the decay in."
            ),
            answer=(0.95, 1.0),
        ),
    ),
    step=2,
)
