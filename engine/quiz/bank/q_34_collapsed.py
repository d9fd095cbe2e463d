"""A collapsed encoder is a resting point, with a stop-gradient as well."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x, answer = torch.randn(6, 2, generator=torch.Generator().manual_seed(0)), ()
for detached in (True, False):
    w, b = torch.zeros(2, 2, requires_grad=True), torch.tensor([3.0, 4.0])
    z_1, z_2 = x @ w + b, (x + 0.5) @ w + b
    target = z_2.detach() if detached else z_2
    loss = -torch.cosine_similarity(z_1, target).mean()
    loss.backward()
    largest = w.grad.abs().max().item()
    print(f"detached: {detached!s:5}  loss: {loss.item():.4f}  largest gradient: {largest:.4f}")
    answer += (largest > 1e-5,)
"""

QUESTION = Question(
    name="collapsed",
    topic=Topic.PATTERNS,
    prompt=(
        "An encoder has collapsed: `w` is 0, so every input has the embedding `b`. The loss is the negative cosine "
        "similarity of two views. Does `w` get a gradient that isn't zero, with the target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Only with the detach, which drives the embeddings apart again.",
            explanation=(
                "A stop-gradient drives nothing apart. It changes the way that training takes from other starts."
            ),
            answer=(True, False),
        ),
        Option(
            text="In neither case: here the loss is as low as it can be.",
            explanation=(
                "A cosine of 1 can't be improved on. The collapse stays a solution, and with predictor and "
                "stop-gradient it is just not where training goes."
            ),
            answer=(False, False),
        ),
        Option(
            text="Only without the detach",
            explanation="Both branches say the same here: all is alike already, so nothing has to change.",
            answer=(False, True),
        ),
        Option(
            text="In both cases, since the inputs of the two views still differ.",
            explanation=(
                "The inputs differ, the embeddings don't. At a similarity of 1 its slope is 0 in every direction."
            ),
            answer=(True, True),
        ),
    ),
)
