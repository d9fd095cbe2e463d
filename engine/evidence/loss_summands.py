"""Which layers each term of a loss moves, found by backpropagating each term alone.

For a step with a line `loss = a + b + ...`: the step is run once for each of the terms with that term in the place of
the sum, so the table says what torch does and not what the formula promises.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import torch

from ..settings import Settings
from ..syntax import parse
from ..twins.experiment_script import script_of
from ..twins.training import plain_torch, start_model


@dataclass(frozen=True)
class Summand:
    """One term of the loss: its code, and the norm of the gradient that it brings to each module of the model."""

    code: str
    gradients: dict[str, float | None]
    """By module; None where nothing connects them, 0 where what arrives cancels."""


def summands(settings: Settings, detached: bool) -> tuple[Summand, ...]:
    """The terms of one twin's loss at its start weights, in their order; a single one where the loss is no sum.

    Raises `ValueError` for a step without a line `loss = ...` that returns its loss.
    """
    script = script_of(settings)
    tree = parse(script.text)
    name = "step_with_detach" if detached else "step_without_detach"
    step = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    line = next((node for node in step.body if _is_loss(node)), None)
    if line is None or script.own_optimizers:
        raise ValueError(f"{settings.experiment}: its step has no `loss = ...` that it returns.")
    assert isinstance(line, ast.Assign)
    with plain_torch():
        found = []
        for term in _parts(line.value):
            line.value = term
            names = dict(script.step(detached).__globals__)
            exec(compile(ast.Module([step], []), script.filename, "exec"), names)
            found.append(Summand(ast.unparse(term), _gradients(settings, names[name])))
        return tuple(found)


def _is_loss(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "loss"
    )


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_parts(node.left), *_parts(node.right)]
    return [node]


def _gradients(settings: Settings, step: Any) -> dict[str, float | None]:
    model, data = start_model(settings), script_of(settings).make_data(settings.seed)
    loss, _ = step(model, data)
    modules = {
        name: [p for p in module.parameters() if p.requires_grad] for name, module in model.named_children()
    }
    if not loss.requires_grad:
        return dict.fromkeys(modules)
    return {
        name: _norm(torch.autograd.grad(loss, p, retain_graph=True, allow_unused=True) if p else ())
        for name, p in modules.items()
    }


def _norm(gradients: tuple[torch.Tensor | None, ...]) -> float | None:
    came = [gradient.flatten() for gradient in gradients if gradient is not None]
    return torch.cat(came).double().norm().item() if came else None
