"""With one of two branches cut, the gradient is there, but it is only a part."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(3.0, requires_grad=True)
loss = w * w.detach()
print("loss:", loss.item())
loss.backward()
print("w.grad:", w.grad.item())
answer = w.grad.item()
"""

QUESTION = Question(
    name="one-branch",
    topic=Topic.DETACH,
    prompt=("`loss = w * w.detach()` at `w = 3`, so the loss is 9, just as for `w ** 2`. What is `w.grad`?"),
    snippet=SNIPPET,
    options=(
        Option(
            text="6.0, the derivative of `w ** 2`",
            explanation=(
                "It would be 6 if both factors were tracked: 3 from each. One of them is a constant here."
            ),
            answer=6.0,
        ),
        Option(
            text="0.0, since the detach makes the loss a constant",
            explanation="One factor is constant, the other is not, so the loss is still connected to `w`.",
            answer=0.0,
        ),
        Option(
            text="No number at all: `backward()` raises an error.",
            explanation=(
                "It raises only if every path is cut. One is left, which makes this mistake hard to notice."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="3.0, the share of one factor",
            explanation=(
                "The derivative of `w * 3`, with the detached 3 as a constant. There is a gradient, "
                "only not the whole one."
            ),
            answer=3.0,
        ),
    ),
)
