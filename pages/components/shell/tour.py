"""The guided tour: eight steps from "a linear layer and a loss" to "why SimSiam does not collapse".

A step is a view of the app with one question. Its answer is proved by a program that trains or records the very run
that the view shows, and ends in a variable `holds`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import Settings


@dataclass(frozen=True)
class Step:
    """One step: what it is about, the page and the run it opens, what the learner does there, and the question."""

    title: str
    paragraph: str
    page: str
    settings: Settings
    does: str
    question: str
    answer: str
    proof: str
    minutes: int

    @property
    def program(self) -> str:
        """The whole program, as it runs in the app's folder."""
        return f"from engine import Settings, record, train\n\n{self.proof}"


STEPS = (
    Step(
        title="A linear layer and a loss",
        paragraph=(
            "Four samples of three numbers go through one linear layer. The loss is the mean squared difference between its "
            "outputs and the targets. `backward()` then computes how the loss changes with each number: these are the "
            "gradients, and they come from right to left. The page shows two runs of each step; here they are the same."
        ),
        page="pages/data_flow.py",
        settings=Settings(detach="nowhere"),
        does="Click the boxes and read the values and the gradients.",
        question="The inputs, the weight, the bias: which of them get a gradient?",
        answer=(
            "The weight and the bias. They are parameters: training changes them. The inputs are data and need no gradient."
        ),
        proof="""\
step = record(Settings(detach="nowhere"), epoch=1)
reached = [name for backward in step.backwards for name in backward.reached]
holds = sorted(reached) == ["linear.bias", "linear.weight"] and step.stages[0].gradient is None""",
        minutes=4,
    ),
    Step(
        title="Training repeats that step",
        paragraph=(
            "In each epoch the optimizer moves the weights a little, against their gradients, and the loss is computed anew. "
            "Here that happens five times."
        ),
        page="pages/training_trace.py",
        settings=Settings(detach="nowhere"),
        does="Press Play in the picture, then read the chart of the losses.",
        question="The loss falls in every epoch. Does it always fall by the same amount?",
        answer=(
            "No, each fall is smaller than the one before. The closer the outputs come to the targets, the smaller the "
            "gradients get."
        ),
        proof="""\
run = train(Settings(detach="nowhere")).attached
falls = [before - after for before, after in zip(run.losses, run.losses[1:])]
(norms,) = run.gradient_norms
holds = min(falls) > 0 and falls == sorted(falls, reverse=True) and list(norms) == sorted(norms, reverse=True)""",
        minutes=3,
    ),
    Step(
        title="One detach, and nothing learns",
        paragraph=(
            "`detach()` gives the same values without the record of how they were computed. Now one stands between the "
            "layer and the loss, in the second of the two runs."
        ),
        page="pages/data_flow.py",
        settings=Settings(),
        does="Compare the two rows of the picture at epoch 1, where both runs have the same weights.",
        question="Do the values change? And what does `backward()` do?",
        answer=(
            "The values stay the same, bit for bit. `backward()` raises an error: nothing connects the loss to any parameter, "
            "so there is nothing to walk back through, and the layer can't learn."
        ),
        proof="""\
without, with_ = (record(Settings(), epoch=1, detached=detached) for detached in (False, True))
same = [a.output.values.tolist() for a in without.stages] == [
    b.output.values.tolist() for b in with_.stages if b.operation != "detach"
]
holds = same and without.raised is None and with_.raised.stage == "backward"
""",
        minutes=4,
    ),
    Step(
        title="A deeper network: some layers starve",
        paragraph=(
            "Three layers in a row: `hidden_1`, `hidden_2`, `output`. The detach stands after the first. The layers before it "
            "get no gradient; those after it still do."
        ),
        page="streamlit_app.py",
        settings=Settings("classifier", detach="hidden_1"),
        does="Press Play. Then click other scissors, and predict each time before you press Play again.",
        question="Which of the three layers stop learning? And which do if the detach stands after `hidden_2`?",
        answer=(
            "First only `hidden_1`; then `hidden_1` and `hidden_2`. The layers before the detach keep the weights that they "
            "started with, and the layers after it learn from whatever these give."
        ),
        proof="""\
still = [train(Settings("classifier", detach=place)).detached.never_moved for place in ("hidden_1", "hidden_2")]
holds = still == [("hidden_1",), ("hidden_1", "hidden_2")]""",
        minutes=5,
    ),
    Step(
        title="A value that you only want to look at",
        paragraph=(
            "So far the detach did harm. Often it is what you want. A training script keeps the loss of each epoch in a list, to draw "
            "it later; a loss that is kept also keeps the record of how it was computed."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("kept_losses"),
        does="Read the verdict and the lines that differ.",
        question="Does the detach change what the model learns? What does it change?",
        answer=(
            "It changes nothing that is learned: the weights are the same, bit for bit. But without it each kept loss holds its whole "
            "graph, and the memory in use grows with every epoch."
        ),
        proof="""\
from engine.evidence.verdicts import judge
trace = train(Settings("kept_losses"))
verdict = judge(trace)
same = (trace.attached.weights == trace.detached.weights).all()
holds = bool(same) and verdict.attached.grows and not verdict.detached.grows""",
        minutes=4,
    ),
    Step(
        title="Two networks, one at a time",
        paragraph=(
            "In a GAN a generator makes fakes, and a discriminator learns to tell them from real data. While the "
            "discriminator learns, the generator is to stay as it is, so the fakes are detached."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("gan"),
        does="Read the verdict, then open the fold with the counts of what an epoch costs.",
        question="What if you leave the detach out: does the generator learn something else?",
        answer=(
            "No, both runs end with the same weights: the script clears those gradients before the generator's own step. "
            "But `backward()` walks through more of the graph to compute them, for nothing."
        ),
        proof="""\
from engine.evidence.verdicts import judge
trace = train(Settings("gan"))
verdict = judge(trace)
same = (trace.attached.weights == trace.detached.weights).all()
holds = bool(same) and verdict.attached.nodes[-1] > verdict.detached.nodes[-1]""",
        minutes=5,
    ),
    Step(
        title="A target that must stand still",
        paragraph=(
            "Here a model predicts the value of each state, and its target is a reward plus the value that it predicts for the next "
            "state. So the target comes from the model itself. The detach makes it a plain number to move toward."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("td_target"),
        does="Compare the two curves: the loss, and the distance from the true values.",
        question="Without the detach the loss ends lower. Are the values better as well?",
        answer=(
            "No, they are further from the true ones. Without the detach the gradient also moves the target toward the prediction: that "
            "lowers the loss, and is not what you wanted to learn. It is so with each of the seeds 0 to 3."
        ),
        proof="""\
traces = [train(Settings("td_target", seed=seed)) for seed in range(4)]
lower = [trace.attached.losses[-1] < trace.detached.losses[-1] for trace in traces]
further = [trace.attached.measures[-1] > 2 * trace.detached.measures[-1] for trace in traces]
holds = all(lower) and all(further)""",
        minutes=5,
    ),
    Step(
        title="Why SimSiam does not collapse",
        paragraph=(
            "A network learns without labels: two noisy views of a point are to get the same embedding. The easiest way to do "
            "that is one embedding for all points, which is worthless: a collapse. SimSiam detaches the view that is predicted, and lets "
            "the other one pass a small network first, the predictor."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("simsiam"),
        does="Look at the spread of the embeddings. Then switch the predictor off.",
        question="What becomes of the spread without the detach? Is the detach alone enough?",
        answer=(
            "Without the detach the embeddings run together: the loss is almost perfect, and the spread falls to less than half. "
            "With the detach and the predictor the spread stays above 0.7. The detach alone is not enough: without the predictor it "
            "only halves the gradient and leaves its direction, and the embeddings run together as well. It is so with each of the "
            "seeds 0 to 3."
        ),
        proof="""\
def traces(predictor):
    options = (("predictor", predictor),)
    return [train(Settings("simsiam", seed=seed, options=options)) for seed in range(4)]
both, alone = traces("true"), traces("false")
holds = (
    all(trace.attached.losses[-1] < -0.95 for trace in both)  # -1 is perfect
    and all(trace.attached.measures[-1] < trace.attached.measures[0] / 2 for trace in both)
    and all(trace.detached.measures[-1] > 0.7 for trace in both)
    and all(trace.detached.measures[-1] < trace.detached.measures[0] / 2 for trace in alone)
)""",
        minutes=6,
    ),
)
"""The tour, in order."""
