"""An edit through .data hides from autograd; the same edit through detach() is noticed."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for outside in (lambda t: t.data, lambda t: t.detach()):
    w = torch.tensor(0.0, requires_grad=True)
    y = w.exp()
    outside(y).mul_(10)
    try:
        y.backward()
        print("no error, w.grad:", w.grad.item())
    except RuntimeError as error:
        print("RuntimeError:", error)
    answer += ("raises" if w.grad is None else w.grad.item(),)
"""

QUESTION = Question(
    name="data-attribute",
    topic=Topic.DETACH,
    prompt=(
        "`exp` saves its result for the backward pass. Before that pass the result is multiplied by "
        "10 in place, once through `y.data` and once through `y.detach()`. What does `backward()` do? "
        "(The right gradient is 1.)"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It raises an error in both cases.",
            explanation=(
                "Both edits spoil the saved value. Only one of them is counted where torch would notice."
            ),
            answer=("raises", "raises"),
        ),
        Option(
            text="It gives 10 after `.data`, and raises after `detach()`.",
            explanation=(
                "`.data` also drops the counter of edits, so the wrong number passes silently. "
                "`detach()` shares it, and the check catches you."
            ),
            answer=(10.0, "raises"),
        ),
        Option(
            text="It gives 1 in both cases.",
            explanation=(
                "That would need a saved copy. For `exp`, autograd saves the result itself, not a copy of it."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="It gives 10 in both cases.",
            explanation=(
                "That is the danger in general. For one of the two, torch keeps count of edits and refuses."
            ),
            answer=(10.0, 10.0),
        ),
    ),
)
