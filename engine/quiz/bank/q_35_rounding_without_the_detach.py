"""Without the detach, the two ways back of a straight-through estimator cancel to an exact zero."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor(0.3, requires_grad=True)
optimizer = torch.optim.Adam([x], lr=0.1)
for _ in range(20):
    optimizer.zero_grad()
    y = x + (x.round() - x)
    (y - 2).pow(2).backward()
    optimizer.step()
print(f"y: {y.item():.1f}  x: {x.item():.1f}")
print("gradient:", x.grad)
answer = (None if x.grad is None else x.grad.item(), x.item() != torch.tensor(0.3).item())
"""

QUESTION = Question(
    name="rounding-without-the-detach",
    topic=Topic.PATTERNS,
    prompt=(
        "The detach around the bracket was forgotten. Adam, which turns even tiny gradients into whole "
        "steps, is to bring `y` to 2. What is `x.grad` in the end, and does `x` move?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It is exactly 0.0, and `x` stays at 0.3 all along.",
            explanation=(
                "The first `x` brings -4 and the one in the bracket 4, which cancel without a remainder. "
                "No error and no warning tells you."
            ),
            answer=(0.0, False),
        ),
        Option(
            text="It is `None`, and `x` stays: `round` cuts the graph.",
            explanation=(
                "That mixes up zeros with no path. `round` stays in the graph and passes zeros back; only "
                "a cut would leave `None`."
            ),
            answer=(None, False),
        ),
        Option(
            text="It is -4.0, and `x` grows: the first `x` brings its gradient.",
            explanation=(
                "It does, but that forgets the `x` in the bracket, which brings the opposite. The detach "
                "would keep that one out."
            ),
            answer=(-4.0, True),
        ),
        Option(
            text="It is nearly 0, and Adam makes `x` move.",
            explanation=(
                "A leftover of 1e-8 would indeed move it. But nothing is left over: a number and its "
                "negative add up to an exact zero."
            ),
            answer=(0.0, True),
        ),
    ),
    step=5,
    picture=Settings(experiment="straight_through", detach="nowhere", epochs=1),
)
