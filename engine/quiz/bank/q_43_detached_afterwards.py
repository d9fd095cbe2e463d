"""detach_ changes the tensor, not the graph of what was made of it before."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for make_loss in (lambda y: 3 * y, lambda y: y**2):
    y = 2 * (w := torch.tensor(1.0, requires_grad=True))
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
        "`y = 2 * w` with `w = 1`. A loss is made of `y`, and only then `y.detach_()` detaches it in place. After "
        "`backward()`, what is `w.grad` with the loss `3 * y`, and what with `y ** 2`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`None` and `None`",
            explanation="The losses were made before: their graphs still lead through the node of `2 * w` to `w`.",
            answer=(None, None),
        ),
        Option(
            text="6 and `None`",
            explanation=(
                "The way back is the same for both. But `y ** 2` needs the saved `y` for its derivative, and torch "
                "refuses a saved tensor that was detached in place; `3 * y` needs none."
            ),
            answer=(6.0, None),
        ),
        Option(
            text="6 and 8",
            explanation=(
                "These are the right gradients. For one of them autograd needs the value of `y`, which it kept, and the "
                "detach in place spoils it."
            ),
            answer=(6.0, 8.0),
        ),
        Option(
            text="`None` and 8",
            explanation="Of the two losses, `3 * y` is the one that needs nothing of `y` on the way back.",
            answer=(None, 8.0),
        ),
    ),
)
