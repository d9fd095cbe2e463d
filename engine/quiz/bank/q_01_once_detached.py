"""The lesson's first question: of four claims about a detached tensor, which one can be measured?"""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

before = torch.tensor([2.0, 3.0], requires_grad=True) * 5
after = before.detach()
claims = {
    "its size grows": after.numel() > before.numel(),
    "it becomes an input layer": isinstance(after, torch.nn.Module),
    "it is no longer tracked": before.requires_grad and not after.requires_grad,
    "its values change": not torch.equal(before, after),
}
for claim, holds in claims.items():
    print(f"{claim}: {holds}")
answer = ", ".join(claim for claim, holds in claims.items() if holds)
"""

QUESTION = Question(
    name="once-detached",
    topic=Topic.LESSON,
    prompt="What happens to a tensor once it is detached from the graph?",
    snippet=SNIPPET,
    options=(
        Option(
            text="Its size grows.",
            explanation="The shape is the same before and after: a detach adds no element.",
            answer="its size grows",
        ),
        Option(
            text="It becomes a new input layer of the model.",
            explanation=(
                "It stays a plain tensor. A layer is a module with parameters of its own, and a "
                "detach creates none."
            ),
            answer="it becomes an input layer",
        ),
        Option(
            text="It no longer tracks gradients for backpropagation.",
            explanation=(
                "The result has `requires_grad=False` and no `grad_fn`, so a backward pass has no way "
                "through it."
            ),
            answer="it is no longer tracked",
        ),
        Option(
            text="Its values change at random until the next forward pass.",
            explanation="Every value is the same, to the last bit. Nothing about a detach is random.",
            answer="its values change",
        ),
    ),
)
