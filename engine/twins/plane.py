"""A twin run as points: what the model answers at each of some epochs, where an experiment says how to see it so.

Answers of more than two numbers are shown along the two axes on which they, and what they are held against, scatter
most: the same axes for both twins and all epochs, so that what moves is the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..experiments import Points
from .experiment_script import script_of
from .recorded_step import put_at
from .trace import Floats, Run, Trace, frozen
from .training import plain_torch, start_model

SIDE = 24
"""Places along each side of the plane that a class is asked for."""
Classes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Plane:
    """The points of both twins at some epochs."""

    kind: Literal["regions", "cloud", "values"]
    title: str
    reference: Floats
    """points x 2, read-only: what the answers are held against."""
    classes: tuple[int, ...]
    """The class of each of these, for "regions"."""
    answers: tuple[Floats, Floats]
    """For each twin epochs x points x 2, read-only; none for "regions"."""
    regions: tuple[Classes, Classes] | None
    """For each twin epochs x SIDE x SIDE, the lowest row first: the class that the model gives to each place."""
    bounds: tuple[float, float, float, float]
    """The least and the largest of both axes."""


def plane(trace: Trace, epochs: Sequence[int]) -> Plane | None:
    """The plane of a run, or None where its answers are no points."""
    points = trace.settings.described().points
    if points is None:
        return None
    script = script_of(trace.settings)
    data = script.make_data(trace.settings.seed)
    reference = getattr(data, points.reference).numpy() if points.reference else np.zeros((0, 2), np.float32)
    if points.kind == "regions":
        return _regions(trace, epochs, points, data, reference)
    rows = [epoch - 1 for epoch in epochs]
    answers = [_seen(run.predictions[rows], points) for run in trace.runs]
    if points.kind == "values":
        both = [_on_a_line(values[..., 0]) for values in answers]
        known = _on_a_line(reference[None, :, 0])[0]
    else:
        both, known = _projected(answers, reference)
    return Plane(
        points.kind,
        points.title,
        frozen(known),
        (),
        (frozen(both[0]), frozen(both[1])),
        None,
        _bounds(known, *both),
    )


def _seen(predictions: Floats, points: Points) -> NDArray[np.float64]:
    values = predictions.astype(np.float64)
    if points.at_length_1:
        values = values / np.maximum(np.linalg.norm(values, axis=-1, keepdims=True), 1e-12)
    return values


def _on_a_line(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """The number of each value, from 1, beside it."""
    numbers = np.broadcast_to(np.arange(1.0, values.shape[-1] + 1), values.shape)
    return np.stack([numbers, values], axis=-1)


def _projected(
    answers: list[NDArray[np.float64]], reference: NDArray[np.generic]
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """The answers and the reference along the two axes on which they scatter most."""
    if answers[0].shape[-1] == 2:
        return answers, reference.astype(np.float64)
    width = answers[0].shape[-1]
    known = reference.astype(np.float64) if len(reference) else np.zeros((0, width))
    spread = known if len(known) else np.concatenate([one.reshape(-1, width) for one in answers])
    spread = spread[np.isfinite(spread).all(axis=1)]
    if not len(spread):
        return [one[..., :2] for one in answers], known[:, :2]
    middle = spread.mean(axis=0)
    _, _, axes = np.linalg.svd(spread - middle, full_matrices=False)
    axes = (
        axes[:2] * np.sign(axes[:2, np.abs(axes[:2]).argmax(axis=1)].diagonal())[:, None]
    )  # a sign of its own
    return [(one - middle) @ axes.T for one in answers], (known - middle) @ axes.T


def _regions(
    trace: Trace,
    epochs: Sequence[int],
    points: Points,
    data: object,
    inputs: NDArray[np.generic],
) -> Plane:
    """The class that each twin gives to the places of a grid around the inputs, epoch by epoch."""
    known = inputs.astype(np.float64)
    bounds = _bounds(known)
    across, up = np.linspace(*bounds[:2], SIDE), np.linspace(*bounds[2:], SIDE)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    asked = data._replace(  # type: ignore[attr-defined]  # a named tuple, as each experiment's is
        inputs=torch.tensor(grid, dtype=torch.float32), targets=torch.zeros(len(grid), dtype=torch.long)
    )
    with plain_torch(), torch.no_grad():
        model = start_model(trace.settings)
        regions = tuple(
            np.stack([_classes(trace, run, epoch, model, asked) for epoch in epochs]) for run in trace.runs
        )
    classes = tuple(int(one) for one in data.targets)  # type: ignore[attr-defined]
    none = frozen(np.zeros((len(epochs), 0, 2)))
    return Plane(
        "regions", points.title, frozen(known), classes, (none, none), (regions[0], regions[1]), bounds
    )


def _classes(trace: Trace, run: Run, epoch: int, model: nn.Module, asked: object) -> Classes:
    step = script_of(trace.settings).step(run.detached)
    put_at(model, trace.settings, run, epoch)
    _, scores = step(model, asked)
    return scores.argmax(dim=1).reshape(SIDE, SIDE).numpy().astype(np.uint8)


def _bounds(*clouds: NDArray[np.floating]) -> tuple[float, float, float, float]:
    """The least and largest of both axes, with a little room."""
    every = np.concatenate([cloud.reshape(-1, 2) for cloud in clouds])
    every = every[np.isfinite(every).all(axis=1)]
    if not len(every):
        return -1.0, 1.0, -1.0, 1.0
    # What runs away at the end of a run that diverges would press all else into a dot.
    low, high = np.quantile(every, 0.005, axis=0), np.quantile(every, 0.995, axis=0)
    room = 0.08 * np.maximum(high - low, 1e-6)
    (left, below), (right, above) = low - room, high + room
    return float(left), float(right), float(below), float(above)
