"""Momentum remembers: a weight that is cut off mid-training rolls on if its gradient is zeros."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, head = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
optimizer, path = torch.optim.SGD([w], lr=0.1, momentum=0.9), [w.item()]
for cut in (False, True, True, True):
    optimizer.zero_grad(set_to_none=False)
    ((w.detach() if cut else w) * head).sum().backward()
    optimizer.step()
    path.append(w.item())
    print(f"cut: {cut!s:5}  gradient: {w.grad.item()}  w: {path[-1]:.4f}")
answer = tuple(torch.tensor(path).diff().sign().int().tolist()[1:])
"""

QUESTION = Question(
    name="momentum",
    topic=Topic.LOOP,
    prompt=(
        "A weight takes one real step with momentum. Then a detach cuts it off, and `zero_grad` leaves "
        "zeros in its `.grad`. What does it do in the next three steps?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="It stays where the real step left it.",
            explanation=(
                "That would be so with `None` in `.grad`: the optimizer then skips the weight. With zeros "
                "it takes part in every step."
            ),
            answer=(0, 0, 0),
        ),
        Option(
            text="It goes on in the same direction, three times.",
            explanation=(
                "The optimizer keeps 0.9 of its last motion each time, and moves by that even though the "
                "new gradient is 0."
            ),
            answer=(-1, -1, -1),
        ),
        Option(
            text="It goes on once, and then rests.",
            explanation=(
                "That takes momentum for a memory of one step. The motion is multiplied by 0.9 each time: "
                "it fades, but does not stop."
            ),
            answer=(-1, 0, 0),
        ),
        Option(
            text="It goes back toward the value that it had at first.",
            explanation=(
                "That takes momentum for a spring. It remembers the last motion, not the starting value."
            ),
            answer=(1, 1, 1),
        ),
    ),
    step=3,
)
