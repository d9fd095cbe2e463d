"""Without its detach the copy is the code alone: the gradient leaves the encoder for the code."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for cut in (True, False):
    z = torch.tensor([1.0], requires_grad=True)
    code = torch.tensor([3.0], requires_grad=True)
    change = (code - z).detach() if cut else code - z
    (2 * (z + change)).sum().backward()
    print(f"detached: {cut!s:5}  z.grad: {z.grad}  code.grad: {code.grad}")
    answer += (z.grad.item(), None if code.grad is None else code.grad.item())
"""

QUESTION = Question(
    name="copy-without-its-detach",
    topic=Topic.PATTERNS,
    prompt=(
        "A decoder doubles the copy `z + (code - z)`. What are the gradients of `z` and of `code`, with "
        "`code - z` detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Detached: 2 and `None`. Not: 2 and 2.",
            explanation=(
                "The first half is right. The second forgets that `z` is in the sum twice without the "
                "detach, with a plus and with a minus."
            ),
            answer=(2.0, None, 2.0, 2.0),
        ),
        Option(
            text="Detached: 0 and 2. Not: 2 and `None`.",
            explanation="That has the two reversed: it is the detached part that takes no gradient.",
            answer=(0.0, 2.0, 2.0, None),
        ),
        Option(
            text="Detached: 2 and `None`. Not: 1 and 1, half for each.",
            explanation=(
                "That shares the gradient out like a sum of money. A sum passes the whole gradient to "
                "each of its parts."
            ),
            answer=(2.0, None, 1.0, 1.0),
        ),
        Option(
            text="Detached: 2 and `None`. Not: 0 and 2.",
            explanation=(
                "Without the detach the two `z` cancel, backward as well as forward: `z` gets a zero, and "
                "the code gets all of it."
            ),
            answer=(2.0, None, 0.0, 2.0),
        ),
    ),
    step=6,
)
