"""Writes an experiment out as a plain torch script, and compiles it: the code on screen is the code that runs.

An experiment file marks the places where a detach can stand with `detach_here(tensor, "place")`. Writing the file
out for one place turns that mark into `tensor.detach()`, takes the other marks away, and gives the step twice:
`step_without_detach` and `step_with_detach`, which differ by that one line. The engine compiles the very same text
and calls its functions, so a source line in a record is a line of the script that the reader sees, copies and
downloads (with a training loop below it, see `export`).
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from torch import Generator, Tensor, nn

from ..experiments import Experiment, find_experiment
from ..optimizers import MakeOptimizer
from ..settings import NOWHERE, Settings
from ..syntax import parse, parse_expression

MARK = "# <-- the gradient stops here"
"""The comment at the end of the line with the detach."""

DATA_SEED = 10_000
"""What is added to a run's seed for its data, so that they and the weights are drawn from different streams."""

Step = Callable[..., tuple[Tensor, Tensor]]
"""`step(model, data)`, or `step(model, data, optimizers)` where the script makes its own optimizers."""


@dataclass(frozen=True)
class Script:
    """An experiment written out for one place of the detach and its options, and the functions of that text."""

    text: str
    """Everything above the training loop."""
    filename: str
    """The name that source lines of a record are given under, such as "lesson.py"."""
    marked_lines: tuple[int, ...]
    """The lines (from 1) of the detach, or of what stands in its place."""
    make_model: Callable[[str, Generator], nn.Module]
    step_without_detach: Step
    step_with_detach: Step
    data: Callable[..., Any]
    data_from_seed: bool
    make_optimizers: Callable[[nn.Module, MakeOptimizer], Any] | None
    measure: Callable[[nn.Module, Any, Tensor], Tensor] | None
    told_the_epoch: bool
    """Whether the model wants to know the epoch."""

    @property
    def marked_line(self) -> int | None:
        """The first of the marked lines, None where there is none."""
        return self.marked_lines[0] if self.marked_lines else None

    @property
    def own_optimizers(self) -> bool:
        """Whether the step calls `backward()` and moves the parameters itself."""
        return self.make_optimizers is not None

    def step(self, detached: bool) -> Step:
        """One of the two steps."""
        return self.step_with_detach if detached else self.step_without_detach

    def tell(self, model: nn.Module, epoch: int) -> None:
        """Tells a model that wants to know it the epoch, from 1."""
        if self.told_the_epoch:
            model.epoch = epoch  # type: ignore[assignment]

    def make_data(self, seed: int = 0) -> Any:
        """The data of a run with that seed."""
        return self.data(Generator().manual_seed(DATA_SEED + seed)) if self.data_from_seed else self.data()


@lru_cache(maxsize=256)
def script(experiment: str, detach: str, options: tuple[tuple[str, str], ...] = ()) -> Script:
    """The experiment, written out and compiled with the detach at that place; options left out take their first."""
    described, given = find_experiment(experiment), dict(options)
    chosen = {o.constant: o.chosen(given.get(o.name, o.choices[0].text)).value for o in described.options}
    text = _written_out(described, detach, chosen)
    filename = f"{experiment}.py"
    code_name = f"<{experiment}.py, detach {detach}{''.join(f', {n} {c}' for n, c in options)}>"
    linecache.cache[code_name] = (len(text), None, text.splitlines(keepends=True), code_name)
    names: dict[str, Any] = {"__name__": f"detach_lab_{experiment}"}
    exec(compile(text, code_name, "exec", dont_inherit=True), names)
    marked = [n for n, line in enumerate(text.splitlines(), start=1) if line.endswith(MARK)]
    return Script(
        text=text,
        filename=filename,
        marked_lines=tuple(marked),
        make_model=names["make_model"],
        step_without_detach=names["step_without_detach"],
        step_with_detach=names["step_with_detach"],
        data=names["make_data"],
        data_from_seed=bool(inspect.signature(names["make_data"]).parameters),
        make_optimizers=names.get("make_optimizers"),
        measure=names.get("measure"),
        told_the_epoch="self.epoch = " in text,
    )


def script_of(settings: Settings) -> Script:
    """The script that these settings run."""
    return script(settings.experiment, settings.detach, settings.options)


def _written_out(described: Experiment, detach: str, chosen: Mapping[str, object]) -> str:
    source = inspect.getsource(import_module(f"..experiments.{described.name}", __package__))
    lines = source.splitlines()
    where = next((place.label for place in described.places if place.name == detach), NOWHERE)
    blocks = [
        f'"""{described.title}: the same run without and with a detach ({where}).\n\n{described.summary}\n"""'
    ]
    keeps = described.keeps_others and detach != NOWHERE
    kept = frozenset(place.name for place in described.places if keeps and not place.mistake)
    after = 0
    for node in parse(source).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        block = "\n".join(lines[after : node.end_lineno])
        after = node.end_lineno or first
        if _is_scaffolding(node):
            continue
        if isinstance(node, ast.FunctionDef) and node.name == "step":
            step = "\n".join(lines[first - 1 : node.end_lineno])
            for name, stands in (
                ("step_without_detach", kept - {detach}),
                ("step_with_detach", kept | {detach}),
            ):
                blocks.append("\n\n" + _resolve(step, stands, detach).replace("def step(", f"def {name}(", 1))
        else:
            blocks.append(_with_choice(node, block, chosen))
    return "\n".join(blocks) + "\n"


def _with_choice(node: ast.stmt, block: str, chosen: Mapping[str, object]) -> str:
    """A statement as it stands, or, where it sets the constant of an option, with the chosen value."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if not isinstance(target, ast.Name) or target.id not in chosen or not isinstance(node, ast.Assign):
        return block
    above, _, line = block.rpartition("\n")
    value, written = node.value, chosen[target.id]
    code = f'"{written}"' if isinstance(written, str) else repr(written)
    changed = line[: value.col_offset] + code + line[value.end_col_offset :]
    return f"{above}\n{changed}" if "\n" in block else changed


def _is_scaffolding(node: ast.stmt) -> bool:
    """Whether a top-level statement belongs to this app rather than to the experiment's own torch code."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0  # torch and its like are absolute imports
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "EXPERIMENT" for target in node.targets)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _resolve(code: str, stands: Collection[str], marked: str) -> str:
    """`code` with the marks of the places in `stands` written as real torch and all other marks taken away."""
    tree = parse(code)
    marks = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _mark(node)]
    lines = code.splitlines()
    gone = set()
    for call in sorted(marks, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        *given, place = (ast.get_source_segment(code, argument) or "" for argument in call.args)
        row, line = call.lineno - 1, lines[call.lineno - 1]
        here = place.strip("\"'")
        written = _WRITTEN[_mark(call)](_bracketed(given[0]) if given else "", here in stands)
        to_itself = bool(given) and line.strip() == f"{given[0]} = {ast.get_source_segment(code, call)}"
        if here not in stands and (written is None or to_itself):
            gone.add(row)
            continue
        mark = f"  {MARK}" if here == marked and here in stands and not line.endswith(MARK) else ""
        lines[row] = f"{line[: call.col_offset]}{written}{line[call.end_col_offset :]}{mark}"
    return "\n".join(line for row, line in enumerate(lines) if row not in gone)


def _bracketed(code: str) -> str:
    """An expression that `.detach()` can follow."""
    return (
        code
        if isinstance(parse_expression(code), ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        else f"({code})"
    )


_WRITTEN: dict[str, Callable[[str, bool], str | None]] = {
    "detach_here": lambda tensor, stands: f"{tensor}.detach()" if stands else tensor,
    "no_grad_here": lambda _, stands: "torch.no_grad()" if stands else "torch.enable_grad()",
    "freeze_here": lambda module, stands: f"{module}.requires_grad_(False)" if stands else None,
}
"""By mark: the code in its place, where it stands and where it doesn't; None for a line that goes."""


def _mark(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) and node.func.id in _WRITTEN else ""
