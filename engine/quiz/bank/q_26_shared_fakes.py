"""One batch of fakes for both steps of a GAN goes without an error only if the first step has it detached."""

from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

w, d, answer = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True), ()
for shared, detached in ((True, True), (True, False), (False, True), (False, False)):
    fake = w.tanh()
    ((fake.detach() if detached else fake) * d).sum().backward()  # the discriminator's step
    try:  # the generator's step
        outcome = (-(fake if shared else w.tanh()) * d).sum().backward() or "runs"
    except RuntimeError:
        outcome = "raises"
    print(f"shared: {shared!s:5}  detached: {detached!s:5}  {outcome}")
    answer += (outcome,)
"""

QUESTION = Question(
    name="shared-fakes",
    topic=Topic.PATTERNS,
    prompt=(
        "A GAN's discriminator backpropagates a loss on `fake`, then the generator one on the same fakes or on fakes "
        "made anew. In which cases does the second `backward()` raise?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="With shared fakes that the first step did not detach, and only then.",
            explanation=(
                "The first pass went back through the generator and freed what `tanh` had saved. Detached, it "
                "stops before it; made anew, there is a second graph."
            ),
            answer=("runs", "raises", "runs", "runs"),
        ),
        Option(
            text="With shared fakes, detached or not.",
            explanation="`fake.detach()` is another tensor. `fake` itself keeps its graph, unused so far.",
            answer=("raises", "raises", "runs", "runs"),
        ),
        Option(
            text="Whenever the first step did not detach them.",
            explanation="Fakes made anew have a graph of their own, which nobody has gone through yet.",
            answer=("runs", "raises", "runs", "raises"),
        ),
        Option(
            text="Never: the two losses are two graphs.",
            explanation="They share the part that made `fake`, and that part is freed by the first pass.",
            answer=("runs", "runs", "runs", "runs"),
        ),
    ),
)
