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
print("the original is still in the graph:", before.grad_fn is not None)
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
            explanation=(
                "That mixes up the values with the record of how they came about. A detach drops the "
                "record and adds no value."
            ),
            answer="its size grows",
        ),
        Option(
            text="It becomes a new input layer of the model.",
            explanation=(
                "That mixes up a tensor with a layer. A layer is a module, usually with parameters; what "
                "`detach()` returns is a plain tensor."
            ),
            answer="it becomes an input layer",
        ),
        Option(
            text="It no longer tracks gradients for backpropagation.",
            explanation=(
                "What `detach()` returns has `requires_grad=False` and no `grad_fn`, so no gradient "
                "passes through it. The original is unchanged: it stays in the graph."
            ),
            answer="it is no longer tracked",
        ),
        Option(
            text="Its values change at random until the next forward pass.",
            explanation=(
                "That mixes up detaching with something like dropout. A detach computes nothing: every "
                "value stays the same, to the last bit."
            ),
            answer="its values change",
        ),
    ),
)
