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
        "`exp` saves its result for `backward()`. Before that, the result is edited in place, first "
        "through `y.data`, then through `y.detach()`. What does `backward()` do? (The right gradient is "
        "1.)"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It raises an error in both cases.",
            explanation=(
                "Both edits do spoil the saved value, but only one of them is counted where torch would "
                "notice."
            ),
            answer=("raises", "raises"),
        ),
        Option(
            text="It gives 10 after `.data`, and raises after `detach()`.",
            explanation=(
                "An edit through `.data` is not counted for `y`, so the wrong number passes in silence. "
                "`detach()` shares the count of edits with `y`, and torch catches it: one more reason to "
                "write `detach()`."
            ),
            answer=(10.0, "raises"),
        ),
        Option(
            text="It gives 1 in both cases.",
            explanation=(
                "That expects a saved copy. `exp` saves its result itself, and both edits reach that memory."
            ),
            answer=(1.0, 1.0),
        ),
        Option(
            text="It gives 10 in both cases.",
            explanation=(
                "That takes the two for the same thing. They share the memory, but only `detach()` also "
                "shares the count of edits that torch checks."
            ),
            answer=(10.0, 10.0),
        ),
    ),
    step=4,
)
