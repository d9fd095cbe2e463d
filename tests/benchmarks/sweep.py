"""A sweep of one twin against one bare torch loop of the same epochs: python -m tests.benchmarks.sweep

The sweep's time has everything in it: writing the step out, every epoch, reading the losses. The bare loop trains
one model at one rate. Both take turns, and the medians are compared.

The lesson is small: what a step costs there is going through torch, which a batched step does once for all rates.
The classifier is not: 60 samples in three layers are multiplied for each rate. So each row names a floor: the
time of the step's products and tanhs alone, by torch's own `bmm` and `tanh`, over that of the bare loop. On the
classifier it lies above both targets (about 5 and 20 on a busy machine), so the targets are missed there, by the
arithmetic itself; the sweep takes about twice the floor.
"""

import gc
import statistics
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from engine import Settings
from engine.evidence.sweep import default_rates, sweep_one
from engine.optimizers import maker
from engine.settings import OPTIMIZERS
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model
from tests.benchmarks.table import Row, compared, table
from tests.benchmarks.training import seconds

TARGETS = {256: 1.5, 1024: 2.5}
ROUNDS = 5


def bare(settings: Settings) -> None:
    """One model at one rate: the plain loop."""
    script = script_of(settings)
    model, data, step = start_model(settings), script.make_data(settings.seed), script.step_without_detach
    optimizer = maker(settings.optimizer, settings.learning_rate)(model.parameters())
    for _ in range(settings.epochs):
        optimizer.zero_grad()
        loss, _ = step(model, data)
        loss.backward()
        optimizer.step()


def arithmetic(settings: Settings, rates: int) -> Callable[[], None]:
    """The products and tanhs of the step, forward and back, for all rates and epochs, and nothing else."""
    data = script_of(settings).make_data(settings.seed)
    weights = [p.detach() for p in start_model(settings).parameters() if p.ndim == 2]
    samples = len(data.inputs)
    forward: list[tuple[Tensor, Tensor]] = []
    backward: list[tuple[Tensor, Tensor]] = []
    for number, weight in enumerate(weights):
        outputs, inputs = weight.shape
        into = torch.rand(rates, samples, inputs)
        back = torch.rand(rates, samples, outputs)
        stacked = weight.expand(rates, outputs, inputs).clone()
        forward.append((into, stacked.mT))
        backward.append((back.mT, into))
        if number:
            backward.append((back, stacked))
    hidden = [torch.rand(rates, samples, weight.shape[0]) for weight in weights[:-1]]

    def run() -> None:
        for _ in range(settings.epochs):
            for one, other in forward + backward:
                torch.bmm(one, other)
            for values in hidden:
                torch.tanh(values)

    return run


def rows() -> list[Row]:
    """One row for each experiment, optimizer, number of epochs and number of rates."""
    torch.set_num_threads(1)
    start_model(Settings())
    gc.freeze()
    return [
        _row(Settings(experiment, epochs=epochs, optimizer=optimizer, learning_rate=1e-3), rates)
        for experiment, lengths in (("lesson", (60, 500)), ("classifier", (60,)))
        for optimizer in OPTIMIZERS
        for epochs in lengths
        for rates in TARGETS
    ]


def _row(settings: Settings, rates: int) -> Row:
    ours = partial(sweep_one, settings, False, default_rates(rates))
    runs = (ours, partial(bare, settings), arithmetic(settings, rates))
    for run in runs[:2]:
        run()
    times = zip(*([seconds(run) for run in runs] for _ in range(ROUNDS)), strict=True)
    mine, plain, floor = (statistics.median(column) * 1e3 for column in times)
    what = (
        f"{settings.described().title}, sweep over {rates} rates / one bare loop, {settings.optimizer}, "
        f"{settings.epochs} epochs (arithmetic alone {floor / plain:.2f})"
    )
    return compared(what, mine, plain, "ms", at_most=TARGETS[rates])


if __name__ == "__main__":
    print(table(rows()))
