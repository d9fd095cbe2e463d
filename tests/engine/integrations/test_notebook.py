"""`%%trace` in an IPython shell: the report below the cell, and nothing else about the cell is another."""

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import engine
from engine.recorder import recording
from tests.imports import ROOT

MODEL = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = nn.Linear(2, 2)
others = torch.optim.SGD(other.parameters(), lr=0.1)
x = torch.ones(8, 3)
model
"""
LOOP = """%%trace
for _ in range(3):
    hidden = model[:2](x)
    loss = model[2](hidden.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


class Cell(NamedTuple):
    """What a cell left behind."""

    result: Any
    stdout: str
    shown: list[dict[str, str]]

    @property
    def report(self) -> str:
        (one,) = self.shown
        return " ".join(one["text/plain"].split())


class Notebook:
    """A shell with cells."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def run(self, cell: str) -> Cell:
        with capture_output() as out:
            result = self.shell.run_cell(cell, store_history=True)
        assert torch._C._len_torch_function_stack() == 0
        plain = re.sub(r"\x1b\[[\d;]*m", "", out.stdout + out.stderr)
        return Cell(result, plain, [one.data for one in out.outputs if "text/html" in one.data])


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    engine.load_ipython_extension(shell)
    made = Notebook(shell)
    made.run(MODEL.strip())
    yield made
    engine.unload_ipython_extension(shell)
    InteractiveShell.clear_instance()


def test_the_line_of_the_cell_is_named(notebook: Notebook) -> None:
    told = notebook.run(LOOP)
    assert told.report.startswith(
        "In [2], line 4, `loss = model[2](hidden.detach()).pow(2).mean()`: `model.0.weight`"
    )
    assert "1. Detached tensor (fault, line 4)" in told.report


def test_only_what_the_cell_uses_is_told_of(notebook: Notebook) -> None:
    told = notebook.run(LOOP)
    assert "other" not in told.report
    assert "_1" not in told.report


def test_the_report_is_short_and_the_rest_is_folded(notebook: Notebook) -> None:
    (shown,) = notebook.run(LOOP).shown
    first, _, rest = shown["text/html"].partition("<details>")
    assert "In [2], line 4" in first
    assert "<table>" not in first
    assert "<table>" in rest
    assert rest.startswith("<summary>Stages, parameters")


def test_the_cell_is_an_ordinary_one(notebook: Notebook) -> None:
    told = notebook.run(LOOP + "print('it prints')\nsum([1, 2])")
    assert (told.result.result, told.result.execution_count) == (3, 2)
    assert "it prints\n" in told.stdout
    assert notebook.shell.user_ns["Out"][2] == 3
    assert notebook.run("2 + 2").result.execution_count == 3


def test_the_numbers_are_those_without_it(notebook: Notebook) -> None:
    def weights(first: str) -> torch.Tensor:
        notebook.run(MODEL)
        notebook.run(LOOP.replace("%%trace", first).replace(".detach()", ""))
        return torch.cat([p.detach().flatten() for p in notebook.shell.user_ns["model"].parameters()])

    assert torch.equal(weights("%%trace"), weights("#"))


def test_a_right_cell_is_right(notebook: Notebook) -> None:
    assert notebook.run(LOOP.replace(".detach()", "")).report.startswith("Nothing is wrong here")


def test_a_function_of_another_cell_has_that_cell_s_number(notebook: Notebook) -> None:
    notebook.run("def features(x):\n    return model[:2](x).detach()")
    told = notebook.run(LOOP.replace("model[:2](x)", "features(x)").replace("hidden.detach()", "hidden"))
    assert told.report.startswith("In [2], line 2, `return model[:2](x).detach()`:")
    assert "(fault, In [2], line 2)" in told.report


ONE = """%%trace
loss = model[2](model[:2](x).detach()).pow(2).mean()
loss.backward()
optimizer.step()
"""


@pytest.mark.parametrize("lines", [3, 4], ids=["a backward alone", "one step"])
def test_a_cell_of_one_step_is_told_of(lines: int, notebook: Notebook) -> None:
    told = notebook.run("".join(ONE.splitlines(keepends=True)[:lines]))
    assert told.report.startswith("In [2], line 2, `loss = model[2](model[:2](x).detach())")


def test_a_loss_alone_is_told_of(notebook: Notebook) -> None:
    assert notebook.run("%%trace\nloss = model(x).mean()").report.startswith("No `backward()` ran")


def test_a_cell_without_tensors_has_no_step(notebook: Notebook) -> None:
    told = notebook.run("%%trace\nprint(1)")
    assert told.stdout == "1\nThere is no step in this cell: it computes nothing with tensors.\n"
    assert told.shown == []


def test_the_model_may_be_made_in_the_cell(notebook: Notebook) -> None:
    body = LOOP.removeprefix("%%trace\n").replace(".detach()", "")
    assert notebook.run("%%trace\n" + MODEL.replace("model\n", "\n") + body).report.startswith(
        "Nothing is wrong here"
    )


LATER = """%%trace --step 3
for number in range(4):
    optimizer.zero_grad()
    hidden = model[:2](x)
    hidden = hidden.detach() if number == 2 else hidden
    model[2](hidden).pow(2).mean().backward()
    optimizer.step()
"""


def test_the_step_can_be_chosen(notebook: Notebook) -> None:
    assert notebook.run(LATER).report.startswith("In [2], line 5, `hidden = hidden.detach()")
    assert notebook.run(LATER.replace("3", "2", 1)).report.startswith("Nothing is wrong here")


def test_a_step_that_never_comes_is_said_so(notebook: Notebook) -> None:
    told = notebook.run(LOOP.replace("%%trace", "%%trace --step=9"))
    assert "The cell ended before step 9; the last step it made is shown.\n" in told.stdout
    assert told.report.startswith("In [2], line 4")


@pytest.mark.parametrize(
    "given", ["--step", "--step 0", "--step x", "--stop 3", "3", "--step 2 --step 3", '"']
)
def test_a_wrong_option_gets_one_sentence(given: str, notebook: Notebook) -> None:
    told = notebook.run(f"%%trace {given}\nprint('it ran')")
    assert told.stdout == (
        f"UsageError: %%trace takes only --step N, where N is a whole number from 1 to 1000, not {given!r}.\n"
    )


def test_other_magics_of_the_cell_are_refused(notebook: Notebook) -> None:
    told = notebook.run("%%trace\n%%time\nprint('it ran')")
    assert told.stdout == "UsageError: %%trace must be the only magic in its cell; remove %%time.\n"
    assert notebook.run("x = 1\n%%trace").result.success is False


RAISES = """%%trace
loss = model(x).detach().mean()
loss.backward()
"""


def test_an_exception_looks_as_ever_and_the_report_says_why(notebook: Notebook) -> None:
    told = notebook.run(RAISES)
    bare = notebook.run("# " + RAISES)
    assert told.stdout == bare.stdout.replace("In[3]", "In[2]")
    assert "engine" not in told.stdout.replace("_execution_engine", "").replace("C++ engine", "").replace(
        "_engine_run", ""
    )
    assert type(told.result.error_in_exec) is type(bare.result.error_in_exec) is RuntimeError
    assert told.report.startswith("In [2], line 2, `loss = model(x).detach().mean()`:")


def test_an_exception_of_another_kind_is_not_told_of(notebook: Notebook) -> None:
    told = notebook.run("%%trace\nmodel(x)\n1 / 0")
    assert "ZeroDivisionError" in told.stdout
    assert told.shown == []
    assert notebook.run("%%trace\nfor").shown == []
    assert notebook.run(LOOP).shown


def test_what_is_awaited_is_recorded(notebook: Notebook) -> None:
    cell = LOOP.replace(
        "    hidden = model", "    import asyncio\n    await asyncio.sleep(0)\n    hidden = model"
    )
    with ThreadPoolExecutor(1) as alone:  # an event loop of the tests in a browser may run in this one
        told = alone.submit(notebook.run, cell).result()
    assert told.report.startswith("In [2], line 6")


def test_it_can_be_unloaded(notebook: Notebook) -> None:
    engine.unload_ipython_extension(notebook.shell)
    assert "Cell magic `%%trace` not found" in notebook.run(LOOP).stdout


def test_a_recording_in_a_cell_names_it(notebook: Notebook) -> None:
    notebook.shell.user_ns["recording"] = recording
    notebook.run(
        "with recording() as r:\n    loss = model(x).detach().requires_grad_()\n    loss.sum().backward()"
    )
    assert str(notebook.shell.user_ns["r"].report).startswith("In [2], line 2")


def test_the_package_needs_no_ipython() -> None:
    code = "import sys, engine; engine.recording; print('IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
