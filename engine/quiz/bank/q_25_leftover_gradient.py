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
    topic=Topic.LOOP,
    prompt=(
        "A discriminator of weight 3 backpropagates `3 * fake`, then the generator backpropagates `-3 * fake` of a new "
        "fake. No `zero_grad` stands between. What is the generator's gradient, with the first fake detached and "
        "without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="-3 in both: each loss has its own players.",
            explanation="The first loss is the discriminator's by intent only. Undetached, it leads to the generator too.",
            answer=(-3.0, -3.0),
        ),
        Option(
            text="0 detached, -3 without",
            explanation="Turned round: the detach keeps the first loss out, so only the generator's own is left.",
            answer=(0.0, -3.0),
        ),
        Option(
            text="-3 detached, 0 without",
            explanation=(
                "Without the detach the discriminator's loss leaves 3, and the generator's own adds -3. Here they "
                "cancel, and it would not move at all."
            ),
            answer=(-3.0, 0.0),
        ),
        Option(
            text="-3 detached, -6 without",
            explanation="Gradients do add up, but the two losses pull the fake in opposite directions.",
            answer=(-3.0, -6.0),
        ),
    ),
)
