"""Adam divides by the size of past gradients, so a tiny gradient rolls on as far as a large one."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for epoch in range(40):
    if epoch == 20:
        at_cut = w.detach().clone()
    w.grad = torch.tensor([1.0, 0.001]) if epoch < 20 else torch.zeros(2)
    optimizer.step()
moved = (at_cut - w.detach()).tolist()
print("moved after the cut:", [round(m, 3) for m in moved])
answer = tuple(round(m, 1) for m in moved)
"""

QUESTION = Question(
    name="adam-after-the-cut",
    topic=Topic.LOOP,
    prompt=(
        "Two weights have gradients of 1 and of 0.001 for 20 steps of Adam. Then they are cut off, with "
        "zeros in `.grad`. How far do they move in the next 20 steps?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="About 0.9 and 0.9: both go on, and equally far.",
            explanation=(
                "Adam divides its average of the gradients by their usual size, so 1 and 0.001 make steps "
                "of the same length; and the average takes many steps to fade."
            ),
            answer=(0.9, 0.9),
        ),
        Option(
            text="About 0.9 and 0.0: a small gradient leaves little momentum.",
            explanation=(
                "That is `SGD` with momentum. The length of Adam's step does not depend on the gradient's "
                "scale."
            ),
            answer=(0.9, 0.0),
        ),
        Option(
            text="Not at all: zeros divided by anything are zeros.",
            explanation=(
                "That divides the new gradient alone. Adam divides a running average, of which the new "
                "gradient is only a tenth."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="2.0 and 2.0: as far as before the cut.",
            explanation=(
                "That takes momentum for a motion without friction. The average shrinks by a factor of "
                "0.9 in each step, and the steps get shorter."
            ),
            answer=(2.0, 2.0),
        ),
    ),
    step=3,
)
