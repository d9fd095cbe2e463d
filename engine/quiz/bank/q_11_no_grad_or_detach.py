"""detach records and then drops; no_grad never records."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, saved = torch.tensor([1.0, 2.0], requires_grad=True), []
with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t), lambda t: t):
    with torch.no_grad():
        w.exp().sin()
    under_no_grad = len(saved)
    w.exp().sin().detach()
    with_detach = len(saved) - under_no_grad
print("saves under no_grad:", under_no_grad)
print("saves with a detach:", with_detach)
answer = (under_no_grad, with_detach)
"""

QUESTION = Question(
    name="no-grad-or-detach",
    topic=Topic.DETACH,
    prompt=(
        "`w.exp().sin()` runs under `no_grad`, and then with a `detach()` at its end. How many times does "
        "autograd save a tensor for a backward pass in each case?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Never in either: neither result is tracked.",
            explanation=(
                "That judges by the results, which do look alike. But before the detach came, every "
                "operation was recorded as usual."
            ),
            answer=(0, 0),
        ),
        Option(
            text="Twice in both: `exp` and `sin` each save one.",
            explanation=(
                "They do while autograd is recording. `no_grad` does not drop the record afterwards; it "
                "never makes one."
            ),
            answer=(2, 2),
        ),
        Option(
            text="Never under `no_grad`, twice with the detach.",
            explanation=(
                "`no_grad` records nothing. With a detach, `exp` and `sin` are recorded first, and the "
                "record is dropped afterwards."
            ),
            answer=(0, 2),
        ),
        Option(
            text="Twice under `no_grad`, never with the detach.",
            explanation=(
                "That has the two reversed: `no_grad` works before the fact and saves nothing, a detach "
                "comes when all is saved."
            ),
            answer=(2, 0),
        ),
    ),
    step=3,
)
