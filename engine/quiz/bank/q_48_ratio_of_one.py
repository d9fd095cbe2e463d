"""A ratio that is always one: its gradient depends on the detach of the old log-probability alone."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    scores = torch.zeros(2, requires_grad=True)
    log_prob = scores.log_softmax(dim=0)[0]
    old = log_prob.detach() if detached else log_prob
    ratio = (log_prob - old).exp()
    ratio.backward()
    print(f"detached: {detached!s:5}  ratio {ratio.item()}, gradient {scores.grad.tolist()}")
    answer += (round(scores.grad[0].item(), 4),)
"""

QUESTION = Question(
    name="ratio-of-one",
    topic=Topic.PATTERNS,
    prompt=(
        "Two actions are equally likely. PPO's ratio of the new to the old probability of the first one is "
        "`(log_prob - old).exp()`, and both are the same number. Which gradient does the first score get, with `old` "
        "detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="0 and 0: the ratio is 1 in both.",
            explanation=(
                "The ratio is 1 in both, but a value does not tell a slope. With `old` held still, the ratio rises with "
                "the first score."
            ),
            answer=(0.0, 0.0),
        ),
        Option(
            text="0.5 and 0.5: a detach does not change the ratio.",
            explanation=(
                "Its value stays, but its slope does not: without the detach the score also moves `old`, by just as much."
            ),
            answer=(0.5, 0.5),
        ),
        Option(
            text="0.5 with the detach, 0 without",
            explanation=(
                "With `old` held still, the slope at a ratio of 1 is that of the log-probability: 1 - 0.5. Without "
                "it, the two paths bring 0.5 and -0.5, which cancel."
            ),
            answer=(0.5, 0.0),
        ),
        Option(
            text="0 with the detach, 0.5 without",
            explanation=(
                "This takes the detach for the end of every path. It ends the one through `old`; the one through "
                "`log_prob` is left. Without the detach there are both, and they cancel."
            ),
            answer=(0.0, 0.5),
        ),
    ),
)
