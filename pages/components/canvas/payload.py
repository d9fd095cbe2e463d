"""What the browser gets of a picture: the graph as plain JSON, and the numbers of all frames as one text.

It goes there once for a run; playing, scrubbing and looking into a node ask for nothing more. What is the same at every
rerun of a page is written once (`Picture`); what may change while the run stays is a `Look`, a line before it.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from engine.recorder import StepRecord
from engine.recorder.record import ParameterRecord, Stage
from engine.twins.film import Reel, Strip
from engine.twins.plane import SIDE, Plane
from pages.components.canvas.graph import Graph, Missing, Node, refused
from pages.components.draw.words import does, stage_title

Json = dict[str, Any]

WHY: dict[Missing, str] = {
    "": "",
    "starved": "none comes back this far",
    "refused": "`backward()` raised an error: nothing that learns is connected to the loss",
    "unneeded": "no gradient needed: nothing before it is trained",
    "unused": "no gradient: the loss does not depend on it in a way that backpropagates",
}


@dataclass(frozen=True)
class Scissors:
    """A place where the detach can stand, and where the picture shows it."""

    name: str
    label: str
    edges: tuple[tuple[int, int], ...]
    nodes: tuple[int, ...]
    """Nodes, for a cut that is no detach on an edge."""
    chosen: bool


@dataclass(frozen=True)
class Twin:
    """One row of the picture."""

    title: str
    reel: Reel
    losses: tuple[float, ...]
    """One an epoch; empty where a single step is shown."""


@dataclass(frozen=True)
class Scene:
    """All that one picture shows, however it is looked at."""

    graph: Graph
    twins: tuple[Twin, ...]
    epochs: tuple[int, ...]
    """The epochs of the frames."""
    scissors: tuple[Scissors, ...] = ()
    plane: Plane | None = None
    name: str = ""
    """What run it is of: with another name the picture starts anew."""


@dataclass(frozen=True)
class Look:
    """How a page shows a scene."""

    shown: int = 1
    """The epoch that the picture opens on."""
    can_cut: bool = False
    link: str = ""
    """The query of the link to what is shown."""


@dataclass(frozen=True)
class Picture:
    """A scene that is ready for the browser."""

    written: bytes
    """JSON, without a line break."""
    places: tuple[str, ...]
    """The places where its scissors stand, by name."""

    @classmethod
    def of(cls, scene: Scene) -> Self:
        """Writes the scene."""
        written = json.dumps(payload(scene), separators=(",", ":")).encode()
        return cls(written, tuple(scissors.name for scissors in scene.scissors))

    def seen(self, look: Look) -> bytes:
        """What is sent: the look as JSON in a line of its own, then the scene."""
        return json.dumps(asdict(look)).encode() + b"\n" + self.written


def payload(scene: Scene) -> Json:
    """The scene as the browser reads it."""
    steps = [twin.reel.record for twin in scene.twins]
    return {
        "name": scene.name,
        "epochs": list(scene.epochs),
        "total": max((len(twin.losses) for twin in scene.twins), default=0) or 1,
        "plane": None if scene.plane is None else _plane(scene.plane),
        "nodes": [_node(node, steps) for node in scene.graph.nodes],
        "edges": [{"from": e.start, "to": e.end, "cut": list(e.cut)} for e in scene.graph.edges],
        "twins": [_twin(twin) for twin in scene.twins],
        "scissors": [
            {"name": s.name, "label": s.label, "edges": s.edges, "nodes": s.nodes, "chosen": s.chosen}
            for s in scene.scissors
        ],
    }


def _node(node: Node, steps: Sequence[StepRecord]) -> Json:
    stage = node.stage
    location = stage.location
    return {
        "title": stage_title(stage),
        "name": stage.output.name,
        "does": does(stage),
        "op": stage.operation,
        "module": stage.module,
        "shape": list(stage.output.shape),
        "line": location.line if location else 0,
        "code": location.text.strip() if location else "",
        "parameters": list(stage.parameters),
        "twins": [_in_twin(s, node.missing[t], steps[t]) for t, s in enumerate(node.twins)],
    }


def _in_twin(stage: Stage | None, missing: Missing, step: StepRecord) -> Json | None:
    if stage is None:
        return None
    names = [parameter.name for parameter in step.parameters]
    return {
        "stage": stage.index,
        "inputs": list(stage.inputs),
        "parameters": [names.index(name) for name in stage.parameters if name in names],
        "state": stage.gradient_state,
        "missing": missing,
        "why": WHY[missing],
        "cut": [cut.title for cut in step.cuts if cut.stage == stage.index],
        "flags": [
            f"requires_grad = {stage.output.requires_grad}",
            f"grad_fn = {stage.output.grad_fn}",
            f"is_leaf = {stage.output.is_leaf}",
            "memory of its own"
            if stage.shares_storage_with is None
            else f"shares memory with {stage_title(step.stages[stage.shares_storage_with])}",
        ],
    }


def _twin(twin: Twin) -> Json:
    step, numbers = twin.reel.record, twin.reel.numbers
    return {
        "title": twin.title,
        "losses": [loss if math.isfinite(loss) else None for loss in twin.losses],
        "raised": f"{step.raised.type}: {step.raised.message}" if step.raised is not None else "",
        "refused": refused(step),
        "starts": [sent.stage for sent in step.backwards if sent.stage is not None],
        "loss_name": _loss_name(step),
        "stages": [_strip(strip) for strip in twin.reel.strips.stages],
        "parameters": [
            {"name": p.name, "strip": _strip(s), **_parameter(p)}
            for p, s in zip(step.parameters, twin.reel.strips.parameters, strict=True)
        ],
        "as_described": list(twin.reel.as_described),
        "width": numbers.shape[1] if numbers.ndim > 1 else 0,
        "numbers": _packed(numbers.astype("<f4").tobytes()),
    }


def _loss_name(step: StepRecord) -> str:
    """What the loss that the step returned is called there, if it is one of several."""
    names = [
        step.stages[sent.stage].output.name
        for sent in step.backwards
        if sent.stage is not None and sent.loss == step.loss
    ]
    return names[0] if names and len(step.backwards) > 1 else ""


def _plane(plane: Plane) -> Json:
    return {
        "kind": plane.kind,
        "title": plane.title,
        "bounds": list(plane.bounds),
        "side": SIDE,
        "classes": list(plane.classes),
        "reference": _packed(plane.reference.astype("<f4").tobytes()),
        "answers": [_packed(answers.astype("<f4").tobytes()) for answers in plane.answers],
        "regions": None if plane.regions is None else [_packed(one.tobytes()) for one in plane.regions],
    }


def _packed(numbers: bytes) -> str:
    return base64.b64encode(numbers).decode()


def _strip(strip: Strip) -> list[int]:
    return [strip.start, strip.rows, strip.columns]


def _parameter(parameter: ParameterRecord) -> Json:
    return {
        "shape": list(parameter.shape),
        "state": parameter.state,
        "reason": parameter.reason,
        "held": parameter.in_optimizer,
        "trained": parameter.requires_grad,
    }
