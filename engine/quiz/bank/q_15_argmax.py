"""argmax gives whole numbers, which have no derivative: an accuracy cannot be trained on."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

logits = torch.tensor([[2.0, 1.0], [0.5, 3.0]], requires_grad=True)
labels = torch.tensor([0, 0])
accuracy = (logits.argmax(1) == labels).float().mean()
print("accuracy:", accuracy)
accuracy.backward()
print("logits.grad:", logits.grad)
answer = "none" if logits.grad is None else "pushes" if logits.grad.any() else "zeros"
"""

QUESTION = Question(
    name="argmax",
    topic=Topic.GRAPH,
    prompt="A model is to be trained on its accuracy itself, by `accuracy.backward()`. What happens?",
    snippet=SNIPPET,
    options=(
        Option(
            text="The logits get a gradient that favours the right class.",
            explanation=(
                "That mixes up accuracy with cross-entropy. Accuracy only counts, and a count has no slope."
            ),
            answer="pushes",
        ),
        Option(
            text="The logits get a gradient of zeros, because the accuracy is flat.",
            explanation=(
                "The mathematics is right, but flat is not the same as cut off: the graph ends at "
                "`argmax`, so torch has not even zeros to report."
            ),
            answer="zeros",
        ),
        Option(
            text="Nothing visible: `logits.grad` stays `None`.",
            explanation=(
                "It does stay `None`, but not in silence: with no path to any leaf, `backward()` raises."
            ),
            answer="none",
        ),
        Option(
            text="`backward()` raises a `RuntimeError`.",
            explanation=(
                "`argmax` gives integers, and integers are never part of the graph. `.float()` does not "
                "bring it back."
            ),
            answer="RuntimeError",
        ),
    ),
    step=2,
)
