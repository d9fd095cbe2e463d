"""requires_grad_(False) in mid-training leaves the old gradient there, and the optimizer goes on using it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=0.5)
answer = ()
w.sum().backward()
w.requires_grad_(False)
for none in (False, True):
    optimizer.zero_grad(set_to_none=none)
    before = w.item()
    optimizer.step()
    print(f"w.grad {w.grad}: w goes from {before:.4f} to {w.item():.4f}")
    answer += (w.item() != before,)
"""

QUESTION = Question(
    name="frozen-too-late",
    topic=Topic.LOOP,
    prompt=(
        "A weight already has a gradient when it is frozen. The next `zero_grad` clears to zeros, the one "
        "after that to `None`. In which of the two steps does it move?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="In neither: a frozen weight is not trained.",
            explanation=(
                "That looks for freezing in the optimizer. An optimizer doesn't look at `requires_grad`: "
                "it moves every parameter with something in `.grad`."
            ),
            answer=(False, False),
        ),
        Option(
            text="In both: the weight decay is always on.",
            explanation=(
                "That takes the decay for something separate from the gradient. With `None` in `.grad` "
                "the weight is skipped, and its decay with it."
            ),
            answer=(True, True),
        ),
        Option(
            text="Only in the second, with `None`.",
            explanation="That has the two reversed: `None` is what makes the optimizer skip a weight.",
            answer=(False, True),
        ),
        Option(
            text="Only in the first, with zeros in its `.grad`.",
            explanation=(
                "Zeros are a gradient to the optimizer, and the decay is added to it. Clear to `None`, or "
                "give the optimizer only what should move."
            ),
            answer=(True, False),
        ),
    ),
    step=2,
)
