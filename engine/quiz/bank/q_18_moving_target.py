"""A target computed from the same weight must be detached, or the gradient also moves the target."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    w = torch.tensor(1.0, requires_grad=True)
    value, target = w * 2, 1 + 0.5 * w * 6
    if detached:
        target = target.detach()
    loss = (value - target) ** 2
    loss.backward()
    print(f"detached: {detached!s:5}  loss: {loss.item()}  w.grad: {w.grad.item()}")
    answer += (w.grad.item(),)
"""

QUESTION = Question(
    name="moving-target",
    topic=Topic.PATTERNS,
    prompt=(
        "The value `w * 2` is to move toward the target `1 + 0.5 * w * 6`, at `w = 1`. What is "
        "`w.grad` of the squared difference, with the target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="-8 in both cases, since the loss is the same number",
            explanation="The losses are equal, but without the detach `w` also counts inside the target.",
            answer=(-8.0, -8.0),
        ),
        Option(
            text="-8 detached, 4 without",
            explanation=(
                "The two runs step in opposite directions. Detached, `w` grows and lifts the value to the "
                "target. Without, `w` shrinks, since that lowers the target faster than the value."
            ),
            answer=(-8.0, 4.0),
        ),
        Option(
            text="-8 detached, 0 without",
            explanation=(
                "They would cancel to 0 if the target changed with `w` as fast as the value does. It "
                "changes by 3, the value by 2."
            ),
            answer=(-8.0, 0.0),
        ),
        Option(
            text="0 detached, 4 without",
            explanation="The detach cuts the target only. The value still leads back to `w`.",
            answer=(0.0, 4.0),
        ),
    ),
)
