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
        "`w` is a leaf, `h = w * 3` and `k = h + 1` are results, and `k.retain_grad()` was called. "
        "After `backward()`, which of them hold a gradient in `.grad`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="All three: the gradient passed through each of them.",
            explanation=(
                "It did pass through `h`. Passing through is not being kept: a result drops its "
                "gradient once it is used."
            ),
            answer=(True, True, True),
        ),
        Option(
            text="`w` and `k`, but not `h`.",
            explanation=(
                "Leaves keep their gradient, and results only on request. `None` on `h` does not mean "
                "that the gradient stopped there."
            ),
            answer=(True, False, True),
        ),
        Option(
            text="Only `w`: nothing but a leaf can hold a gradient.",
            explanation="Results can hold one too, if you ask with `retain_grad()` before the backward pass.",
            answer=(True, False, False),
        ),
        Option(
            text="Only `k`: a retained gradient goes no further back.",
            explanation=(
                "`retain_grad()` keeps a copy for you to read. The gradient goes on to `w` as before."
            ),
            answer=(False, False, True),
        ),
    ),
)
