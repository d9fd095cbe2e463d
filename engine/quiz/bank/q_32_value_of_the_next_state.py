"""A TD target that is not detached sends a gradient into the value of the state that comes after."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    value = torch.zeros(2, requires_grad=True)  # of the state, and of the next one
    target = 1.0 + 0.5 * value[1]
    target = target.detach() if detached else target
    (target - value[0]).pow(2).backward()
    print(f"detached: {detached!s:5}  gradient: {value.grad.tolist()}")
    answer += (value.grad[1].item(),)
"""

QUESTION = Question(
    name="value-of-the-next-state",
    topic=Topic.PATTERNS,
    prompt=(
        "Both values are 0. A step from one state to the next brings a reward of 1, and the discount is 0.5. Which "
        "gradient does the value of the next state get from the TD error, with the target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="0 detached, and 1 without",
            explanation=(
                "Without the detach the optimizer lowers the next value, which brings the target down to meet the "
                "first. Yet nothing was seen of what follows the next state."
            ),
            answer=(0.0, 1.0),
        ),
        Option(
            text="0 detached, 0 without: only the visited state is trained.",
            explanation=(
                "That is what TD learning means, but autograd follows every value, and the target has one in it."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="0 detached, -1 without",
            explanation=(
                "The target is too high, at 1 against 0. The error falls as the next value falls, so the gradient is positive."
            ),
            answer=(0.0, -1.0),
        ),
        Option(
            text="-2 detached, 1 without",
            explanation="-2 is the gradient of the first value. The next value stands behind the detach.",
            answer=(-2.0, 1.0),
        ),
    ),
)
