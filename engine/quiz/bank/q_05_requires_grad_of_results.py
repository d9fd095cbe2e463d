"""One tracked input is enough for a result to be tracked."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

a = torch.tensor([1.0, 2.0], requires_grad=True).detach()
b = torch.tensor([3.0, 4.0], requires_grad=True)
product, total = a * 2, a + b
print("a * 2:", product)
print("a + b:", total)
answer = (product.requires_grad, total.requires_grad)
"""

QUESTION = Question(
    name="requires-grad-of-results",
    topic=Topic.GRAPH,
    prompt="`a` is detached and `b` requires a gradient. What is `requires_grad` of `a * 2` and of `a + b`?",
    snippet=SNIPPET,
    options=(
        Option(
            text="`False` for both: one detached input takes the whole result out.",
            explanation=(
                "That takes a detach for something that spreads. A detached input is just a constant; the "
                "path through `b` is still there."
            ),
            answer=(False, False),
        ),
        Option(
            text="`True` for both: new tensors are tracked again.",
            explanation=(
                "Being new is not enough. A result is tracked only if one of its inputs is, and `a * 2` "
                "has no tracked input."
            ),
            answer=(True, True),
        ),
        Option(
            text="`False` for `a * 2`, `True` for `a + b`.",
            explanation="One tracked input is enough: `a + b` has `b`, and `a * 2` has none.",
            answer=(False, True),
        ),
        Option(
            text="`True` for `a * 2`, `False` for `a + b`.",
            explanation=(
                "That judges by the arithmetic, or has the rule reversed. What counts is whether some "
                "input is tracked, and `b` is."
            ),
            answer=(True, False),
        ),
    ),
)
