"""BatchNorm's running statistics are buffers, moved by the forward pass and not by a gradient."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

norm = torch.nn.BatchNorm1d(2)
head = torch.ones(2, requires_grad=True)
x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
loss = (norm(x).detach() * head).pow(2).sum()
loss.backward()
print("running mean, at first 0:", norm.running_mean)
print("gradient of its weight:", norm.weight.grad)
answer = (bool(norm.running_mean.any()), norm.weight.grad is not None)
"""

QUESTION = Question(
    name="batch-norm",
    topic=Topic.LOOP,
    prompt=(
        "A `BatchNorm1d` in training mode stands before a detach. What has changed in it after one "
        "forward and one backward pass?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Its running mean moved; its weight has no gradient.",
            explanation=(
                "The forward pass updates the running mean, whatever happens backwards. To hold it still, "
                "call `eval()`."
            ),
            answer=(True, False),
        ),
        Option(
            text="Nothing: the detach froze it.",
            explanation=(
                "That takes a detach for freezing. It keeps gradients out, and the running statistics "
                "need none to move."
            ),
            answer=(False, False),
        ),
        Option(
            text="Its running mean moved, and its weight has a gradient.",
            explanation=(
                "The first half is right. For the second, look from the loss: the weight lies beyond the "
                "detach, where no gradient arrives."
            ),
            answer=(True, True),
        ),
        Option(
            text="Its running mean is untouched, and its weight has a gradient.",
            explanation=(
                "That has the two reversed: the mean follows the data, which passes; the weight waits for "
                "a gradient, which does not."
            ),
            answer=(False, True),
        ),
    ),
)
