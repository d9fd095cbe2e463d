"""A step below the resolution of float32 moves nothing, and the quotient says 0."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

h = 1e-8
answer = ()
for dtype in (torch.float32, torch.float64):
    w = torch.tensor(3.0, dtype=dtype, requires_grad=True)
    (w**2).backward()
    quotient = (((w + h) ** 2 - (w - h) ** 2) / (2 * h)).item()
    print(f"{dtype}: autograd {w.grad.item()}, quotient {quotient:.4f}")
    answer += (round(quotient, 4),)
"""

QUESTION = Question(
    name="too-small-a-step",
    topic=Topic.RESEARCH,
    prompt=(
        "The slope of `w ** 2` at `w = 3` is 6. What does the difference quotient with h = 1e-8 give, to "
        "four digits, in float32 and in float64?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="6 in both of them",
            explanation=(
                "A central difference of a square is exact, but on paper. One of the two types cannot "
                "hold `3 + 1e-8`."
            ),
            answer=(6.0, 6.0),
        ),
        Option(
            text="0 in both of them",
            explanation=(
                "That gives both types equally many digits. float64 has about 16, so there `3 + 1e-8` is "
                "a number of its own."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="0 in float32, 6 in float64",
            explanation=(
                "float32 has about 7 digits: `3 + 1e-8` is 3 again, and nothing changes. A gradient check "
                "in float32 would blame autograd for it."
            ),
            answer=(0.0, 6.0),
        ),
        Option(
            text="6 in float32, 0 in float64",
            explanation=(
                "That has the two reversed: the type with more digits is the one in which a small step "
                "still moves something."
            ),
            answer=(6.0, 0.0),
        ),
    ),
)
