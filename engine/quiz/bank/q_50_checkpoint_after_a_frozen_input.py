"""A reentrant checkpoint on an input without requires_grad: the weight inside gets no gradient."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for reentrant in (True, False):
    inside, after = (torch.ones(2, requires_grad=True) for _ in range(2))
    def block(x):
        return x * inside
    hidden = torch.utils.checkpoint.checkpoint(block, torch.ones(2), use_reentrant=reentrant)
    (hidden * after).sum().backward()
    print(f"reentrant: {reentrant!s:5}  inside {inside.grad}, after {after.grad}")
    answer += (inside.grad is not None,)
"""

QUESTION = Question(
    name="checkpoint-after-a-frozen-input",
    topic=Topic.PATTERNS,
    prompt=(
        "A block with a trainable weight runs behind activation checkpointing. Its input does not require grad, just like "
        "the output of a frozen embedding. Does the weight inside get a gradient, with `use_reentrant=True` and with "
        "`use_reentrant=False`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Yes in both: the weight requires grad.",
            explanation=(
                "That is enough for an ordinary call. But a reentrant checkpoint runs the block without recording, and "
                "its output requires grad only if an input does."
            ),
            answer=(True, True),
        ),
        Option(
            text="No in both: behind an input without a gradient nothing is recorded.",
            explanation=(
                "This takes it that the input decides. An ordinary `x * inside` is recorded because `inside` requires "
                "grad, and in a non-reentrant checkpoint it is so as well."
            ),
            answer=(False, False),
        ),
        Option(
            text="Yes with `True`, no with `False`",
            explanation=(
                "The two kinds are mixed up. The reentrant one is an autograd function of the tensors that it is "
                "given, and does not know of those that the block uses besides."
            ),
            answer=(True, False),
        ),
        Option(
            text="No with `True`, yes with `False`",
            explanation=(
                "The reentrant checkpoint is one autograd function of its inputs, and none of them requires grad. "
                "`x.requires_grad_()` would help; the non-reentrant kind needs no help."
            ),
            answer=(False, True),
        ),
    ),
)
