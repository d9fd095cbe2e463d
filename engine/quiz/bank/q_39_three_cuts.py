"""A detach, no_grad and requires_grad_(False): the same gradients for the head, at different costs."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, x = torch.ones(4, 8, requires_grad=True), torch.ones(5, 4)
answer = ()
def save(tensor):
    kept.append(tuple(tensor.shape))
for cut in ("detach", "no_grad", "requires_grad_(False)"):
    w.requires_grad_(cut != "requires_grad_(False)")
    kept, hooks = [], torch.autograd.graph.saved_tensors_hooks(save, lambda _: None)
    with torch.set_grad_enabled(cut != "no_grad"), hooks:
        features = (x @ w).tanh().detach()
    print(f"{cut}: saved for the way back: {kept}")
    answer += (len(kept) > 0,)
"""

QUESTION = Question(
    name="three-cuts",
    topic=Topic.MEMORY,
    prompt=(
        "A backbone of one weight is left alone in three ways: by a detach on its features, by `no_grad`, "
        "by freezing its weight. Under which does its forward pass save tensors for a backward pass?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Under none of them: there is no way back.",
            explanation=(
                "In the end there is none, but under the detach this is known only when the forward pass "
                "is over. Until then the graph is built as usual."
            ),
            answer=(False, False, False),
        ),
        Option(
            text="Under the detach alone, which comes later.",
            explanation=(
                "The graph is built and its tensors are saved; then the detach lets go of them. The other "
                "two say beforehand that nothing will be needed."
            ),
            answer=(True, False, False),
        ),
        Option(
            text="Under the detach and under `requires_grad_(False)`.",
            explanation=(
                "That takes freezing for something that only counts on the way back. Where no parameter "
                "and no input requires a gradient, no graph is built at all."
            ),
            answer=(True, False, True),
        ),
        Option(
            text="Under all but the detach.",
            explanation=(
                "That has it reversed: the detach is the only one of the three that comes after the "
                "forward pass."
            ),
            answer=(False, True, True),
        ),
    ),
    step=2,
    picture=Settings(experiment="frozen_backbone", epochs=1),
)
