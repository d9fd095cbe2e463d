"""An advantage that is not detached pulls on a value that is already right."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

reward = 1.0
answer = ()
for objective in ("log-probability", "ratio"):
    value = torch.tensor(1.0, requires_grad=True)
    log_prob = torch.tensor(0.5).log()  # of the action that was drawn
    weight = log_prob if objective == "log-probability" else (log_prob - log_prob).exp()
    loss = -weight * (reward - value) + (reward - value) ** 2
    loss.backward()
    print(f"{objective}: gradient of the value {value.grad.item():.4f}")
    answer += (round(value.grad.item(), 4),)
"""

QUESTION = Question(
    name="advantage-not-detached",
    topic=Topic.RESEARCH,
    prompt=(
        "The reward is 1 and the value is 1 already, so the squared error of the value is at its minimum. The "
        "advantage in the policy's loss is not detached, and the action had the probability 0.5. Which gradient does "
        "the value get, with the log-probability as the factor and with a ratio of one?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="0 and 0: the advantage is 0.",
            explanation=(
                "The advantage is 0, and so is the policy's loss. But its slope in the value is not 0: it is the factor that "
                "the advantage is multiplied by."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="-0.6931 and 1",
            explanation=(
                "The slope of `-weight * (reward - value)` is the weight itself, log 0.5 or 1. So descent raises a "
                "right value in the first case and lowers it in the second; a detach would leave it alone."
            ),
            answer=(-0.6931, 1.0),
        ),
        Option(
            text="0.6931 and -1",
            explanation=(
                "One of two minus signs is missed here: the loss has one, and in the advantage the value has one, too. They cancel."
            ),
            answer=(0.6931, -1.0),
        ),
        Option(
            text="-0.6931 and 0: a ratio of one is a constant.",
            explanation=(
                "It is a constant here, and a constant has a slope of 0. But it is a factor, and the slope of a factor "
                "times the value is the factor: 1."
            ),
            answer=(-0.6931, 0.0),
        ),
    ),
)
