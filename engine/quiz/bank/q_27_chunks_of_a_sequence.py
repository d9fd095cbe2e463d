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
        "`hidden` starts from 8 and ends at `8 * w ** 4`, with `w = 0.5`. What is `w.grad`, with the "
        "state detached halfway and without?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="2 detached, 4 without",
            explanation=(
                "The second chunk is `2 * w ** 2` from a constant 2: slope 2. The whole is `8 * w ** 4`: "
                "slope 4."
            ),
            answer=(2.0, 4.0),
        ),
        Option(
            text="8 detached, 4 without",
            explanation=(
                "That starts the second chunk from 8, as if the detach threw the state away. The value "
                "crosses the border, and it is 2 by then."
            ),
            answer=(8.0, 4.0),
        ),
        Option(
            text="0 detached, 4 without",
            explanation=(
                "That cuts the whole sequence. The detach cuts what lies before it; two steps of `w` come "
                "after."
            ),
            answer=(0.0, 4.0),
        ),
        Option(
            text="4 in both, as the final state is the same",
            explanation=(
                "That reads the gradient off the value. The state is 0.5 in both, but two of the four "
                "paths back to `w` are cut."
            ),
            answer=(4.0, 4.0),
        ),
    ),
    step=2,
)
