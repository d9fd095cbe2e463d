"""backward() keeps gradients on leaves, and on results only where retain_grad() was called."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
h = w * 3
k = h + 1
k.retain_grad()
(k**2).backward()
held = {"w": w.grad, "h": h.grad, "k": k.grad}
for name, gradient in held.items():
    print(f"{name}.grad: {gradient}")
answer = tuple(gradient is not None for gradient in held.values())
"""

QUESTION = Question(
    name="leaves-and-results",
    topic=Topic.GRAPH,
    prompt=(
        "`w` is a leaf; `h` and `k` are results. Which of the three hold a gradient in `.grad` after "
        "`backward()`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="All three: the gradient passed through each of them.",
            explanation=(
                "It did pass through `h`, but passing through is not being kept: a result keeps no "
                "gradient unless you ask."
            ),
            answer=(True, True, True),
        ),
        Option(
            text="`w` and `k`, but not `h`.",
            explanation=(
                "A leaf keeps its gradient, a result only on request. `None` on `h` does not mean that "
                "the gradient stopped there."
            ),
            answer=(True, False, True),
        ),
        Option(
            text="Only `w`: nothing but a leaf can hold a gradient.",
            explanation=(
                "That takes the default for a law. A result keeps its gradient too if `retain_grad()` was "
                "called before the backward pass."
            ),
            answer=(True, False, False),
        ),
        Option(
            text="Only `k`: a retained gradient goes no further back.",
            explanation=(
                "That takes retaining for holding back. `k` keeps its gradient for you to read, and the "
                "gradient goes on to `w` as before."
            ),
            answer=(False, False, True),
        ),
    ),
)
