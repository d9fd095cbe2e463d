"""With two symmetric terms and no predictor, a stop-gradient only halves the gradient."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([[0.5, -1.0], [2.0, 1.0]], requires_grad=True)
z_1, z_2 = torch.tensor([[1.0, 2.0]]) @ w, torch.tensor([[1.5, 1.0]]) @ w
similarity = torch.nn.functional.cosine_similarity
plain = -similarity(z_1, z_2).sum()
stopped = -(similarity(z_1, z_2.detach()) + similarity(z_2, z_1.detach())).sum() / 2
grad_plain = torch.autograd.grad(plain, w, retain_graph=True)[0]
grad_stopped = torch.autograd.grad(stopped, w)[0]
print("no detach:   ", grad_plain)
print("two detaches:", grad_stopped)
answer = (torch.allclose(grad_stopped, 0.5 * grad_plain), torch.allclose(grad_stopped, grad_plain))
"""

QUESTION = Question(
    name="stop-gradient-alone",
    topic=Topic.PATTERNS,
    prompt=(
        "Two views are embedded by `w`, and their similarity is to grow. `plain` detaches nothing; "
        "`stopped` detaches one embedding in each half, and there is no predictor. How does its gradient "
        "compare with the plain one?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It is the same: both losses have one value, and each embedding gets its gradient.",
            explanation=(
                "Each embedding does get its gradient, but from one of the halves alone, and a half "
                "counts half."
            ),
            answer=(False, True),
        ),
        Option(
            text="It has another direction: a stop-gradient turns it away from a collapse.",
            explanation=(
                "That credits the stop-gradient with what takes a predictor as well. Without one both "
                "branches are alike, and the direction stays."
            ),
            answer=(False, False),
        ),
        Option(
            text="Both are zero, since each embedding is detached in one half.",
            explanation=(
                "That cuts both embeddings everywhere. Each half detaches one and keeps the other open."
            ),
            answer=(True, True),
        ),
        Option(
            text="It is half as large, in the very same direction.",
            explanation=(
                "Each half passes back what its open branch had before, at half the weight. Under plain "
                "SGD that only slows a collapse, like half the learning rate; Adam, which divides by the "
                "gradient's size, hardly slows at all."
            ),
            answer=(True, False),
        ),
    ),
    step=4,
    picture=Settings(experiment="simsiam", epochs=1, options=(("predictor", "false"),)),
)
