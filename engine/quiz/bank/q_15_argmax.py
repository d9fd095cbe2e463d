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
    prompt=(
        "`accuracy = (logits.argmax(1) == labels).float().mean()`, and then `accuracy.backward()`. "
        "What happens?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="The logits get a gradient that favours the right class.",
            explanation="A cross entropy gives you that. Accuracy counts, and counts have no slope.",
            answer="pushes",
        ),
        Option(
            text="The logits get a gradient of zeros, because the accuracy is flat.",
            explanation=(
                "Flat is right as mathematics. But torch has no gradient to report here, not even "
                "zeros: the graph ended earlier."
            ),
            answer="zeros",
        ),
        Option(
            text="Nothing visible: `logits.grad` stays `None`.",
            explanation="It does stay `None`, but you are told: with no path at all, `backward()` refuses.",
            answer="none",
        ),
        Option(
            text="`backward()` raises a `RuntimeError`.",
            explanation=(
                "`argmax` gives integers, and those are never in the graph. `.float()` afterwards "
                "does not bring them back."
            ),
            answer="RuntimeError",
        ),
    ),
)
