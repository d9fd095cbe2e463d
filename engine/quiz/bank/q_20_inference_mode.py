"""inference_mode is stricter than no_grad: its tensors cannot be saved for a later backward pass."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.tensor([1.0, 2.0])
answer = ()
for mode in (torch.no_grad, torch.inference_mode):
    w = torch.ones(2, requires_grad=True)
    with mode():
        h = x * 2
    try:
        (w * h).sum().backward()
        print(f"{mode.__name__}: w.grad is {w.grad}")
    except RuntimeError as error:
        print(f"{mode.__name__}: {error}")
    answer += (w.grad is not None,)
"""

QUESTION = Question(
    name="inference-mode",
    topic=Topic.DETACH,
    prompt=(
        "A feature `h` is computed under `no_grad`, then under `inference_mode`, and used outside to "
        "train `w`. Does that work?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Yes in both cases: `h` is a plain constant.",
            explanation=(
                "Under `no_grad` it is. `inference_mode` goes further: its tensors may be used, but not "
                "saved for a backward pass."
            ),
            answer=(True, True),
        ),
        Option(
            text="No in both cases: `h` has no graph.",
            explanation=(
                "That mixes up training `h` with training `w`. `h` needs no graph of its own; it only has "
                "to be saved as a factor."
            ),
            answer=(False, False),
        ),
        Option(
            text="No under `no_grad`, yes under `inference_mode`.",
            explanation=(
                "That has the two reversed: `inference_mode` is the stricter one, and `no_grad` gives "
                "ordinary tensors."
            ),
            answer=(False, True),
        ),
        Option(
            text="Yes under `no_grad`, no under `inference_mode`.",
            explanation=(
                "The gradient of `w` needs `h`, and torch refuses to save an inference tensor. A "
                "`clone()` of it, made outside the mode, would do."
            ),
            answer=(True, False),
        ),
    ),
    step=3,
)
