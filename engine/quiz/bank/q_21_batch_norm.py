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
        "A `BatchNorm1d` in training mode stands before a detach. After one forward and one backward "
        "pass, without an optimizer step, what has happened to it?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Its running mean moved; its weight has no gradient.",
            explanation=(
                "The forward pass updates the running mean, whatever happens backwards. To hold it "
                "still, call `eval()`."
            ),
            answer=(True, False),
        ),
        Option(
            text="Nothing: the detach froze it.",
            explanation="The detach keeps gradients out. The running statistics do not need one.",
            answer=(False, False),
        ),
        Option(
            text="Its running mean moved, and its weight has a gradient.",
            explanation="The weight lies behind the detach as seen from the loss, so nothing reaches it.",
            answer=(True, True),
        ),
        Option(
            text="Its running mean is untouched, and its weight has a gradient.",
            explanation=(
                "Both halves are wrong: the mean follows the data, and the gradient ends at the detach."
            ),
            answer=(False, True),
        ),
    ),
)
