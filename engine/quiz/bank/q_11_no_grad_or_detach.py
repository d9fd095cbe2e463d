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
print("saved under no_grad:", under_no_grad)
print("saved with detach:  ", with_detach)
answer = (under_no_grad, with_detach)
"""

QUESTION = Question(
    name="no-grad-or-detach",
    topic=Topic.DETACH,
    prompt=(
        "`w.exp().sin()` runs once inside `torch.no_grad()` and once with `.detach()` at its end. How "
        "many tensors does autograd save for a backward pass that never comes?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="None in both: neither result is tracked.",
            explanation=(
                "The results look alike, but the work differs: before the detach, every step was "
                "recorded as usual."
            ),
            answer=(0, 0),
        ),
        Option(
            text="Two in both: `exp` and `sin` each save one.",
            explanation="They do, as long as autograd is recording. Under `no_grad` it is not.",
            answer=(2, 2),
        ),
        Option(
            text="None under `no_grad`, two with the detach.",
            explanation=(
                "`no_grad` never records. With a detach, `exp` and `sin` are recorded first, and the "
                "record is dropped afterwards."
            ),
            answer=(0, 2),
        ),
        Option(
            text="Two under `no_grad`, none with the detach.",
            explanation=(
                "Swapped: `no_grad` is the one that saves nothing, which is why it is used for evaluation."
            ),
            answer=(2, 0),
        ),
    ),
)
