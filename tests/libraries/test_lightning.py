"""A Lightning training under `detach-lab run`, and with the callback."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.recorder import StepRecord
from tests.imports import ROOT
from tests.libraries.trainers import needs, program, told

pytestmark = [pytest.mark.libraries, pytest.mark.xdist_group("lightning")]

SCRIPT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(8, 16)
        self.head = nn.Linear(16, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        hidden = self.encoder(x).relu()
        hidden = hidden.detach()  # cut
        loss = nn.functional.cross_entropy(self.head(hidden), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.head(self.encoder(x).relu()), y))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)]


def main(**options):
    L.seed_everything(0)
    data = TensorDataset(torch.randn(48, 8), torch.randint(0, 3, (48,)))
    model = Classifier()
    options = dict(max_epochs=2, logger=False, enable_checkpointing=False, accelerator="cpu") | options
    trainer = L.Trainer(**options)
    trainer.fit(model, DataLoader(data, batch_size=8), DataLoader(data, batch_size=8))
    return model, trainer


if __name__ == "__main__":
    main()
elif RUN:
    model, trainer = main(**OPTIONS)
"""
GAN = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import lightning as L


class Gan(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8))
        self.critic = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        bce = nn.functional.binary_cross_entropy_with_logits
        z, real, fake = torch.randn(len(x), 4), torch.ones(len(x), 1), torch.zeros(len(x), 1)
        ours, theirs = self.optimizers()
        TOGGLE and self.toggle_optimizer(ours)
        made = self.generator(z)
        made = made.detach().requires_grad_()  # cut
        loss = bce(self.critic(made), real)
        ours.zero_grad()
        self.manual_backward(loss)
        ours.step()
        TOGGLE and self.untoggle_optimizer(ours)
        TOGGLE and self.toggle_optimizer(theirs)
        judged = bce(self.critic(x), real) + bce(self.critic(self.generator(z).detach()), fake)
        theirs.zero_grad()
        self.manual_backward(judged)
        theirs.step()
        TOGGLE and self.untoggle_optimizer(theirs)

    def configure_optimizers(self):
        return [torch.optim.Adam(part.parameters()) for part in (self.generator, self.critic)]


L.seed_everything(0)
data = DataLoader(TensorDataset(torch.randn(48, 8)), batch_size=8)
model = Gan()
trainer = L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, accelerator="cpu", **OPTIONS)
trainer.fit(model, data)
"""
QUIET = {"enable_progress_bar": False, "enable_model_summary": False}


@pytest.fixture(autouse=True)
def lightning() -> None:
    needs("lightning")


@pytest.fixture(autouse=True)
def no_advice() -> Any:
    """Lightning's advice about workers and intervals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def report(**options: Any) -> Any:
    from engine.integrations.lightning import GradientReport

    return GradientReport(**options)


def recorded(
    text: str, folder: Path, *, cut: bool, toggle: bool = False, **options: Any
) -> tuple[StepRecord, int]:
    """The record that the callback makes, and the line of the cut; the training comes out as without it."""
    records: list[StepRecord] = []
    one, quiet = program(text, folder, cut=cut), QUIET | options
    bare = one.weights(RUN=True, TOGGLE=toggle, OPTIONS=quiet)
    watched = one.weights(
        RUN=True, TOGGLE=toggle, OPTIONS={**quiet, "callbacks": [report(tell=records.append)]}
    )
    assert torch.equal(bare, watched)
    assert torch._C._len_torch_function_stack() == 0
    (record,) = records
    return record, one.line


def test_a_right_script_is_right(tmp_path: Path) -> None:
    done = program(SCRIPT, tmp_path, cut=False).run()
    assert done.returncode == 0, done.stderr
    assert "Nothing is wrong here" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_cut_of_a_script_is_found(tmp_path: Path) -> None:
    one = program(SCRIPT, tmp_path, cut=True)
    done = one.run()
    assert done.returncode == 1, done.stderr
    verdict = f"train.py:{one.line}, `hidden = hidden.detach()`: `model.encoder.weight` and `model.encoder.bias` get no"
    assert verdict in told(done.stdout)
    assert "Traceback" not in done.stderr


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "accumulated": {"accumulate_grad_batches": 3},
    "mixed precision": {"precision": "bf16-mixed"},
    "half precision": {"precision": "bf16-true"},
    "clipped": {"gradient_clip_val": 0.1},
    "a validation between the steps": {"limit_train_batches": 1, "max_epochs": 3},
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_the_callback_finds_the_cut_alone(options: dict[str, Any], tmp_path: Path) -> None:
    right, _ = recorded(SCRIPT, tmp_path, cut=False, **options)
    assert right.ok, right.verdict
    assert {p.name: p.state for p in right.parameters} == {
        f"model.{name}": "gradient" for name in ("encoder.weight", "encoder.bias", "head.weight", "head.bias")
    }
    wrong, line = recorded(SCRIPT, tmp_path, cut=True, **options)
    first = wrong.findings[0]
    assert (first.kind, first.location and first.location.line) == ("detach", line)
    assert first.names == ("model.encoder.weight", "model.encoder.bias")
    assert len(wrong.backwards) == options.get("accumulate_grad_batches", 1)


@pytest.mark.parametrize("toggle", [False, True])
def test_two_optimizers_make_one_step(toggle: bool, tmp_path: Path) -> None:
    right, _ = recorded(GAN, tmp_path, cut=False, toggle=toggle)
    assert right.ok, right.verdict
    assert len(right.backwards) == 2
    assert {(p.state, p.in_optimizer) for p in right.parameters if "." in p.name} == {("gradient", True)}, (
        str(right)
    )
    wrong, line = recorded(GAN, tmp_path, cut=True, toggle=toggle)
    first = wrong.findings[0]
    assert (first.kind, first.location and first.location.line) == ("detach", line)
    assert all(name.partition(".")[2].startswith("generator") for name in first.names)


def test_it_prints_and_ends_the_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = program(SCRIPT, tmp_path, cut=True)
    one.weights(RUN=True, OPTIONS={**QUIET, "callbacks": [report(step=3, stop=True), steps := counted()]})
    printed = told(capsys.readouterr().out)
    assert f"train.py:{one.line}, `hidden = hidden.detach()`" in printed
    assert steps.made == 3


def counted() -> Any:
    from lightning.pytorch.callbacks import Callback

    class Steps(Callback):  # type: ignore[misc]
        made = 0

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self.made = trainer.global_step

    return Steps()


def test_it_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    into = tmp_path / "report.html"
    one = program(SCRIPT, tmp_path, cut=True)
    one.weights(RUN=True, OPTIONS={**QUIET, "callbacks": [report(output=str(into), format="html")]})
    assert "hidden.detach()" in into.read_text()
    assert "hidden.detach()" not in capsys.readouterr().out


def test_an_exception_is_told_of_and_goes_on(tmp_path: Path) -> None:
    records: list[StepRecord] = []
    one = program(
        SCRIPT.replace("hidden.detach()", "(self.head(hidden).mean()).detach().backward()"),
        tmp_path,
        cut=True,
    )
    with pytest.raises(RuntimeError, match="does not require grad"):
        one.weights(RUN=True, OPTIONS={**QUIET, "callbacks": [report(tell=records.append)]})
    (record,) = records
    assert record.raised is not None
    assert record.raised.location is not None
    assert record.raised.location.line == one.line
    assert torch._C._len_torch_function_stack() == 0


def test_a_training_that_ends_before_is_told_of(tmp_path: Path) -> None:
    one = program(SCRIPT, tmp_path, cut=False)
    with pytest.warns(UserWarning, match="ended after 12 optimizer steps: there is no step 99 to report"):
        one.weights(RUN=True, OPTIONS={**QUIET, "callbacks": [report(step=99)]})


OTHER_NAME = """
from engine.integrations.lightning import GradientReport
import pytorch_lightning as L
assert isinstance(GradientReport(), L.Callback)
L.Trainer(callbacks=[GradientReport()], logger=False, enable_checkpointing=False, accelerator="cpu")
"""


def test_the_package_of_the_other_name_is_known_as_well(tmp_path: Path) -> None:
    needs("pytorch_lightning")
    imports = OTHER_NAME.strip().splitlines()
    code = "\n".join([imports[1], imports[0], *imports[2:]])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
