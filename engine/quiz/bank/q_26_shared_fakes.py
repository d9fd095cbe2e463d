"""One batch of fakes for both steps of a GAN goes without an error only if the first step has it detached."""

from ...settings import Settings
from ..definition import Option, Question, Topic

SNIPPET = """\
import torch

answer = ()
for shared, detached in ((True, True), (True, False), (False, True), (False, False)):
    w, d = (torch.ones(1, requires_grad=True) for _ in range(2))
    fake = w.tanh()
    (d * (fake.detach() if detached else fake)).sum().backward()  # the discriminator's step
    again = fake if shared else w.tanh()
    try:
        (-d * again).sum().backward()  # the generator's step
        outcome = "runs"
    except RuntimeError:
        outcome = "raises"
    print(f"shared: {shared!s:5}  detached: {detached!s:5}  {outcome}")
    answer += (outcome,)
"""

QUESTION = Question(
    name="shared-fakes",
    topic=Topic.PATTERNS,
    prompt=(
        "A GAN's discriminator backpropagates a loss on `fake`, then the generator one on the same fakes "
        "or on fakes made anew. In which cases does the second `backward()` raise?"
    ),
    snippet=SNIPPET,
    options=(
        Option(
            text="With shared fakes that the first step did not detach, and only then.",
            explanation=(
                "The first pass went back through the generator and freed what `tanh` had saved. "
                "Detached, it stops before that; made anew, the fakes have a second graph."
            ),
            answer=("runs", "raises", "runs", "runs"),
        ),
        Option(
            text="With shared fakes, detached or not.",
            explanation=(
                "That takes `fake.detach()` for a change of `fake`. It returns another tensor; `fake` "
                "keeps its graph, unused so far."
            ),
            answer=("raises", "raises", "runs", "runs"),
        ),
        Option(
            text="Whenever the first step did not detach them.",
            explanation=(
                "That takes the generator for used up. Only a graph is: fakes made anew have a fresh one."
            ),
            answer=("runs", "raises", "runs", "raises"),
        ),
        Option(
            text="Never: the two losses are two graphs.",
            explanation=(
                "Two losses can share a part of the graph. Here it is the part that made `fake`, and the "
                "first pass frees it."
            ),
            answer=("runs", "runs", "runs", "runs"),
        ),
    ),
    step=3,
    picture=Settings(experiment="gan", epochs=1, options=(("fakes", "reused"),)),
)
