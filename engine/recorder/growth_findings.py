"""The finding about variables whose graph grows from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from .analysis.facts import Scene
from .capture.frames import Line
from .capture.growth import holders
from .capture.source_text import line_that_adds
from .suggestions import WHAT
from .warned import Warned, warned


def warn_of_growth(growing: tuple[str, ...], scene: Scene) -> Iterator[Warned]:
    """One finding for each variable that grows, at the line that adds to it, or that made what it last got."""
    for name in growing:
        yield warned(
            55, "growth", _line(scene, name), (name,), f"`{name}` keeps its history: {WHAT['growth']}."
        )


def _line(scene: Scene, name: str) -> Line | None:
    made = _made(scene, name)
    files = dict.fromkeys([scene.recorder.file, *([made.file] if made is not None else [])])
    added = (line_that_adds(file, name.rpartition(".")[2].partition("[")[0]) for file in files)
    return next((line for line in added if line is not None), made)


def _made(scene: Scene, name: str) -> Line | None:
    held: list[Tensor] = []
    for variable, value in scene.names.variables.items():
        if name == variable or name.startswith(f"{variable}.") or not variable:
            held += [t for path, tensors in holders(variable, value) if path == name for t in tensors]
    entries = [e for t in held[-50:] if (e := scene.tape.flow.look_up(t)) is not None and e.call is not None]
    return entries[-1].call.line if entries and entries[-1].call is not None else None
