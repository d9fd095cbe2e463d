"""A running average forgets a loss in value, but never in memory; the best loss holds one graph."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch
import weakref

def pack(tensor):
    saved.add(tensor := tensor.detach())
    return tensor

answer = ()
for update in (lambda kept, loss: 0.9 * kept + 0.1 * loss, min):
    saved, kept, w = weakref.WeakSet(), torch.tensor(99.0), torch.tensor(1.0, requires_grad=True)
    for epoch in range(50):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            loss = (w + epoch) ** 2
        kept = update(kept, loss)
    del loss
    answer += (len(saved),)
print("losses whose saved tensor is alive, average and best:", answer)
"""

QUESTION = Question(
    name="running-average",
    topic=Topic.MEMORY,
    prompt=(
        "One log keeps a running average of 50 losses, another only the best, both without a detach. Of "
        "how many losses does each keep the saved tensor alive?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="50 and 50",
            explanation=(
                "The first half is right. The second takes `min` for arithmetic of torch: it is Python's, "
                "returns one of its arguments and keeps no other."
            ),
            answer=(50, 50),
        ),
        Option(
            text="10 and 1",
            explanation=(
                "That mixes up weight with memory. The last ten losses do have most of the weight, but a "
                "small weight is still a path in the graph."
            ),
            answer=(10, 1),
        ),
        Option(
            text="50 and 1",
            explanation=(
                "The first loss counts for only 0.06 % by then, and is held all the same. The best is a "
                "single loss with its own graph."
            ),
            answer=(50, 1),
        ),
        Option(
            text="1 and 1",
            explanation=(
                "That expects each average to replace the one before. It is computed from the one before, "
                "and so refers to it."
            ),
            answer=(1, 1),
        ),
    ),
    step=2,
)
