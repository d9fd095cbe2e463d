"""A hidden state detached between chunks keeps its value and loses the gradient from before the chunk."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for detached in (True, False):
    w, hidden = torch.tensor(0.5, requires_grad=True), torch.tensor(8.0)
    for t in range(4):
        if detached and t == 2:  # a new chunk begins
            hidden = hidden.detach()
        hidden = w * hidden
    hidden.backward()
    print(f"detached: {detached!s:5}  hidden: {hidden.item()}  w.grad: {w.grad.item()}")
    answer += (w.grad.item(),)
"""

QUESTION = Question(
    name="chunks-of-a-sequence",
    topic=Topic.PATTERNS,
    prompt=(
        "`hidden = w * hidden` runs four times from 8 with `w = 0.5`, so it ends at `8 * w ** 4`. What is `w.grad`, "
        "with the state detached halfway, and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="2 detached, 4 without",
            explanation=(
                "The second chunk sees `2 * w ** 2` from a constant 2, slope 2. The whole is `8 * w ** 4`, slope 4."
            ),
            answer=(2.0, 4.0),
        ),
        Option(
            text="8 detached, 4 without",
            explanation="8 would be the slope of a chunk that starts from 8. The value that crosses the border is 2.",
            answer=(8.0, 4.0),
        ),
        Option(
            text="0 detached, 4 without",
            explanation="The detach cuts what lies before the chunk. Two steps of `w` lie after it.",
            answer=(0.0, 4.0),
        ),
        Option(
            text="4 in both, as the final state is the same",
            explanation="The state is 0.5 in both. The paths back to `w` are not: two of the four are cut.",
            answer=(4.0, 4.0),
        ),
    ),
)
