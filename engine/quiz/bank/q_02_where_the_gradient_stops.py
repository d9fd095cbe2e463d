"""The lesson's second question: a detach between two layers, and which of them still learns."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor([[1.0, 2.0, 3.0]])
layer1 = torch.full((3, 2), 0.5, requires_grad=True)
layer2 = torch.full((2, 1), 0.5, requires_grad=True)
hidden = (x @ layer1).detach()
loss = (hidden @ layer2).pow(2).mean()
loss.backward()
print("layer 1:", layer1.grad)
print("layer 2:", layer2.grad)
answer = (layer1.grad is not None, layer2.grad is not None)
"""

QUESTION = Question(
    name="where-the-gradient-stops",
    topic=Topic.LESSON,
    prompt=(
        "Data flows input → layer 1 → `detach()` → layer 2 → loss. Which layers have a gradient after "
        "`loss.backward()`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Both layers: the values pass the detach, so the gradient does too.",
            explanation=(
                "That takes the forward pass for the backward pass. Values do pass a detach; a gradient "
                "follows the graph, and the graph ends there."
            ),
            answer=(True, True),
        ),
        Option(
            text="Only layer 2, which stands between the detach and the loss.",
            explanation=(
                "The gradient goes from the loss back through layer 2, meets the detach and ends. Layer 1 "
                "lies beyond it and keeps `None`."
            ),
            answer=(False, True),
        ),
        Option(
            text="Only layer 1, which the data reached before the detach.",
            explanation=(
                "That has the direction reversed. `backward()` starts at the loss, so the layer that it "
                "reaches before the detach is layer 2."
            ),
            answer=(True, False),
        ),
        Option(
            text="Neither layer, because `backward()` raises an error.",
            explanation=(
                "That is the case where the detach stands after the last layer: then no parameter is "
                "connected to the loss. Here layer 2 still is."
            ),
            answer="RuntimeError",
        ),
    ),
)
