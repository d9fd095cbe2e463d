"""With retain_graph and no detach each chunk goes back through all chunks before it."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, answer = torch.tensor(0.5, requires_grad=True), ()
for detached in (False, True):
    hidden, passed = torch.tensor(1.0), []
    for chunk in range(4):
        for _ in range(2):
            hidden = w * hidden
            hidden.register_hook(lambda gradient: passed.append(chunk))
        hidden.backward(retain_graph=True)
        hidden = hidden.detach() if detached else hidden
    answer += (len(passed),)
print("states that a gradient came to, without and with the detach:", answer)
"""

QUESTION = Question(
    name="retained-history",
    topic=Topic.MEMORY,
    prompt=(
        "Four chunks of two steps, each with its own `backward(retain_graph=True)`. How often does a gradient come "
        "to a state, if the state is not detached between the chunks, and if it is?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="8 and 8: the graph has eight states.",
            explanation="It has, but four passes run over it, and without the detach each starts at the end so far.",
            answer=(8, 8),
        ),
        Option(
            text="8 and 2: the detach leaves the last chunk only.",
            explanation="Every chunk sends its own loss back, before its state is detached.",
            answer=(8, 2),
        ),
        Option(
            text="32 and 8: four passes through eight states.",
            explanation="The early passes are shorter: the first has two states behind it, only the last has all eight.",
            answer=(32, 8),
        ),
        Option(
            text="20 and 8: each pass is two states longer.",
            explanation=(
                "2 + 4 + 6 + 8 without the detach, 2 + 2 + 2 + 2 with it: over a long sequence, the square of its "
                "length against the length."
            ),
            answer=(20, 8),
        ),
    ),
)
