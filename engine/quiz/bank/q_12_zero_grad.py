"""zero_grad leaves None by default, and zeros only when asked."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer, answer = torch.optim.SGD([w], lr=0.1), ()
for choice in ({}, {"set_to_none": False}):
    (w * 3).sum().backward()
    optimizer.zero_grad(**choice)
    print(f"zero_grad({choice or ''}): {w.grad}")
    answer += ("None" if w.grad is None else "zeros" if not w.grad.any() else "old",)
"""

QUESTION = Question(
    name="zero-grad",
    topic=Topic.LOOP,
    prompt=(
        "A weight has a gradient. What is in its `.grad` after `optimizer.zero_grad()`, and what "
        "after `optimizer.zero_grad(set_to_none=False)`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`None` after the first, zeros after the second.",
            explanation=(
                "`None` is the default, and it tells more: no gradient has arrived since. Zeros could "
                "also be a gradient that is zero."
            ),
            answer=("None", "zeros"),
        ),
        Option(
            text="Zeros after both: that is what the name says.",
            explanation=(
                "It was so in old versions of torch. Since version 2 the default is to drop the gradient."
            ),
            answer=("zeros", "zeros"),
        ),
        Option(
            text="`None` after both: the flag only changes the speed.",
            explanation=(
                "The flag changes what you find there: with `False` the tensor stays and is filled "
                "with zeros."
            ),
            answer=("None", "None"),
        ),
        Option(
            text="Zeros after the first, the old gradient after the second.",
            explanation=(
                "`zero_grad` always clears. The flag decides what it leaves in place of the gradient."
            ),
            answer=("zeros", "old"),
        ),
    ),
)
