"""The first backward pass frees what the graph had saved, and a second one ends where it needs that."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor([3.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
print("after the first pass: ", w.grad)
loss.backward()
print("after the second pass:", w.grad)
answer = w.grad.item()
"""

QUESTION = Question(
    name="backward-twice",
    topic=Topic.GRAPH,
    prompt="`loss.backward()` is called twice in a row. What does the second call do?",
    snippet=SNIPPET,
    options=(
        Option(
            text="`w.grad` is 12: the second pass adds its 6 to the first.",
            explanation=(
                "Gradients do add up, but not over a graph whose saved values are gone. For that, the "
                "first call needs `retain_graph=True`."
            ),
            answer=12.0,
        ),
        Option(
            text="`w.grad` stays at 6: the second pass has nothing to do.",
            explanation=(
                "That takes a used graph for an empty one. Its nodes are still there, and the pass runs "
                "until one of them misses its saved values."
            ),
            answer=6.0,
        ),
        Option(
            text="The second call raises a `RuntimeError`.",
            explanation=(
                "The first pass frees the values that the graph had saved. The second gets as far as `w "
                "** 2`, whose saved `w` is gone, and stops there."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="`w.grad` is 2: the second pass gives the second derivative.",
            explanation=(
                "That takes a repeated pass for a pass over the gradient. A second derivative needs a "
                "gradient made with `create_graph=True`."
            ),
            answer=2.0,
        ),
    ),
    step=3,
)
