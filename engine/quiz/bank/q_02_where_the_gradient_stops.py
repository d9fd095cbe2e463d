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
        "Data flows input → layer 1 → `detach()` → layer 2 → loss. After `loss.backward()`, which "
        "layers have a gradient?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Both layers: the values pass the detach, so the gradient does too.",
            explanation=(
                "The values do pass. The gradient runs backwards along the graph, and the detach left "
                "no edge there to follow."
            ),
            answer=(True, True),
        ),
        Option(
            text="Only layer 2, which stands between the detach and the loss.",
            explanation=(
                "The gradient walks from the loss through layer 2, meets the detach and ends. Layer 1 "
                "lies beyond and keeps `None`."
            ),
            answer=(False, True),
        ),
        Option(
            text="Only layer 1, which the data reached before the detach.",
            explanation=(
                "It is the other way round: backward starts at the loss, so what it meets before the "
                "detach is layer 2."
            ),
            answer=(True, False),
        ),
        Option(
            text="Neither layer, because `backward()` raises an error.",
            explanation="It would raise if no parameter at all were connected to the loss. Layer 2 still is.",
            answer="RuntimeError",
        ),
    ),
)
