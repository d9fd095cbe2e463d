"""A kept loss keeps its whole graph alive; a detached one keeps none."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
losses = [(w * 3) ** 2 for _ in range(50)]
answer = ()
for kept in (losses, [loss.detach() for loss in losses]):
    nodes, waiting = set(), [loss.grad_fn for loss in kept if loss.grad_fn]
    while waiting:
        node = waiting.pop()
        nodes.add(node)
        waiting += [parent for parent, _ in node.next_functions if parent and parent not in nodes]
    print(f"{len(kept)} losses, {len(nodes)} nodes")
    answer += (len(nodes),)
"""

QUESTION = Question(
    name="kept-losses",
    topic=Topic.MEMORY,
    prompt=(
        "A list collects 50 losses `(w * 3) ** 2` of the same `w`, for a chart. How many nodes of the "
        "graph does it keep alive, and how many if each loss is detached first?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="101 and 0",
            explanation=(
                "Two nodes for every loss, and one that they share, which belongs to `w`. Detached "
                "losses hold only their values."
            ),
            answer=(101, 0),
        ),
        Option(
            text="3 and 0",
            explanation="The formula is the same each time, but every pass builds a new graph of its own.",
            answer=(3, 0),
        ),
        Option(
            text="0 and 0",
            explanation=(
                "Python frees a graph once nothing refers to it. A loss in a list does, through its "
                "`grad_fn`."
            ),
            answer=(0, 0),
        ),
        Option(
            text="101 and 101",
            explanation="A detached loss has no `grad_fn`, so it keeps nothing of the graph alive.",
            answer=(101, 101),
        ),
    ),
)
