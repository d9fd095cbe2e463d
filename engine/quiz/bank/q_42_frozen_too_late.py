"""requires_grad_(False) in mid-training leaves the old gradient there, and the optimizer goes on using it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([1.0], requires_grad=True)
optimizer, answer = torch.optim.SGD([w], lr=0.1, weight_decay=0.5), ()
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
        "A weight in `SGD(weight_decay=0.5)` already has a gradient when `requires_grad_(False)` freezes it. "
        "The next `zero_grad` clears to zeros, the one after that to `None`. In which of the two steps does it move?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="In neither: a frozen weight is not trained.",
            explanation=(
                "An optimizer does not look at `requires_grad`. It moves every parameter that has something in `.grad`."
            ),
            answer=(False, False),
        ),
        Option(
            text="In both: the weight decay is always on.",
            explanation="With `None` in `.grad` the parameter is skipped as a whole, and its decay with it.",
            answer=(True, True),
        ),
        Option(
            text="Only in the second, with `None`.",
            explanation="This is turned round: `None` is what makes the optimizer pass by.",
            answer=(False, True),
        ),
        Option(
            text="Only in the first, with zeros in its `.grad`.",
            explanation=(
                "Zeros are a gradient to the optimizer, and the decay is added to it. Clear to `None`, or give the "
                "optimizer only what shall move."
            ),
            answer=(True, False),
        ),
    ),
)
