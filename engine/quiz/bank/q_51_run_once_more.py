"""A checkpoint runs its block again in the backward pass, if the backward pass comes to it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

weight = torch.ones(2, requires_grad=True)
answer = ()
for wanted in (False, True):
    calls = []
    def block(x):
        calls.append(len(calls))
        return x.tanh()
    x = torch.ones(2, requires_grad=wanted)
    hidden = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=True)
    (hidden * weight).sum().backward()
    print(f"x requires grad: {wanted!s:5}  runs: {len(calls)}")
    answer += (len(calls),)
"""

QUESTION = Question(
    name="run-once-more",
    topic=Topic.RESEARCH,
    prompt=(
        "A reentrant checkpoint is made around a block, once with an input that does not require grad and once with "
        "one that does. How often does the block run in a forward and a backward pass?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="2 times and 2 times",
            explanation=(
                "This is right where the backward pass comes to the checkpoint. Without an input that requires grad "
                "the checkpoint is not in the graph, and nothing asks for a second run."
            ),
            answer=(2, 2),
        ),
        Option(
            text="1 time and 1 time",
            explanation=(
                "So it is without a checkpoint. With one, what the block would have saved is dropped, and what the way "
                "back needs has to be computed once more."
            ),
            answer=(1, 1),
        ),
        Option(
            text="2 times and 1 time",
            explanation=(
                "This takes the second run for a repair of a missing gradient. It is part of computing a gradient, so "
                "it happens where there is one to compute."
            ),
            answer=(2, 1),
        ),
        Option(
            text="1 time and 2 times",
            explanation=(
                "With no input that requires grad, the first checkpoint is left out of the graph. In the second, the "
                "backward pass runs the block again to get what was not saved."
            ),
            answer=(1, 2),
        ),
    ),
)
