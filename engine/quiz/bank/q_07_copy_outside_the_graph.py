"""clone copies, detach cuts; a snapshot of values needs both."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

t = torch.tensor([1.0, 2.0], requires_grad=True)
ways = {
    "t.clone().requires_grad_()": t.clone().requires_grad_(),
    "t.detach()": t.detach(),
    "t.clone()": t.clone(),
    "t.clone().detach()": t.clone().detach(),
}
own = {way: copy.data_ptr() != t.data_ptr() for way, copy in ways.items()}
for way, copy in ways.items():
    print(f"{way:27} own memory: {own[way]!s:5}  in the graph: {copy.requires_grad}")
answer = ", ".join(way for way, copy in ways.items() if own[way] and not copy.requires_grad)
"""

QUESTION = Question(
    name="copy-outside-the-graph",
    topic=Topic.DETACH,
    prompt=(
        "You want a snapshot of `t`, with memory of its own and outside the graph. Which expression gives "
        "you one?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`t.clone().requires_grad_()`",
            explanation=(
                "That takes `requires_grad_()` for a fresh start. The clone is tracked already, so the "
                "call changes nothing, and gradients still flow back to `t`."
            ),
            answer="t.clone().requires_grad_()",
        ),
        Option(
            text="`t.detach()`",
            explanation=(
                "It is outside the graph, but not a copy: it shares memory with `t`, so the next "
                "optimizer step changes your snapshot too."
            ),
            answer="t.detach()",
        ),
        Option(
            text="`t.clone()`",
            explanation=(
                "It is a copy, but not outside the graph: cloning is an operation like any other, with a "
                "`grad_fn` through which gradients flow."
            ),
            answer="t.clone()",
        ),
        Option(
            text="`t.clone().detach()`",
            explanation=(
                "The clone gives it memory of its own, and the detach takes it out of the graph. You need "
                "both."
            ),
            answer="t.clone().detach()",
        ),
    ),
    step=2,
)
