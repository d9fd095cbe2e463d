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
    prompt="`backward()` is called on what `item()` returned. What happens?",
    snippet=SNIPPET,
    options=(
        Option(
            text="An `AttributeError`: a Python number has no `backward()`.",
            explanation=(
                "`item()` returns a Python `float`. Keep the tensor for `backward()`, and log its "
                "`item()`, before or after."
            ),
            answer="AttributeError",
        ),
        Option(
            text="A `RuntimeError`: the tensor does not require a gradient.",
            explanation=(
                "That mixes up `item()` with `detach()`, which returns a tensor outside the graph. "
                "`item()` returns no tensor at all."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="No error, and `w.grad` stays `None`.",
            explanation=(
                "That takes the call for one that quietly does nothing. It fails: a `float` has no such "
                "method."
            ),
            answer=False,
        ),
        Option(
            text="No error, and `w.grad` is filled as always.",
            explanation=(
                "That takes the number for the tensor that it came from. The number knows nothing of `w`."
            ),
            answer=True,
        ),
    ),
)
