"""An optimizer clears only what it holds: the backbone's gradients pile up."""

from ...settings import Settings
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
        "The optimizer holds only the head, at a learning rate of 0, and nothing cuts off the backbone. "
        "What are the gradients after three steps?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Backbone 5, head 2: each step clears the last.",
            explanation=(
                "It does for the head. `optimizer.zero_grad()` knows only the parameters that the "
                "optimizer was given."
            ),
            answer=(5.0, 2.0),
        ),
        Option(
            text="Backbone 0, head 2: what no optimizer holds gets nothing.",
            explanation=(
                "That mixes up moving with getting a gradient. `backward()` knows no optimizer: every "
                "leaf that requires a gradient gets one."
            ),
            answer=(0.0, 2.0),
        ),
        Option(
            text="Backbone 15, head 2: the backbone's are never cleared.",
            explanation=(
                "Three times 5 adds up. It moves nothing here, but an optimizer that is given the "
                "backbone later starts from it."
            ),
            answer=(15.0, 2.0),
        ),
        Option(
            text="Backbone 15, head 6: both add up.",
            explanation=(
                "The first half is right. The second forgets that the optimizer holds the head, so "
                "`zero_grad()` clears its gradient before each `backward()`."
            ),
            answer=(15.0, 6.0),
        ),
    ),
    picture=Settings(experiment="frozen_backbone", detach="nowhere", epochs=1),
)
