"""item() leaves torch: a Python number has no graph and no backward()."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = ((w * 3) ** 2).item()
print("loss:", loss, type(loss))
loss.backward()
print("w.grad:", w.grad)
answer = w.grad is not None
"""

QUESTION = Question(
    name="item-of-the-loss",
    topic=Topic.LOOP,
    prompt=("A loop computes `loss = ((w * 3) ** 2).item()` and then calls `loss.backward()`. What happens?"),
    snippet=SNIPPET,
    options=(
        Option(
            text="An `AttributeError`: a Python number has no `backward()`.",
            explanation=(
                "`item()` gives a Python `float`. It is good for logging; call it only after `backward()`."
            ),
            answer="AttributeError",
        ),
        Option(
            text="A `RuntimeError`: the tensor does not require a gradient.",
            explanation=(
                "That is what a detached tensor would say. `item()` goes one step further: the result "
                "is no tensor at all."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="No error, and `w.grad` stays `None`.",
            explanation="The script does not get that far: there is no method to call.",
            answer=False,
        ),
        Option(
            text="No error, and `w.grad` is filled as always.",
            explanation="The number remembers nothing of `w`, so there would be no way back to it.",
            answer=True,
        ),
    ),
)
