"""zero_grad leaves None by default, and zeros only when asked."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
answer = ()
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
        "A weight has a gradient. What is in its `.grad` after `zero_grad()`, and what after "
        "`zero_grad(set_to_none=False)`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`None` after the first, zeros after the second.",
            explanation=(
                "`None` is the default, and it tells you more: no gradient has arrived since. Zeros could "
                "also be a gradient that happens to be zero."
            ),
            answer=("None", "zeros"),
        ),
        Option(
            text="Zeros after both: that is what the name says.",
            explanation=(
                "That goes by the name. By default the gradient is dropped altogether; zeros are left "
                "only if you ask for them."
            ),
            answer=("zeros", "zeros"),
        ),
        Option(
            text="`None` after both: the flag only changes the speed.",
            explanation=(
                "That takes the flag for a mere optimization. With `False` the tensor stays and is filled "
                "with zeros."
            ),
            answer=("None", "None"),
        ),
        Option(
            text="Zeros after the first, the old gradient after the second.",
            explanation=(
                "That takes the flag for a switch that turns clearing off. `zero_grad` always clears; the "
                "flag decides what it leaves behind."
            ),
            answer=("zeros", "old"),
        ),
    ),
)
