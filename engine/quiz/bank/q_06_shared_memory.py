"""A detached tensor is a second name for the same memory; a clone is a copy."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
detached = t.detach()
copied = t.detach().clone()
detached[0] = 100
copied[1] = 200
print("detached:", detached)
print("copied:  ", copied)
print("t:       ", t)
answer = tuple(t.tolist())
"""

QUESTION = Question(
    name="shared-memory",
    topic=Topic.DETACH,
    prompt="`detached` and `copied` are each edited in place. What does `t` hold afterwards?",
    snippet=SNIPPET,
    options=(
        Option(
            text="`[100, 2, 3]`",
            explanation=(
                "`detach()` shares the memory of `t`, so its edit shows in `t`. `clone()` has memory of "
                "its own, so its edit does not."
            ),
            answer=(100.0, 2.0, 3.0),
        ),
        Option(
            text="`[1, 2, 3]`",
            explanation="That takes `detach()` for a copy. It leaves the graph and keeps the memory.",
            answer=(1.0, 2.0, 3.0),
        ),
        Option(
            text="`[100, 200, 3]`",
            explanation=(
                "That takes `clone()` for another view of `t`. A clone is a copy in memory of its own."
            ),
            answer=(100.0, 200.0, 3.0),
        ),
        Option(
            text="`[1, 200, 3]`",
            explanation=(
                "That has the two reversed: the clone is the copy, and the detached tensor shares the memory."
            ),
            answer=(1.0, 200.0, 3.0),
        ),
    ),
    step=2,
)
