"""A generator's leftover of the discriminator's loss is added to its own gradient unless it is cleared or detached."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    generator = torch.tensor(2.0, requires_grad=True)
    discriminator = torch.tensor(3.0, requires_grad=True)
    fake = generator * 1
    (discriminator * (fake.detach() if detached else fake)).backward()  # it scores the fake down
    (-discriminator * (generator * 1)).backward()  # the generator wants its new fake scored up
    print(f"detached: {detached!s:5}  generator.grad: {generator.grad.item()}")
    answer += (generator.grad.item(),)
"""

QUESTION = Question(
    name="leftover-gradient",
    topic=Topic.PATTERNS,
    prompt=(
        "The discriminator backpropagates its loss on a fake, then the generator its own on a new fake, "
        "with no `zero_grad` between. What is the generator's gradient, with the first fake detached and "
        "without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="-3 in both: each loss has its own player.",
            explanation=(
                "That goes by what a loss is meant for. Undetached, the discriminator's loss leads to the "
                "generator too."
            ),
            answer=(-3.0, -3.0),
        ),
        Option(
            text="0 detached, -3 without",
            explanation=(
                "That has the two reversed: the detach keeps the first loss out, so the generator's own "
                "is all that is left."
            ),
            answer=(0.0, -3.0),
        ),
        Option(
            text="-3 detached, 0 without",
            explanation=(
                "Without the detach the discriminator's loss leaves 3, and the generator's own adds -3. "
                "Here they cancel, and it would not move at all."
            ),
            answer=(-3.0, 0.0),
        ),
        Option(
            text="-3 detached, -6 without",
            explanation=(
                "Gradients do add up, but with their signs: the two losses pull the fake in opposite "
                "directions."
            ),
            answer=(-3.0, -6.0),
        ),
    ),
    step=3,
)
