"""A training by Hugging Face's Trainer under `detach-lab run`, and with the callback."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.recorder import StepRecord
from tests.imports import ROOT
from tests.libraries.trainers import needs, program, told

pytestmark = [pytest.mark.libraries, pytest.mark.xdist_group("transformers")]

SCRIPT = """
import torch
from torch import nn
from transformers import BertConfig, BertModel, Trainer, TrainingArguments, set_seed


class Classifier(nn.Module):
    supports_gradient_checkpointing = True

    def __init__(self):
        super().__init__()
        self.bert = BertModel(BertConfig(
            vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        ))
        self.head = nn.Linear(16, 3)

    def activation_checkpointing_enable(self, **given):
        self.bert.activation_checkpointing_enable(**given)

    def forward(self, input_ids, labels=None):
        pooled = self.bert(input_ids=input_ids).pooler_output
        pooled = pooled.detach()  # cut
        logits = self.head(pooled)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, number):
        words = torch.Generator().manual_seed(number)
        return {"input_ids": torch.randint(0, 50, (12,), generator=words), "labels": torch.tensor(number % 3)}


def main(callbacks=(), **options):
    set_seed(0)
    options = dict(output_dir="out", max_steps=5, per_device_train_batch_size=4, use_cpu=True) | options
    arguments = TrainingArguments(report_to=[], save_strategy="no", logging_steps=1, **options)
    model = Classifier()
    trainer = Trainer(
        model=model, args=arguments, train_dataset=Texts(), eval_dataset=Texts(), callbacks=list(callbacks)
    )
    trainer.train()
    return model, trainer


if __name__ == "__main__":
    main()
elif RUN:
    model, trainer = main(**OPTIONS)
"""


@pytest.fixture(autouse=True)
def transformers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    needs("transformers", "accelerate")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def report(**options: Any) -> Any:
    from engine.integrations.hugging_face import GradientReport

    return GradientReport(**options)


def recorded(folder: Path, *, cut: bool, **options: Any) -> tuple[StepRecord, int]:
    """The record that the callback makes, and the line of the cut; the training comes out as without it."""
    records: list[StepRecord] = []
    one, hook = program(SCRIPT, folder, cut=cut), sys.excepthook
    quiet = {"disable_tqdm": True, **options}
    bare = one.weights(RUN=True, OPTIONS=quiet)
    watched = one.weights(RUN=True, OPTIONS={**quiet, "callbacks": [report(tell=records.append)]})
    assert torch.equal(bare, watched)
    assert torch._C._len_torch_function_stack() == 0
    assert sys.excepthook is hook
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
    assert f"train.py:{one.line}, `pooled = pooled.detach()`:" in told(done.stdout)
    assert "`model.bert.embeddings.word_embeddings.weight`" in done.stdout
    assert "Traceback" not in done.stderr


WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "accumulated": {"gradient_accumulation_steps": 2},
    "mixed precision": {"bf16": True},
    "checkpointed": {"activation_checkpointing": True},
    "evaluated between the steps": {"eval_strategy": "steps", "eval_steps": 1},
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_the_callback_finds_the_cut_alone(options: dict[str, Any], tmp_path: Path) -> None:
    right, _ = recorded(tmp_path, cut=False, **options)
    assert right.ok, right.verdict
    assert all(p.state == "gradient" and p.name.startswith("model.") for p in right.parameters)
    wrong, line = recorded(tmp_path, cut=True, **options)
    first = wrong.findings[0]
    assert (first.kind, first.location and first.location.line) == ("detach", line)
    assert set(first.names) == {p.name for p in wrong.parameters if p.name.startswith("model.bert.")}
    assert len(wrong.backwards) == options.get("gradient_accumulation_steps", 1)


def test_it_prints_and_ends_the_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = program(SCRIPT, tmp_path, cut=True)
    one.weights(
        RUN=True, OPTIONS={"disable_tqdm": True, "callbacks": [report(stop=True), steps := counted()]}
    )
    assert f"train.py:{one.line}, `pooled = pooled.detach()`" in told(capsys.readouterr().out)
    assert steps.made == 2


def counted() -> Any:
    from transformers import TrainerCallback

    class Steps(TrainerCallback):  # type: ignore[misc]
        made = 0

        def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            self.made = state.global_step

    return Steps()


RAISES = """
import runpy
from engine.integrations.hugging_face import GradientReport

runpy.run_path("train.py", {"RUN": True, "OPTIONS": {"callbacks": [GradientReport()]}})
"""


def test_an_exception_is_told_of_and_goes_on(tmp_path: Path) -> None:
    one = program(
        SCRIPT.replace("pooled = pooled.detach()", "self.head(pooled).sum().detach().backward()"),
        tmp_path,
        cut=True,
    )
    (tmp_path / "raises.py").write_text(RAISES)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "raises.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"backward raised RuntimeError at train.py:{one.line}" in told(done.stdout), done.stdout
    assert "does not have a grad_fn" in done.stderr


def test_a_training_that_ends_before_is_told_of(tmp_path: Path) -> None:
    one = program(SCRIPT, tmp_path, cut=False)
    with pytest.warns(UserWarning, match="ended after 5 optimizer steps: there is no step 99 to report"):
        one.weights(RUN=True, OPTIONS={"disable_tqdm": True, "callbacks": [report(step=99)]})
