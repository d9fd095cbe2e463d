"""A collapsed encoder is a resting point, with a stop-gradient as well."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

x = torch.randn(6, 2, generator=torch.Generator().manual_seed(0))
answer = ()
for detached in (True, False):
    w, b = torch.zeros(2, 2, requires_grad=True), torch.tensor([3.0, 4.0])
    z_1, z_2 = x @ w + b, (x + 0.5) @ w + b
    target = z_2.detach() if detached else z_2
    loss = -torch.nn.functional.cosine_similarity(z_1, target).mean()
    loss.backward()
    largest = w.grad.abs().max().item()
    print(f"detached: {detached!s:5}  loss: {loss.item():.4f}  largest gradient: {largest:.4f}")
    answer += (largest > 1e-5,)
"""

QUESTION = Question(
    name="collapsed",
    topic=Topic.PATTERNS,
    prompt=(
        "An encoder has collapsed: `w` is 0, so every input has the embedding `b`. Does `w` get a "
        "gradient other than zero, with the target detached and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Only with the detach, which drives the embeddings apart again.",
            explanation=(
                "That takes the stop-gradient for a force. It pushes nothing apart; it only leaves out a "
                "part of the gradient."
            ),
            answer=(True, False),
        ),
        Option(
            text="In neither case: here the loss is as low as it can be.",
            explanation=(
                "A cosine of 1 can't be improved on. The stop-gradient doesn't do away with the collapsed "
                "solution."
            ),
            answer=(False, False),
        ),
        Option(
            text="Only without the detach",
            explanation=(
                "That expects the open branch to make a difference. Both branches are at the best "
                "similarity there is, so neither has anything to change."
            ),
            answer=(False, True),
        ),
        Option(
            text="In both cases, since the inputs of the two views still differ.",
            explanation=(
                "That mixes up inputs and embeddings. The embeddings are the same, and at a similarity of "
                "1 its slope is 0 in every direction."
            ),
            answer=(True, True),
        ),
    ),
    step=4,
)
