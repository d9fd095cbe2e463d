"""The least squared TD error is not at the true values where chance decides the next state."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    v = torch.zeros(3, requires_grad=True)  # the values of A, B and C
    for _ in range(500):
        target = torch.stack([v[1], v[2], torch.tensor(1.0), torch.tensor(0.0)])
        target = target.detach() if detached else target
        loss = (v[[0, 0, 1, 2]] - target).pow(2).sum()
        slope = torch.autograd.grad(loss, v)[0]
        with torch.no_grad():
            v -= 0.1 * slope
    print(f"detached: {detached!s:5}  A, B, C: {[round(x, 2) for x in v.tolist()]}")
    answer += (round(v[1].item(), 2),)
"""

QUESTION = Question(
    name="double-sampling",
    topic=Topic.RESEARCH,
    prompt=(
        "A is followed by B as often as by C. B always ends with a reward of 1, C with 0. Where does the "
        "value of B end, with the target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="At 1 with it and at 1 without: B always pays 1, so there is nothing to argue about.",
            explanation=(
                "That looks at B's own transition alone. Without the detach, the transition from A to B "
                "pulls on B as well."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="At 0.75 with it, at 1 without",
            explanation=(
                "That has the two reversed: a detached target can't be pulled by the state before it, so "
                "B goes by its own reward."
            ),
            answer=(0.75, 1.0),
        ),
        Option(
            text="At 1 with it, at 0.75 without",
            explanation=(
                "Without the detach A pulls B and C toward itself, at 0.5, since that lowers the squared "
                "error. Where chance decides what follows, the least error is not at the true values."
            ),
            answer=(1.0, 0.75),
        ),
        Option(
            text="At 1 with it, at 0.5 without",
            explanation=(
                "That gives A the last word. B's own reward of 1 pulls just as hard, and B rests halfway "
                "between 0.5 and 1."
            ),
            answer=(1.0, 0.5),
        ),
    ),
    step=4,
)
