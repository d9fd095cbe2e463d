"""The whole script of a run: the experiment as it was written out, and below it a bare training loop.

It needs torch alone and prints the very losses of the run, to the last digit.
"""

from __future__ import annotations

from ..optimizers import CODE
from ..settings import Settings
from .experiment_script import DATA_SEED, script_of

_HEAD = '''

EPOCHS = {epochs}
LEARNING_RATE = {learning_rate!r}
SHOWN_EPOCH = {epoch}  # the epoch that is printed in full
START, SEED = {start!r}, {seed}
torch.set_num_threads(1)  # several threads round a sum in another order


def make_optimizer(parameters):
    """The optimizer of every run here."""
    return {optimizer}


def train(step):
    """The losses of one run, each read before the step of its epoch."""
    model = make_model(START, torch.Generator().manual_seed(SEED))
    data = make_data({generator})
'''

_ONE_LOSS = """    optimizer = make_optimizer(model.parameters())
    losses = []
    for epoch in range(1, EPOCHS + 1):
        optimizer.zero_grad()
        loss, prediction = step(model, data)
        losses.append(loss.item())
        refused = None
        try:
            loss.backward()
        except RuntimeError as refusal:  # no parameter is connected to the loss: nothing can learn
            refused = refusal
"""

_OWN_LOSSES = """    optimizers = make_optimizers(model, make_optimizer)
    losses = []
    for epoch in range(1, EPOCHS + 1):
        refused, loss, prediction = None, torch.tensor(float("nan")), torch.tensor(float("nan"))
        try:
            loss, prediction = step(model, data, optimizers)
        except RuntimeError as refusal:  # `backward()` refused
            refused = refusal
        losses.append(loss.item())
"""

_TAIL = """        if refused and epoch == 1:
            print("backward() raised, in this epoch and each later one:", refused)
        if epoch == SHOWN_EPOCH:
            print(f"epoch {epoch}: prediction {prediction.tolist()}")
            for name, parameter in model.named_parameters():
                gradient = None if parameter.grad is None else parameter.grad.tolist()
                print(f"epoch {epoch}: {name} {parameter.tolist()}, gradient {gradient}")
"""

_MOVE = """        if not refused:
            optimizer.step()
"""

_MAIN = """    return losses


if __name__ == "__main__":
    for title, step in (("without detach", step_without_detach), ("with detach", step_with_detach)):
        print(title)
        print("losses", train(step))
"""


def export_script(settings: Settings, epoch: int = 1) -> str:
    """A whole plain torch script that trains both twins and prints their losses, and one epoch in full."""
    script = script_of(settings)
    head = _HEAD.format(
        epochs=settings.epochs,
        epoch=epoch,
        learning_rate=settings.learning_rate,
        start=settings.start,
        seed=settings.seed,
        optimizer=CODE[settings.optimizer],
        generator=f"torch.Generator().manual_seed({DATA_SEED} + SEED)" if script.data_from_seed else "",
    )
    loop = _OWN_LOSSES if script.own_optimizers else _ONE_LOSS
    if script.told_the_epoch:
        loop = loop.replace("range(1, EPOCHS + 1):\n", "range(1, EPOCHS + 1):\n        model.epoch = epoch\n")
    return script.text + head + loop + _TAIL + ("" if script.own_optimizers else _MOVE) + _MAIN
