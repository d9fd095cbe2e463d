"""The guided tour: eight steps from "a linear layer and a loss" to "what keeps SimSiam from collapsing".

A step is a view of the app with one question. Its answer is proved by a program that trains or records the very run
that the view shows, and ends in a variable `holds`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import Settings
from engine.evidence.predictions import Prediction


@dataclass(frozen=True)
class Step:
    """One step: what it is about, the page and the run it opens, the question, and what to look at then."""

    title: str
    paragraph: str
    page: str
    settings: Settings
    question: str
    options: tuple[str, ...]
    right: int
    """The index of the option that the run shows to be right."""
    does: str
    """What the learner does once the prediction is made."""
    answer: str
    words: str
    """The words of the glossary that the step needs, parted by commas."""
    proof: str
    minutes: int
    also: tuple[Settings, ...] = ()
    """The other runs that `does` leads to."""

    @property
    def asked(self) -> Prediction:
        """The question as it is asked before the run answers it."""
        return Prediction(self.question, self.options, self.right, self.answer)

    @property
    def program(self) -> str:
        """The whole program, as it runs in the app's folder."""
        return f"from engine import Settings, record, train\n\n{self.proof}"


STEPS = (
    Step(
        title="A linear layer and a loss",
        paragraph=(
            "Four samples of three numbers go through one linear layer. The loss is the mean squared difference between its "
            "outputs and the targets. `backward()` then computes how the loss changes with each parameter: these are the "
            "gradients, and they come from right to left."
        ),
        page="pages/data_flow.py",
        settings=Settings(detach="nowhere", epochs=1),
        question="The inputs, the weight, the bias: which of them get a gradient?",
        options=("All three", "The weight and the bias", "Only the weight", "Only the inputs"),
        right=1,
        does=(
            "Click the boxes and read the values and the gradients. The picture has two rows since the app trains everything "
            "twice; until step 3 both are the same."
        ),
        answer="They are parameters: training changes them. The inputs are data and need no gradient.",
        words="parameter, requires_grad, gradient, backward()",
        proof="""\
step = record(Settings(detach="nowhere", epochs=1))
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
        question="From each epoch to the next the loss falls. By how much?",
        options=("By the same amount each time", "By less and less", "By more and more"),
        right=1,
        does="Press Play and watch the curve of the loss under the picture. Its numbers stand in the table further down.",
        answer="The closer the outputs come to the targets, the smaller the gradients get, and the less a step lowers the loss.",
        words="gradient, gradient norm, epoch, optimizer, learning rate",
        proof="""\
run = train(Settings(detach="nowhere")).attached
falls = [before - after for before, after in zip(run.losses, run.losses[1:])]
(norms,) = run.gradient_norms
holds = min(falls) > 0 and falls == sorted(falls, reverse=True) and list(norms) == sorted(norms, reverse=True)""",
        minutes=3,
    ),
    Step(
        title="A detach between the layer and the loss",
        paragraph=(
            "For every result PyTorch keeps a record of how it was computed, the computation graph, and `backward()` walks back "
            "through it. `detach()` gives the same values without that record. Now one stands between the layer and the loss, in the "
            "second of two runs that start with the same weights."
        ),
        page="pages/data_flow.py",
        settings=Settings(),
        question="What does the detach change in the values, and in what `backward()` does?",
        options=(
            "The values stay the same, and the gradients get smaller",
            "The values stay the same, and `backward()` computes gradients of zero",
            "The values stay the same, and `backward()` raises an error",
            "Nothing: the layer learns as before",
        ),
        right=2,
        does=(
            "Compare the two rows of the picture. In the lower one click `linear`: its output has a `grad_fn`. Then click `loss`, which is "
            "computed from the detached copy: it has none."
        ),
        answer=(
            "The values are the same, bit for bit. But nothing connects the loss to any parameter, so there is nothing "
            "to walk back through, and the layer can't learn. The app catches the error and goes on, so that you see a run that learns nothing."
        ),
        words="computation graph, grad_fn, backward(), detach, twin",
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
        title="A deeper network",
        paragraph=(
            "Three layers in a row: `hidden_1`, `hidden_2`, `output`. Nothing is cut yet. You will put a detach after "
            "`hidden_1` and its `tanh`."
        ),
        page="streamlit_app.py",
        settings=Settings("classifier", detach="nowhere"),
        question="With a detach there, which layers stop learning?",
        options=("Only `hidden_1`", "`hidden_2` and `output`", "All three", "None of them"),
        right=0,
        does=(
            "Click those scissors in the lower row and press Play. Then predict what a cut after `hidden_2` does, and try that one."
        ),
        answer=(
            "The layers before the detach get no gradient and keep the weights that they started with; the layers after it learn "
            "from whatever these give. So a cut after `hidden_2` stops `hidden_1` and `hidden_2`. There is no error this time: the loss is "
            "still connected to the layers after the cut."
        ),
        words="gradient, detach, starved, twin",
        also=tuple(Settings("classifier", detach=place) for place in ("hidden_1", "hidden_2")),
        proof="""\
still = [train(Settings("classifier", detach=place)).detached.never_moved for place in ("hidden_1", "hidden_2")]
raised = [record(Settings("classifier", detach=place), epoch=1).raised for place in ("hidden_1", "hidden_2")]
holds = still == [("hidden_1",), ("hidden_1", "hidden_2")] and raised == [None, None]""",
        minutes=5,
    ),
    Step(
        title="A value that you only want to look at",
        paragraph=(
            "So far the detach did harm. Often it is what you want. After each epoch this script also computes the loss on other "
            "data, the validation loss, and adds it to a running total, only to print the total."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("kept_losses"),
        question="What does a detach on the validation loss change?",
        options=(
            "What the model learns: without it, it learns from the validation data too",
            "What stays in memory: without it, more is held after every epoch",
            "Nothing at all",
        ),
        right=1,
        does="Read the verdict, and the curve below it. In the picture find the branch that the loss for training does not use.",
        answer=(
            "The weights are the same, bit for bit: nobody calls `backward()` on the total. But without the detach the total holds "
            "the whole graph of every validation loss, since a loss is more than a number, and the memory in use grows with every epoch."
        ),
        words="computation graph, node, detach, twin",
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
            "In a GAN a generator makes fakes, and a discriminator learns to tell them from real data. They take turns: "
            "the discriminator's step needs no gradient in the generator, so there the fakes are detached. One thing to know: "
            "PyTorch adds each new gradient to the one that is already there, until the script clears it with `zero_grad()`. "
            "This script clears the gradients of the generator right before the generator's own `backward()`."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("gan"),
        question="If you remove the detach, does the generator learn something else?",
        options=(
            "Yes: it learns from the discriminator's loss as well",
            "No, but gradients are computed for nothing",
            "No, and nothing else changes either",
            "It can't learn any more: `backward()` raises an error",
        ),
        right=1,
        does=(
            "Read the verdict, then open “What an epoch costs autograd” and compare the nodes visited and the gradients that were "
            "cleared. Last, choose to clear the generator's gradients at the top of the step."
        ),
        answer=(
            "Both runs end with the same weights: what `backward()` adds to the generator's gradients in the discriminator's step "
            "is cleared before the generator uses it. (The gradients that are cleared even with the detach are the discriminator's, which the "
            "generator's loss adds.) Cleared at the top of the step it is not, and then the generator also learns to help "
            "the discriminator: its fakes end further from the data than with the detach."
        ),
        words="node, gradient, backward(), detach, optimizer, twin",
        proof="""\
from engine.evidence.verdicts import judge
trace = train(Settings("gan"))
verdict = judge(trace)
same = (trace.attached.weights == trace.detached.weights).all()
wasted = [cost.cleared[-1] for cost in (verdict.attached, verdict.detached)]
with_ = record(Settings("gan"), epoch=1)
discriminators = {name for name in with_.backwards[1].reached if name.startswith("discriminator.")}
wrong = train(Settings("gan", options=(("clearing", "at-the-top"),)))
further = wrong.attached.measures[-1] > wrong.detached.measures[-1]
holds = bool(same) and verdict.attached.nodes[-1] > verdict.detached.nodes[-1] and wasted == [8, 4] and further
holds = holds and len(discriminators) == 4""",
        minutes=6,
        also=(Settings("gan", options=(("clearing", "at-the-top"),)),),
    ),
    Step(
        title="A target that no gradient moves",
        paragraph=(
            "Five states are the rungs of a ladder. From each you climb one rung or fall to the lowest, by chance; on the highest you get "
            "a reward of 1 and start again. The value of a rung is the reward that is still to come; with each step of waiting it counts 0.8 times as much. The model "
            "learns one number for each rung. Its target is the reward plus 0.8 times its own number for the next rung: it comes from the model "
            "itself, and the detach makes it a plain number to move toward."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("td_target"),
        question="Which run ends with the lower loss, and which with the better values?",
        options=(
            "The one without the detach, in both",
            "Without the detach the lower loss, with it the better values",
            "The one with the detach, in both",
            "Both end alike",
        ),
        right=1,
        does=(
            "Compare the loss with the distance from the true values. Then press Play in the picture and watch the plots below it: filled is "
            "what the model says of each rung, hollow is the true value."
        ),
        answer=(
            "Without the detach the loss ends a little lower: the gradient also moves the target toward the prediction. But that draws the values "
            "of all rungs together, away from the true ones. It is so with each of the seeds 0 to 5."
        ),
        words="gradient, detach, stop-gradient, twin",
        proof="""\
traces = [train(Settings("td_target", seed=seed)) for seed in range(6)]
lower = [trace.attached.losses[-1] < trace.detached.losses[-1] for trace in traces]
further = [trace.attached.measures[-1] > 2 * trace.detached.measures[-1] for trace in traces]
last = [[run.predictions[-1] for run in trace.runs] for trace in traces]
together = [max(without) - min(without) < max(with_) - min(with_) for without, with_ in last]
holds = all(lower) and all(further) and all(together)""",
        minutes=6,
    ),
    Step(
        title="What keeps SimSiam from collapsing",
        paragraph=(
            "A network turns each point into eight numbers, its embedding. There are no labels: two noisy views of the same point are to get "
            "the same embedding, and the loss is minus their similarity, so -1 is best. The danger is a collapse: one embedding for all "
            "points reaches -1 too, and is worthless. The spread tells: near 1 the embeddings point in all directions, at 0 all are the same.\n\n"
            "SimSiam passes the embedding of one view through a small network, the predictor, and compares the result with the embedding "
            "of the other view, which is detached."
        ),
        page="pages/detach_in_practice.py",
        settings=Settings("simsiam"),
        question="What keeps the embeddings apart?",
        options=(
            "The detach alone",
            "The predictor alone",
            "Only both together",
            "Neither: they collapse with both",
        ),
        right=2,
        does=(
            "Compare the spread without and with the detach. Press Play and watch the embeddings below the picture: a collapse is a single "
            "spot. Then switch the predictor off, beside the verdict, and compare the ∇ in the boxes of the encoder at the first epoch."
        ),
        answer=(
            "Without the detach the loss ends below -0.99 and the spread below 0.2; with both, the spread ends above 0.7. With the detach but "
            "no predictor the spread ends below 0.1.\n\nWhy? The gradient reaches the encoder over two paths: through the prediction, and through "
            "the embedding that is predicted. The detach cuts the second. Without a predictor both paths carry the same "
            "gradient, so the cut only halves it: that is the ∇ of the encoder. With a predictor they differ. The cut path is the one that "
            "would pull the embeddings together; the path that stays hardly changes their spread (after twenty epochs: by less than a tenth "
            "as much, with each of the seeds 0 to 5). Why it works in general is still being researched."
        ),
        words="gradient, detach, stop-gradient, collapse, twin",
        proof="""\
import torch
from torch.nn.functional import cosine_similarity
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model

def both_paths(settings, weights=None):
    "The gradients of both paths to the encoder, and how much a small step against each changes the spread."
    script, model = script_of(settings), start_model(settings)
    if weights is not None:
        torch.nn.utils.vector_to_parameters(torch.tensor(weights), model.parameters())
    data = script.make_data(settings.seed)
    one, two = model.encoder(data.view_1), model.encoder(data.view_2)
    from_one, from_two = model.predictor(one), model.predictor(two)
    through_prediction = -cosine_similarity(from_one, two.detach()).mean() - cosine_similarity(from_two, one.detach()).mean()
    through_target = -cosine_similarity(from_one.detach(), two).mean() - cosine_similarity(from_two.detach(), one).mean()
    stays, cut, spread = (
        torch.cat([g.flatten() for g in torch.autograd.grad(of, list(model.encoder.parameters()), retain_graph=True)])
        for of in (through_prediction, through_target, script.measure(model, data, one))
    )
    return stays, cut, float(-stays @ spread), float(-cut @ spread)

def keeps_them_apart(seed):
    settings = Settings("simsiam", seed=seed)
    trace, alone = train(settings), train(settings.choosing("predictor", "false"))
    stays, cut, _, _ = both_paths(alone.settings)
    _, _, by_what_stays, by_what_is_cut = both_paths(settings, trace.detached.weights[20])
    return (
        (trace.attached.losses[-1] < -0.99 and trace.attached.measures[-1] < 0.2)
        and (trace.detached.measures[-1] > 0.7 and alone.detached.measures[-1] < 0.1)
        and torch.allclose(stays, cut, atol=1e-6)
        and by_what_is_cut < -10 * abs(by_what_stays)
    )

holds = all(map(keeps_them_apart, range(6)))""",
        minutes=7,
        also=(Settings("simsiam").choosing("predictor", "false"),),
    ),
)
"""The tour, in order."""
