"""A detach changes what happens backwards only: the forward values are the same bits."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

rng = torch.Generator().manual_seed(0)
x, w1, w2 = (torch.randn(8, 8, generator=rng).requires_grad_() for _ in range(3))
plain = torch.relu(x @ w1) @ w2
cut = torch.relu(x @ w1).detach() @ w2
same, gap = torch.equal(plain, cut), (plain - cut).abs().max().item()
print("the same bits:", same)
print("largest difference:", gap)
print("anything but zeros after the detach:", bool(cut.any()))
answer = "same" if same else "zeros" if not cut.any() else "close" if gap < 1e-5 else "far"
"""

QUESTION = Question(
    name="forward-values",
    topic=Topic.DETACH,
    prompt=(
        "The same input goes through the same two layers twice, the second time with a `detach()` between "
        "them. How do the two outputs compare?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="They are identical to the last bit.",
            explanation=(
                "A detach passes on the very same numbers. It only drops the record of where they came from."
            ),
            answer="same",
        ),
        Option(
            text="They agree to about six digits and differ by rounding.",
            explanation=(
                "That expects other arithmetic after a detach. Both times the same numbers are computed "
                "in the same way, so they are rounded alike."
            ),
            answer="close",
        ),
        Option(
            text="The cut one is clearly different, since layer 1 no longer counts.",
            explanation=(
                "That mixes up counting for the output with learning from it. Layer 1 still makes the "
                "output; it only gets no gradient."
            ),
            answer="far",
        ),
        Option(
            text="The cut one is all zeros.",
            explanation=(
                "That mixes up the values with the gradient. It is the gradient that does not arrive; the "
                "values arrive in full."
            ),
            answer="zeros",
        ),
    ),
)
