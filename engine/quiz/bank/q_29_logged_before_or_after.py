"""A total of losses that were backpropagated holds nodes only; of losses that were not, it holds their saved tensors."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch
import weakref

def pack(tensor):
    saved.add(tensor := tensor.detach())
    return tensor

answer = ()
for training in (False, True):
    saved, total, w = weakref.WeakSet(), 0.0, torch.ones(1000, requires_grad=True)
    for epoch in range(5):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            loss = w.exp().sum()
        if training:
            loss.backward()
        total = total + loss
    answer += (len(saved),)
print("saved tensors alive, in validation and in training:", answer)
"""

QUESTION = Question(
    name="logged-before-or-after",
    topic=Topic.MEMORY,
    prompt=(
        "`total` adds up five losses that are not detached. How many saved tensors does it keep alive if "
        "the losses are never backpropagated (validation), and how many if each is (training)?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="5 and 5",
            explanation=(
                "That overlooks what `backward()` frees as it passes. The nodes of the graph stay, "
                "without their saved tensors."
            ),
            answer=(5, 5),
        ),
        Option(
            text="5 and 0",
            explanation=(
                "Each `exp` saves its result, and `backward()` frees it. A validation loss has no "
                "`backward()`, so the total keeps what it saved."
            ),
            answer=(5, 0),
        ),
        Option(
            text="0 and 0",
            explanation=(
                "That takes the total for a number. It is a tensor that refers to every loss by its "
                "`grad_fn`, and so to all that they saved."
            ),
            answer=(0, 0),
        ),
        Option(
            text="1 and 0",
            explanation=(
                "That counts the name `loss`, which does hold only the last one. The total still refers "
                "to the earlier ones."
            ),
            answer=(1, 0),
        ),
    ),
)
