"""The first backward pass frees what the graph had saved, so a second one is refused."""

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
    prompt=(
        "`loss = (w ** 2).sum()` with `w = 3`, and `loss.backward()` is called twice in a row. What then?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="`w.grad` is 12: the second pass adds its 6 to the first.",
            explanation=(
                "Gradients do add up, but the second pass would need `retain_graph=True` in the first one."
            ),
            answer=12.0,
        ),
        Option(
            text="`w.grad` stays at 6: the second pass has nothing to do.",
            explanation="A pass through a used graph is not silently empty: torch refuses to start it.",
            answer=6.0,
        ),
        Option(
            text="The second call raises a `RuntimeError`.",
            explanation=(
                "The first pass frees the values that the graph had saved. A second pass needs them, "
                "so torch stops it."
            ),
            answer="RuntimeError",
        ),
        Option(
            text="`w.grad` is 2: the second pass gives the second derivative.",
            explanation=(
                "Calling `backward()` again does not differentiate again. Second derivatives need "
                "`create_graph=True`."
            ),
            answer=2.0,
        ),
    ),
)
