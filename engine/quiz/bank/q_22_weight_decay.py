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
        "Two weights of 1.0 get no signal from the loss: the first has `.grad = None`, the second has "
        "zeros. What are they after one step of `SGD(lr=0.1, weight_decay=0.5)`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="1.0 and 1.0",
            explanation=(
                "A gradient of zeros is still a gradient for the optimizer: it adds the decay to it "
                "and takes the step."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="0.95 and 0.95",
            explanation="A weight whose `.grad` is `None` is skipped altogether, and its decay with it.",
            answer=(0.95, 0.95),
        ),
        Option(
            text="1.0 and 0.95",
            explanation=(
                "`None` is skipped. Zeros plus decay is 0.5, times 0.1 makes a step of 0.05, so a "
                "layer you thought frozen shrinks."
            ),
            answer=(1.0, 0.95),
        ),
        Option(
            text="0.95 and 1.0",
            explanation="Swapped: it is `None` that makes the optimizer pass by.",
            answer=(0.95, 1.0),
        ),
    ),
)
