"""Some ways out of a graph are refused on the spot, and others pass without a word."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

y = 2 * torch.tensor([1.5], requires_grad=True)
ways = {"item": y.item, "numpy": y.numpy, "freeze": lambda: y.requires_grad_(False)}
answer = ()
for name, take in ways.items():
    try:
        print(f"{name}: {take()}")
    except RuntimeError as error:
        print(f"{name} is refused: {error}")
        answer += (name,)
"""

QUESTION = Question(
    name="refused-at-once",
    topic=Topic.GRAPH,
    prompt=(
        "`y` is a result that requires a gradient. Which of `y.item()`, `y.numpy()` and `y.requires_grad_(False)` does "
        "torch refuse at once?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="None of them: each gives the values",
            explanation="Two of them would hide from you that the gradient ends there, and torch makes you say so.",
            answer=(),
        ),
        Option(
            text="`y.numpy()` alone",
            explanation=(
                "It wants a `detach()` first. But freezing is refused as well: only a leaf can be frozen, and `y` is "
                "computed."
            ),
            answer=("numpy",),
        ),
        Option(
            text="All three of them",
            explanation="A Python number by `item()` is always given, without a word about the gradient.",
            answer=("item", "numpy", "freeze"),
        ),
        Option(
            text="`y.numpy()` and the freezing",
            explanation=(
                "NumPy would share the memory of a tracked tensor, and only leaves can be frozen. Both messages name "
                "`detach()` as the way; `item()` needs none."
            ),
            answer=("numpy", "freeze"),
        ),
    ),
)
