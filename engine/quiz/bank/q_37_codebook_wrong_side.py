"""The codebook term with the wrong side detached: the code is reached by no term of the loss."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

z = torch.tensor([1.0], requires_grad=True)
code = torch.tensor([3.0], requires_grad=True)
decoded = 2 * (z + (code - z).detach())
codebook = (code.detach() - z).pow(2).sum()
commitment = 0.25 * (z - code.detach()).pow(2).sum()
loss = decoded.sum() + codebook + commitment
loss.backward()
print("gradient of the encoder's output:", z.grad)
print("gradient of the code:", code.grad)
answer = (z.grad is not None, code.grad is not None)
"""

QUESTION = Question(
    name="codebook-wrong-side",
    topic=Topic.PATTERNS,
    prompt=(
        "In the codebook term of a VQ loss somebody has detached the code instead of the encoder's output "
        "`z`. What gets a gradient?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="Only `z`: the codes stay where they are.",
            explanation=(
                "The code is detached in all three terms, so nothing moves it. The loss can still fall, "
                "since the encoder moves toward the codes."
            ),
            answer=(True, False),
        ),
        Option(
            text="Both: the copy carries the decoder's gradient to the code.",
            explanation=(
                "That has the copy reversed. The code stands inside the detach: its value goes to the "
                "decoder, and the gradient goes to `z`."
            ),
            answer=(True, True),
        ),
        Option(
            text="Only the code: that is the term's purpose.",
            explanation=(
                "It is, with `z` detached. That goes by the term's name; here the code is the side that "
                "is held still."
            ),
            answer=(False, True),
        ),
        Option(
            text="Neither: codebook and commitment cancel.",
            explanation=(
                "That takes the two for opponents. Here both pull `z` toward the code, so they add up; "
                "and the copy has a gradient of its own."
            ),
            answer=(False, False),
        ),
    ),
    step=7,
    picture=Settings(experiment="vq_codebook", detach="codebook", epochs=1, options=(("side", "wrong"),)),
)
