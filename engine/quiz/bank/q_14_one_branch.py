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
    prompt="At `w = 3` this loss is 9, just like `w ** 2`. What is `w.grad`?",
    snippet=SNIPPET,
    options=(
        Option(
            text="6.0, the derivative of `w ** 2`",
            explanation=(
                "That reads the gradient off the value. Equal losses can have different graphs: here one "
                "of the two factors is a constant."
            ),
            answer=6.0,
        ),
        Option(
            text="0.0, since the detach makes the loss a constant",
            explanation=(
                "That cuts both factors. Only one is detached; through the other the loss is still "
                "connected to `w`."
            ),
            answer=0.0,
        ),
        Option(
            text="No number at all: `backward()` raises an error.",
            explanation=(
                "That is what happens if every path to `w` is cut. One is left, which makes this mistake "
                "hard to notice."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="3.0, the share of one factor",
            explanation=(
                "It is the derivative of `w * 3`, the detached 3 being a constant: a gradient, but not "
                "the whole one."
            ),
            answer=3.0,
        ),
    ),
)
