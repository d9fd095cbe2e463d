"""A target computed from the same weight must be detached, or the gradient also moves the target."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    w = torch.tensor(1.0, requires_grad=True)
    value, target = 2 * w, 4 + w
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
        "The value `2 * w` is to move toward the target `4 + w`, at `w = 1`. What is `w.grad`, with the "
        "target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="-12 in both cases, since the loss is the same number",
            explanation=(
                "That reads the gradient off the value. The losses are equal, but without the detach `w` "
                "also counts inside the target."
            ),
            answer=(-12.0, -12.0),
        ),
        Option(
            text="-12 detached, -6 without",
            explanation=(
                "Detached, only the value moves toward the target. Without the detach the gradient also "
                "sees the target move away, by 1 where the value moves by 2, and half the pull is left."
            ),
            answer=(-12.0, -6.0),
        ),
        Option(
            text="-12 detached, 0 without",
            explanation=(
                "They would cancel if the target moved with `w` as fast as the value does. It moves by 1, "
                "the value by 2."
            ),
            answer=(-12.0, 0.0),
        ),
        Option(
            text="0 detached, -6 without",
            explanation=(
                "That cuts the value along with the target. Only the target is detached; the value still "
                "leads back to `w`."
            ),
            answer=(0.0, -6.0),
        ),
    ),
)
