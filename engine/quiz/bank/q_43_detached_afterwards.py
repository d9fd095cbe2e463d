"""detach_ changes the tensor, not the graph of what was made of it before."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for make_loss in (lambda y: 3 * y, lambda y: y**2):
    w = torch.tensor(1.0, requires_grad=True)
    y = 2 * w
    loss = make_loss(y)
    y.detach_()
    try:
        loss.backward()
    except RuntimeError as error:
        print("RuntimeError:", error)
    print("w.grad:", w.grad)
    answer += (None if w.grad is None else w.grad.item(),)
"""

QUESTION = Question(
    name="detached-afterwards",
    topic=Topic.DETACH,
    prompt=(
        "`y` is detached in place only after the loss was made of it. What is `w.grad` after "
        "`backward()`, with the loss `3 * y` and with `y ** 2`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`None` and `None`",
            explanation=(
                "That expects the detach to work backwards in time. The losses were made before: their "
                "graphs still lead to `w`."
            ),
            answer=(None, None),
        ),
        Option(
            text="6 and `None`",
            explanation=(
                "The way back is there in both. But `y ** 2` needs the saved `y` for its derivative, and "
                "torch refuses a saved tensor that was detached in place; `3 * y` needs none."
            ),
            answer=(6.0, None),
        ),
        Option(
            text="6 and 8",
            explanation=(
                "These would be right without `detach_()`. That overlooks that `y ** 2` needs the saved "
                "`y`, which the detach in place has spoiled."
            ),
            answer=(6.0, 8.0),
        ),
        Option(
            text="`None` and 8",
            explanation=(
                "That has the two reversed: `3 * y` is the loss that needs no value of `y` on the way back."
            ),
            answer=(None, 8.0),
        ),
    ),
    step=4,
)
