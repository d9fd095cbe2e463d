"""Writes an experiment out as a plain torch script, and compiles it: the code on screen is the code that runs.

An experiment file marks the places where a detach can stand with `detach_here(tensor, "place")`. Writing the file
out for one place turns that mark into `tensor.detach()`, takes the other marks away, and gives the step twice:
`step_without_detach` and `step_with_detach`, which differ by that one line. Below the steps stands a bare
training loop with the run's settings. The engine compiles the very same text (all but the loop) and calls its
functions, so a source line in a record is a line of the script that the reader sees, copies and downloads.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from torch import Generator, Tensor, nn

from engine.experiments import find_experiment
from engine.settings import NOWHERE, Settings

MARK = "# <-- the gradient stops here"
"""The comment at the end of the line with the detach."""

OPTIMIZER_CODE = {
    "sgd": "torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)",
    "momentum": "torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=0.9)",
    "adam": "torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)",
}

_LOOP = '''

EPOCHS = {epochs}
LEARNING_RATE = {learning_rate!r}
SHOWN_EPOCH = {epoch}  # the epoch that is printed in full
START, SEED = {start!r}, {seed}


def train(step):
    """The losses of one run, each read before the step of its epoch."""
    model = make_model(START, torch.Generator().manual_seed(SEED))
    data = make_data()
    optimizer = {optimizer}
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
        if refused and epoch == 1:
            print("backward() raised, in this epoch and each later one:", refused)
        if epoch == SHOWN_EPOCH:
            print(f"epoch {{epoch}}: prediction {{prediction.tolist()}}")
            for name, parameter in model.named_parameters():
                gradient = None if parameter.grad is None else parameter.grad.tolist()
                print(f"epoch {{epoch}}: {{name}} {{parameter.tolist()}}, gradient {{gradient}}")
        if not refused:
            optimizer.step()
    return losses


if __name__ == "__main__":
    for title, step in (("without detach", step_without_detach), ("with detach", step_with_detach)):
        print(title)
        print("losses", train(step))
'''


@dataclass(frozen=True)
class Script:
    """An experiment written out for one place of the detach, and the functions of that text."""

    text: str
    """Everything above the training loop."""
    filename: str
    """The name that source lines of a record are given under, such as "lesson.py"."""
    marked_line: int | None
    """The line (from 1) of the detach, None where it stands nowhere."""
    make_data: Callable[[], Any]
    make_model: Callable[[str, Generator], nn.Module]
    step_without_detach: Callable[[nn.Module, Any], tuple[Tensor, Tensor]]
    step_with_detach: Callable[[nn.Module, Any], tuple[Tensor, Tensor]]

    def step(self, detached: bool) -> Callable[[nn.Module, Any], tuple[Tensor, Tensor]]:
        """One of the two steps."""
        return self.step_with_detach if detached else self.step_without_detach


@lru_cache(maxsize=256)
def script(experiment: str, detach: str) -> Script:
    """The experiment, written out and compiled with the detach at that place."""
    text = _written_out(experiment, detach)
    filename = f"{experiment}.py"
    code_name = f"<{experiment}.py, detach {detach}>"
    linecache.cache[code_name] = (len(text), None, text.splitlines(keepends=True), code_name)
    names: dict[str, Any] = {"__name__": f"detach_lab_{experiment}"}
    exec(compile(text, code_name, "exec"), names)
    marked = [n for n, line in enumerate(text.splitlines(), start=1) if line.endswith(MARK)]
    return Script(
        text,
        filename,
        marked[0] if marked else None,
        names["make_data"],
        names["make_model"],
        names["step_without_detach"],
        names["step_with_detach"],
    )


def script_of(settings: Settings) -> Script:
    """The script that these settings run."""
    return script(settings.experiment, settings.detach)


def export_script(settings: Settings, epoch: int = 1) -> str:
    """A whole plain torch script that trains both twins and prints their losses, and one epoch in full."""
    loop = _LOOP.format(
        epochs=settings.epochs,
        epoch=epoch,
        learning_rate=settings.learning_rate,
        start=settings.start,
        seed=settings.seed,
        optimizer=OPTIMIZER_CODE[settings.optimizer],
    )
    return script_of(settings).text + loop


def _written_out(experiment: str, detach: str) -> str:
    module = import_module(f"engine.experiments.{experiment}")
    source = inspect.getsource(module)
    lines = source.splitlines()
    described = find_experiment(experiment)
    where = next((place.label for place in described.places if place.name == detach), NOWHERE)
    blocks = [
        f'"""{described.title}: the same run without and with a detach ({where}).\n\n{described.summary}\n"""'
    ]
    after = 0
    for node in ast.parse(source).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        block = "\n".join(lines[after : node.end_lineno])
        after = node.end_lineno or first
        if _is_scaffolding(node):
            continue
        if isinstance(node, ast.FunctionDef) and node.name == "step":
            step = "\n".join(lines[first - 1 : node.end_lineno])
            for name, place in (("step_without_detach", NOWHERE), ("step_with_detach", detach)):
                blocks.append("\n\n" + _resolve(step, place).replace("def step(", f"def {name}(", 1))
        else:
            blocks.append(_resolve(block, detach))
    return "\n".join(blocks) + "\n"


def _is_scaffolding(node: ast.stmt) -> bool:
    """Whether a top-level statement belongs to this app rather than to the experiment's own torch code."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").startswith("engine")
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "EXPERIMENT" for target in node.targets)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _resolve(code: str, detach: str) -> str:
    """`code` with the mark of the place `detach` written as a real detach and all other marks taken away."""
    tree = ast.parse(code)
    marks = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_mark(node)]
    lines = code.splitlines()
    gone = set()
    for call in sorted(marks, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        tensor, place = (ast.get_source_segment(code, argument) or "" for argument in call.args)
        row, line = call.lineno - 1, lines[call.lineno - 1]
        name = tensor if tensor.isidentifier() else f"({tensor})"
        if place.strip("\"'") == detach:
            lines[row] = f"{line[: call.col_offset]}{name}.detach(){line[call.end_col_offset :]}  {MARK}"
        elif line.strip() == f"{tensor} = {ast.get_source_segment(code, call)}":
            gone.add(row)
        else:
            lines[row] = f"{line[: call.col_offset]}{name}{line[call.end_col_offset :]}"
    return "\n".join(line for row, line in enumerate(lines) if row not in gone)


def _is_mark(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "detach_here"
