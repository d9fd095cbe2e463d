"""inference_mode is stricter than no_grad: its tensors cannot serve a later backward pass."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x, answer = torch.tensor([1.0, 2.0]), ()
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
        "A feature `h = x * 2` is computed once under `no_grad` and once under `inference_mode`. "
        "Later, outside, `(w * h).sum().backward()` should train `w`. Does it work?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Yes in both cases: `h` is a plain constant.",
            explanation=(
                "Under `no_grad` it is. Under `inference_mode` it is a tensor that may not be saved "
                "for a backward pass."
            ),
            answer=(True, True),
        ),
        Option(
            text="No in both cases: `h` has no graph.",
            explanation=(
                "`h` needs no graph of its own for `w` to learn. It only has to be saved as a factor."
            ),
            answer=(False, False),
        ),
        Option(
            text="No under `no_grad`, yes under `inference_mode`.",
            explanation="Swapped: `inference_mode` is the faster and the stricter of the two.",
            answer=(False, True),
        ),
        Option(
            text="Yes under `no_grad`, no under `inference_mode`.",
            explanation=(
                "The gradient of `w` needs `h`, and torch refuses to save an inference tensor. A "
                "`clone()` made outside the mode would do."
            ),
            answer=(True, False),
        ),
    ),
)
