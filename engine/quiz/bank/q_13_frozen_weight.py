"""Freezing a weight stops its own gradient, not the gradient that passes through it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor([[1.0, 2.0, 3.0]])
layer1 = torch.full((3, 2), 0.5, requires_grad=True)
layer2 = torch.full((2, 1), 0.5, requires_grad=True)
layer2.requires_grad_(False)
loss = (x @ layer1 @ layer2).pow(2).mean()
loss.backward()
print("layer 1:", layer1.grad)
print("layer 2:", layer2.grad)
answer = (layer1.grad is not None, layer2.grad is not None)
"""

QUESTION = Question(
    name="frozen-weight",
    topic=Topic.GRAPH,
    prompt=(
        "Two layers in a row, and the weight of layer 2 is frozen. Which weights have a gradient after "
        "`backward()`?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Neither: the frozen layer stops the gradient on its way back.",
            explanation=(
                "That mixes up freezing with a detach. A frozen weight is a constant factor, and a "
                "gradient passes through a product with a constant."
            ),
            answer=(False, False),
        ),
        Option(
            text="Only layer 1's.",
            explanation=(
                "Layer 2 keeps no gradient for itself but still passes one back. This is how a layer in "
                "front of a frozen model learns."
            ),
            answer=(True, False),
        ),
        Option(
            text="Only layer 2's, since freezing takes effect at the next step.",
            explanation=(
                "That takes freezing for an order to the next step. It takes effect at once: `backward()` "
                "gives no gradient to a leaf that does not require one."
            ),
            answer=(False, True),
        ),
        Option(
            text="Both, but the optimizer will skip layer 2's.",
            explanation=(
                "That looks for freezing in the optimizer. It is autograd that leaves layer 2 out: its "
                "`.grad` stays `None`."
            ),
            answer=(True, True),
        ),
    ),
)
