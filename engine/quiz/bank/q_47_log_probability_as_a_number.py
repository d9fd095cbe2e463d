"""item() on the log-probability: the policy gets nothing, and the value's loss hides it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

scores, value = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
log_prob = scores.log_softmax(dim=0)[0].item()
advantage = 1.0 - value
loss = (-log_prob * advantage.detach() + advantage**2).sum()
loss.backward()
print("gradient of the policy's scores:", scores.grad)
print("gradient of the value:", value.grad)
answer = (scores.grad is not None, value.grad is not None)
"""

QUESTION = Question(
    name="log-probability-as-a-number",
    topic=Topic.PATTERNS,
    prompt=(
        "An action paid a reward of 1. The policy's loss takes the action's log-probability by `item()`; the value's "
        "squared error is added, and `backward()` is called. What gets a gradient?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Both the policy's scores and the value.",
            explanation=(
                "The loss does depend on the scores: change them, and its value changes. But autograd follows tensors, "
                "and `item()` gives a plain Python float, which has no graph."
            ),
            answer=(True, True),
        ),
        Option(
            text="The value alone, and without an error.",
            explanation=(
                "`item()` takes the policy out of the graph. The value's part still requires grad, so `backward()` "
                "has nothing to complain about, and only the policy never learns."
            ),
            answer=(False, True),
        ),
        Option(
            text="The policy's scores alone.",
            explanation=(
                "This takes the detach on the advantage for a cut of the value altogether. It cuts one use of it: in "
                "the squared error the advantage is not detached. The path to the scores is the one that is cut, by `item()`."
            ),
            answer=(True, False),
        ),
        Option(
            text="Nothing: `backward()` raises, since the policy's loss has no history.",
            explanation=(
                "It would raise if the policy's part were the whole loss. A sum requires grad as soon as one part "
                "does."
            ),
            answer="RuntimeError",
        ),
    ),
)
