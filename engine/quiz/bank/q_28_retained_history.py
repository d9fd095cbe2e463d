"""With retain_graph and no detach each chunk goes back through all chunks before it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(0.5, requires_grad=True)
answer = ()
for detached in (False, True):
    hidden, passed = torch.tensor(1.0), []
    for chunk in range(4):
        for _ in range(2):
            hidden = w * hidden
            hidden.register_hook(lambda gradient: passed.append(chunk))
        hidden.backward(retain_graph=True)
        hidden = hidden.detach() if detached else hidden
    answer += (len(passed),)
print("states that a gradient reached, without and with the detach:", answer)
"""

QUESTION = Question(
    name="retained-history",
    topic=Topic.MEMORY,
    prompt=(
        "Four chunks of two steps, each with its own `backward()`. How many times does a gradient reach a "
        "state, without the detach between the chunks and with it?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="8 and 8: the graph has eight states.",
            explanation=(
                "That counts states, not visits. Four passes run over them, and without the detach each "
                "goes back to the very beginning."
            ),
            answer=(8, 8),
        ),
        Option(
            text="8 and 2: the detach leaves the last chunk only.",
            explanation=(
                "That forgets that every chunk calls `backward()` itself, before its state is detached. "
                "No chunk is lost."
            ),
            answer=(8, 2),
        ),
        Option(
            text="32 and 8: four passes through eight states.",
            explanation=(
                "That gives every pass the whole sequence. The first has two states behind it; only the "
                "last has all eight."
            ),
            answer=(32, 8),
        ),
        Option(
            text="20 and 8: each pass is two states longer.",
            explanation=(
                "2 + 4 + 6 + 8 without the detach, 2 + 2 + 2 + 2 with it. Twice as many chunks make the "
                "second twice as large, the first nearly four times."
            ),
            answer=(20, 8),
        ),
    ),
    step=2,
)
