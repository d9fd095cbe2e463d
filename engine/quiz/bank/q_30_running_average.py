"""A running average forgets a loss in value, but never in memory; the best loss holds one graph."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, average, best, answer = torch.ones((), requires_grad=True), 0.0, torch.tensor(99.0), ()
for epoch in range(50):
    loss = (w + epoch) ** 2
    average, best = 0.9 * average + 0.1 * loss, min(best, loss)
for kept in (average, best):
    waiting, names = [kept.grad_fn], []
    for node in waiting:
        waiting += [parent for parent, _ in node.next_functions if parent]
        names.append(node.name())
    answer += (names.count("PowBackward0"),)
print("losses held by the average and by the best:", answer)
"""

QUESTION = Question(
    name="running-average",
    topic=Topic.MEMORY,
    prompt=(
        "A log keeps `average = 0.9 * average + 0.1 * loss` and `best = min(best, loss)` over 50 losses, without a "
        "detach. The graphs of how many losses does each hold at the end?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="50 and 50",
            explanation="Python's `min` hands over one of its arguments as it is, and refers to no other.",
            answer=(50, 50),
        ),
        Option(
            text="10 and 1",
            explanation="An average at 0.9 weighs about the last ten, but a small weight is still a path in the graph.",
            answer=(10, 1),
        ),
        Option(
            text="50 and 1",
            explanation=(
                "The first loss counts for half a percent by then, and is held all the same. The best is one loss "
                "with its own graph."
            ),
            answer=(50, 1),
        ),
        Option(
            text="1 and 1",
            explanation="Each new average refers to the one before, and that one to its own.",
            answer=(1, 1),
        ),
    ),
)
