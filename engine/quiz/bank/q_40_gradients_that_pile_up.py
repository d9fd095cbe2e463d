"""An optimizer clears only what it holds: the backbone's gradients pile up."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

backbone = torch.tensor([2.0], requires_grad=True)
head = torch.tensor([5.0], requires_grad=True)
optimizer = torch.optim.SGD([head], lr=0.0)
for step in (1, 2, 3):
    optimizer.zero_grad()
    (backbone * head).sum().backward()
    optimizer.step()
    print(f"step {step}: backbone.grad {backbone.grad.item()}, head.grad {head.grad.item()}")
answer = (backbone.grad.item(), head.grad.item())
"""

QUESTION = Question(
    name="gradients-that-pile-up",
    topic=Topic.LOOP,
    prompt=(
        "The optimizer holds only the head, and nothing cuts off the backbone. The loss is `backbone * head`, 2 times 5, "
        "and the learning rate is 0. After three steps with `optimizer.zero_grad()` in each, what are the gradients?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Backbone 5, head 2: each step clears the last.",
            explanation="It does so for the head. `optimizer.zero_grad()` knows only the parameters it was given.",
            answer=(5.0, 2.0),
        ),
        Option(
            text="Backbone 0, head 2: what no optimizer holds gets nothing.",
            explanation=(
                "`backward()` knows of no optimizer. Every leaf that requires a gradient gets one, wanted or not."
            ),
            answer=(0.0, 2.0),
        ),
        Option(
            text="Backbone 15, head 2: the backbone's are never cleared.",
            explanation=(
                "Three times 5 is added up. It moves nothing here, but it costs time and memory, and an optimizer "
                "that is given the backbone later starts from it."
            ),
            answer=(15.0, 2.0),
        ),
        Option(
            text="Backbone 15, head 6: both add up.",
            explanation="The head is in the optimizer, so `zero_grad()` clears it before each `backward()`.",
            answer=(15.0, 6.0),
        ),
    ),
)
