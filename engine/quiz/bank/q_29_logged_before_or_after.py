"""A total of losses that were backpropagated holds nodes only; of losses that were not, it holds their saved tensors."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, ref, answer = torch.ones(1000, requires_grad=True), torch.utils.weak.TensorWeakRef, ()
for sent_back in (False, True):
    total, saved = 0.0, []
    note = lambda t: saved.append(ref(t := t.detach())) or t
    for epoch in range(5):
        with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
            loss = w.exp().sum()
        loss.backward() if sent_back else None
        total = total + loss
    answer += (sum(kept() is not None for kept in saved),)
print("saved tensors that the total holds:", answer)
"""

QUESTION = Question(
    name="logged-before-or-after",
    topic=Topic.MEMORY,
    prompt=(
        "`total = total + loss` over five epochs of `w.exp().sum()`, without a detach. How many tensors saved for the "
        "way back does the total hold, if the losses are never backpropagated (a validation), and if each is (training)?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="5 and 5",
            explanation="`backward()` frees what was saved as it passes. The nodes stay, without their tensors.",
            answer=(5, 5),
        ),
        Option(
            text="5 and 0",
            explanation=(
                "Each `exp` saves its result. A training loss has its own freed by `backward()`; a validation loss "
                "that is added up keeps it for good."
            ),
            answer=(5, 0),
        ),
        Option(
            text="0 and 0",
            explanation="The total refers to every loss through its `grad_fn`, and so to all that they have saved.",
            answer=(0, 0),
        ),
        Option(
            text="1 and 0",
            explanation="The name `loss` is used again, but the total still refers to the earlier ones.",
            answer=(1, 0),
        ),
    ),
)
