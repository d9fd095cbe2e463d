"""Writes out one sample's way through a recorded step, number by number.

Each stage that it knows becomes equations such as "1 × (-0.02) + 2 × 0.14 + 3 × 0.14 + (-0.04) = 0.64". Every result is
the number that torch computed in that stage; the left side shows where it comes from. A stage that it does not
know is shown as what went in and what came out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..recorder import StepRecord
from ..recorder.record import Array, Stage
from ..text import counted, number_text

_TERMS = 6
"""A sum with more terms than this shows its first ones and says how many more there are."""
OUTPUTS = 6
"""How many numbers of a stage are written out at most."""


@dataclass(frozen=True)
class Equation:
    """One number of one stage: its name, how it comes about ("" where it only passes), and torch's own result."""

    name: str
    working: str
    result: float
    beside: float = 0.0
    """The size of what it was made of: a small difference of large numbers is known no better than these."""

    def __str__(self) -> str:
        working = f"{self.working} = " if self.working else ""
        return f"{self.name} = {working}{number_text(self.result, beside=self.beside)}"


def equations(step: StepRecord, stage: Stage, sample: int) -> tuple[Equation, ...]:
    """What `stage` computes for the sample with that index (from 0), at most six numbers."""
    came = _inputs(step, stage)
    if any(step.stages[i].more_outputs for i in stage.inputs):  # which of them came in is not told
        return _unknown(stage, sample) if stage.output.values is not None else ()
    if stage.output.values is None or any(values is None for values in came):
        return ()
    inputs = [values for values in came if values is not None]
    working = _WORKINGS.get(stage.operation)
    if working is None:
        return _unknown(stage, sample)
    return working(step, stage, inputs, sample)


def share_of_loss(step: StepRecord, sample: int) -> Equation | None:
    """The sample's own part of the mean that is the loss, or None for a loss that is not known here or not finite."""
    if step.loss is None or not math.isfinite(step.loss):
        return None
    loss = step.stages[-1]
    working = _SHARES.get(loss.operation)
    values = _inputs(step, loss)
    if working is None or len(values) != 2 or values[0] is None or values[1] is None:
        return None
    if loss.operation == "mse_loss" and values[0].shape != values[1].shape:
        return None
    if sample >= len(values[0]):
        return None
    return working(values[0], values[1], sample)


def _inputs(step: StepRecord, stage: Stage) -> list[Array | None]:
    """What came into a stage, in the order of the call."""
    return [step.stages[i].output.values for i in stage.inputs]


@dataclass(frozen=True)
class Answer:
    """The class that the scores of a sample point to, and the right one."""

    predicted: int
    right: int


def class_of(step: StepRecord, sample: int) -> Answer | None:
    """What the sample is taken for, where the loss is that of a classification."""
    loss = step.stages[-1]
    if loss.operation != "cross_entropy":
        return None
    scores, targets = _inputs(step, loss)
    assert targets is not None
    return Answer(int(_row(scores, sample).argmax()), int(targets[sample]))


def _linear(step: StepRecord, stage: Stage, inputs: list[Array], sample: int) -> tuple[Equation, ...]:
    found = [p.value for p in step.parameters if p.name in stage.parameters and p.value is not None]
    result = _row(stage.output.values, sample)
    row = _row(inputs[0], sample)
    weight = next((value for value in found if value.shape == (len(result), len(row))), None)
    bias = next((value for value in found if value.shape == (len(result),)), None)
    if weight is None or len(found) != 1 + (bias is not None):
        return _unknown(stage, sample)
    made = []
    for output in range(min(len(result), OUTPUTS)):
        terms = [f"{_n(x)} × {_n(w)}" for x, w in zip(row, weight[output], strict=True)]
        more = f" + ({counted(len(terms) - _TERMS, 'more term')})" if len(terms) > _TERMS else ""
        made.append(
            Equation(
                f"out[{output}]",
                " + ".join(terms[:_TERMS]) + more + (f" + {_n(bias[output])}" if bias is not None else ""),
                float(result[output]),
                float(np.abs(row * weight[output]).max(initial=0.0)),
            )
        )
    return tuple(made)


def _elementwise(form: str) -> Callable[[StepRecord, Stage, list[Array], int], tuple[Equation, ...]]:
    def working(step: StepRecord, stage: Stage, inputs: list[Array], sample: int) -> tuple[Equation, ...]:
        del step
        came, went = _row(inputs[0], sample), _row(stage.output.values, sample)
        if len(came) != len(went):
            return _unknown(stage, sample)
        pairs = list(zip(came, went, strict=True))[:OUTPUTS]
        return tuple(Equation(f"out[{i}]", form.format(_n(x)), float(y)) for i, (x, y) in enumerate(pairs))

    return working


def _binary(sign: str) -> Callable[[StepRecord, Stage, list[Array], int], tuple[Equation, ...]]:
    def working(step: StepRecord, stage: Stage, inputs: list[Array], sample: int) -> tuple[Equation, ...]:
        del step
        result = _row(stage.output.values, sample)
        rows = [_row(values, sample) for values in inputs]
        if len(rows) != 2 or any(len(row) != len(result) for row in rows):
            return _unknown(stage, sample)
        triples = list(zip(rows[0], rows[1], result, strict=True))[:OUTPUTS]
        return tuple(
            Equation(
                f"out[{i}]", f"{_n(a)} {sign} {_n(b)}", float(y), 0.0 if sign == "×" else max(abs(a), abs(b))
            )
            for i, (a, b, y) in enumerate(triples)
        )

    return working


def _mse(step: StepRecord, stage: Stage, inputs: list[Array], sample: int) -> tuple[Equation, ...]:
    del step
    answer, target = (_row(values, sample) for values in (inputs * 2)[:2])
    if len(inputs) != 2 or len(answer) != len(target):
        return _unknown(stage, sample)
    return tuple(
        Equation(f"squared error[{i}]", f"({_n(a)} - {_n(t)})²", float((a - t) ** 2), abs(a * (a - t)))
        for i, (a, t) in enumerate(list(zip(answer, target, strict=True))[:OUTPUTS])
    )


def _cross_entropy(step: StepRecord, stage: Stage, inputs: list[Array], sample: int) -> tuple[Equation, ...]:
    del step, stage
    scores = _row(inputs[0], sample).astype(np.float64)
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    total = " + ".join(f"e^{_n(s)}" for s in scores)
    return tuple(
        Equation(f"probability[{i}]", f"e^{_n(s)} / ({total})", float(chances[i]))
        for i, s in enumerate(scores)
    )


def _unknown(stage: Stage, sample: int) -> tuple[Equation, ...]:
    result = _row(stage.output.values, sample)
    return tuple(
        Equation(f"out[{i}]", f"torch's {stage.operation.strip('_')}", float(y))
        for i, y in enumerate(result[:OUTPUTS])
    )


def _mse_share(answers: Array, targets: Array, sample: int) -> Equation:
    answer, target = _row(answers, sample).astype(np.float64), _row(targets, sample).astype(np.float64)
    squares = (answer - target) ** 2
    working = "(" + " + ".join(_n(s) for s in squares) + f") / {answers.size}"
    size = float(np.abs(answer * (answer - target)).max() / answers.size)
    return Equation("share of the loss", working, float(squares.sum() / answers.size), size)


def _cross_entropy_share(answers: Array, targets: Array, sample: int) -> Equation:
    scores, right = _row(answers, sample), int(targets[sample])
    surprise = float(np.log(np.exp(scores - scores.max()).sum()) + scores.max() - scores[right])
    chance = f"-log({_n(np.exp(-surprise))})" if surprise < 700 else _n(surprise)
    working = f"{chance} / {len(answers)}, the right class being {right}"
    return Equation("share of the loss", working, surprise / len(answers))


def _row(values: Array | None, sample: int) -> NDArray[np.float64]:
    """One sample's numbers, flat; a tensor that has no row for it stands for every sample."""
    assert values is not None
    chosen = values[sample] if values.ndim and sample < len(values) else values
    return np.asarray(chosen, dtype=np.float64).reshape(-1)


def _n(number: float) -> str:
    """A number as short as it can be, negative ones in brackets."""
    text = number_text(number, short=True)
    return f"({text})" if text.startswith("-") else text


_WORKINGS = {
    "linear": _linear,
    "tanh": _elementwise("tanh({})"),
    "relu": _elementwise("max(0, {})"),
    "sigmoid": _elementwise("1 / (1 + e^-{})"),
    "detach": _elementwise(""),
    "round": _elementwise("round({})"),
    "neg": _elementwise("-{}"),
    "softplus": _elementwise("log(1 + e^{})"),
    "__getitem__": _elementwise(""),
    "add": _binary("+"),
    "sub": _binary("-"),
    "mul": _binary("×"),
    "mse_loss": _mse,
    "cross_entropy": _cross_entropy,
}
_SHARES = {"mse_loss": _mse_share, "cross_entropy": _cross_entropy_share}
