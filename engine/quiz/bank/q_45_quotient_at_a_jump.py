"""At a jump a difference quotient measures the step size and no slope."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
w.round().backward()
print("autograd:", w.grad.item())
slopes = []
for h in (0.1, 0.01, 0.001):
    slopes.append((((w + h).round() - (w - h).round()) / (2 * h)).item())
    print(f"h = {h}: {slopes[-1]:g}")
answer = (w.grad.item(), *(float(f"{slope:g}") for slope in slopes))
"""

QUESTION = Question(
    name="quotient-at-a-jump",
    topic=Topic.RESEARCH,
    prompt=(
        "`round` jumps from 0 to 1 at `w = 0.5`. What does autograd give there, and what does the "
        "difference quotient give for h = 0.1, 0.01 and 0.001?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="0; and 5, 50, 500",
            explanation=(
                "The quotient spreads a jump of 1 over 2h, so all it tells you is h. Autograd takes "
                "`round` to be flat everywhere."
            ),
            answer=(0.0, 5.0, 50.0, 500.0),
        ),
        Option(
            text="0; and 0, 0, 0",
            explanation=(
                "That looks at one side at a time. The function is flat on both sides of 0.5, but each "
                "quotient reaches across the jump."
            ),
            answer=(0.0, 0.0, 0.0, 0.0),
        ),
        Option(
            text="1; and 1, 1, 1",
            explanation=(
                "That is the slope of the line that `round` follows from afar, and what a "
                "straight-through estimator pretends. Neither of these two looks from afar."
            ),
            answer=(1.0, 1.0, 1.0, 1.0),
        ),
        Option(
            text="0; and 5, 0.5, 0.05",
            explanation=(
                "That lets the rise shrink with h, as on a smooth function. Across the jump it stays 1, "
                "and it is divided by ever less."
            ),
            answer=(0.0, 5.0, 0.5, 0.05),
        ),
    ),
    step=2,
)
