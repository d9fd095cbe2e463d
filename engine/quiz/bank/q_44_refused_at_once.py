"""Some ways out of a graph are refused on the spot, and others pass without a word."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

y = 2 * torch.tensor([1.5], requires_grad=True)
ways = {"item": y.item, "numpy": y.numpy, "freeze": lambda: y.requires_grad_(False)}
answer = ()
for name, take in ways.items():
    try:
        taken = take()
        print(f"{name}: {taken}")
    except RuntimeError as error:
        print(f"{name} is refused: {error}")
        answer += (name,)
"""

QUESTION = Question(
    name="refused-at-once",
    topic=Topic.GRAPH,
    prompt=(
        "`y` is a result that requires a gradient. Which of `y.item()`, `y.numpy()` and "
        "`y.requires_grad_(False)` does torch refuse?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="None of them: each one works",
            explanation=(
                "That takes leaving the graph for something torch always lets pass. Two of these would "
                "hide that the gradient ends there, and torch makes you say so."
            ),
            answer=(),
        ),
        Option(
            text="`y.numpy()` alone",
            explanation=(
                "It does want a `detach()` first. But freezing is for leaves, such as weights, and `y` is "
                "computed."
            ),
            answer=("numpy",),
        ),
        Option(
            text="All three of them",
            explanation=(
                "That counts `item()` as well. It always gives you the number, without a word about the "
                "gradient."
            ),
            answer=("item", "numpy", "freeze"),
        ),
        Option(
            text="`y.numpy()` and the freezing",
            explanation=(
                "NumPy would share the memory of a tracked tensor, and only leaves can be frozen. Both "
                "messages name `detach()` as the way; `item()` needs none."
            ),
            answer=("numpy", "freeze"),
        ),
    ),
    step=2,
)
