"""A kept loss keeps its whole graph alive; a detached one keeps none."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch
import weakref

def pack(tensor):
    saved.add(tensor := tensor.detach())
    return tensor

saved, w = weakref.WeakSet(), torch.ones(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    losses = [w.exp().sum() for _ in range(50)]
answer = (len(saved),)
losses = [loss.detach() for loss in losses]
answer += (len(saved),)
print("saved tensors alive, before and after the detach:", answer)
"""

QUESTION = Question(
    name="kept-losses",
    topic=Topic.MEMORY,
    prompt=(
        "`saved` counts the tensors that autograd saved for a backward pass and that are still alive. How "
        "many does a list of 50 losses keep alive, and how many once its losses are detached?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="50 and 0",
            explanation=(
                "Each loss holds its graph, and the graph holds what `exp` saved. A detached loss holds "
                "only its value."
            ),
            answer=(50, 0),
        ),
        Option(
            text="1 and 0",
            explanation=(
                "That takes the same formula for the same graph. Every forward pass builds a graph of its "
                "own."
            ),
            answer=(1, 0),
        ),
        Option(
            text="0 and 0",
            explanation=(
                "That expects the graph to go once the loss is computed. It goes when nothing refers to "
                "it, and a loss in a list does."
            ),
            answer=(0, 0),
        ),
        Option(
            text="50 and 50",
            explanation=(
                "That takes a detached loss for the old one under another name. It is a new tensor "
                "without a `grad_fn`, so it holds no graph."
            ),
            answer=(50, 50),
        ),
    ),
)
