"""The variables of a running program: what the functions on the stack hold, from the outermost of the reader's inwards.

The outermost frames live longest, so a module keeps the same name from step to step, and also where the step raised.
What no variable leads to is named by the module that owns it (`owners`), found among all that live.
"""

from __future__ import annotations

import gc
from collections.abc import Container, Iterable, Iterator
from traceback import walk_tb
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import TypeVar

from torch import Tensor, nn
from torch.optim import Optimizer

from .cells import is_cell
from .frames import Passed, judged
from .names import held_in, ids_in, modules_of, variables_of
from .reading import behind
from .torch_private import tells_of_steps

_Kind = TypeVar("_Kind")


def frames_around(frame: FrameType) -> tuple[FrameType, ...]:
    """The reader's frames from the outermost to `frame`, up to the recorder's own."""
    found: list[FrameType] = []
    around: FrameType | None = frame
    while around is not None and not judged(around) & Passed.RECORDER:
        if judged(around) & Passed.READER:
            found.append(around)
        around = around.f_back
    return _from_the_cell(reversed(found))


def frames_of(trace: TracebackType | None) -> tuple[FrameType, ...]:
    """The reader's frames that an exception went through, the outermost first."""
    return _from_the_cell(frame for frame, _ in walk_tb(trace) if judged(frame) & Passed.READER)


def _from_the_cell(frames: Iterable[FrameType]) -> tuple[FrameType, ...]:
    """Frames from the outermost of a notebook's cell on, where there is one: what runs the cell is not the reader's."""
    found = tuple(frames)
    at = next((n for n, frame in enumerate(found) if is_cell(frame.f_code.co_filename)), 0)
    return found[at:]


def frames_standing(frame: FrameType | None) -> tuple[FrameType, ...]:
    """The reader's frames of a thread that stands at `frame`, the outermost first; those around the recorder, which
    runs the reader's code, are none."""
    inside: list[FrameType] = []
    found: list[FrameType] = []
    while frame is not None:
        if judged(frame) & Passed.READER:
            inside.append(frame)
        elif judged(frame) & Passed.RECORDER:
            found = list(inside)
        frame = frame.f_back
    return tuple(reversed(found or inside))


def variables_in(frames: Iterable[FrameType]) -> dict[str, object]:
    """The variables of the frames, those of their modules that they use included.

    Of two things with one name the outer keeps it; the other gets the name of its function beside it. A module, a
    tensor or an optimizer that was passed from function to function has the name that the outermost gives it.
    """
    found: dict[str, object] = {}
    named: set[int] = set()
    for frame in frames:
        outside = frozenset(named)
        for name, value in _variables(frame):
            if id(value) in outside:
                continue
            if name in found:
                name = f"{frame.f_code.co_name}.{name}"
            found.setdefault(name, value)
            if isinstance(value, nn.Module | Tensor | Optimizer):
                named.add(id(value))
    modules = [one for v in found.values() if isinstance(v, nn.Module) for _, one in modules_of("", v)]
    owned = {id(p) for module in modules for _, p in held_in(module, "_parameters")}
    return {
        name: value for name, value in found.items() if id(value) not in owned
    }  # such as a loop's own `p`


def _variables(frame: FrameType) -> Iterator[tuple[str, object]]:
    if is_cell(frame.f_code.co_filename) and frame.f_locals is frame.f_globals:
        # A notebook's variables are those of all its cells, and IPython's own.
        here = variables_of(FunctionType(frame.f_code, frame.f_globals))
    else:
        here = dict(frame.f_locals)
    if frame.f_locals is not frame.f_globals:
        here |= {
            n: frame.f_globals[n] for n in frame.f_code.co_names if n in frame.f_globals and n not in here
        }
    for name, value in ((name, behind(value)) for name, value in here.items()):
        if not name.startswith("__") and not isinstance(value, ModuleType | FunctionType | type):
            yield name, value


def owners(optimizers: Iterable[Optimizer], named: Iterable[int]) -> dict[str, object]:
    """The outermost modules that own what the optimizers hold and no variable leads to.

    `named` are the `id`s of what has a name. One such module stands under the empty name, so that its parameters are
    called as they are in it; of several each stands under its class's name.
    """
    loose = set[int]().union(*(ids_in(one) for one in optimizers)) - set(named)
    if not loose:
        return {}
    modules = _living(nn.Module)
    inside = {id(inner) for module in modules for _, inner in modules_of("", module)[1:]}
    roots = [m for m in modules if id(m) not in inside and any(id(p) in loose for p in m.parameters())]
    if len(roots) == 1:
        return {"": roots[0]}
    found: dict[str, object] = {}
    for root in roots:
        name = type(root).__name__
        found[f"{name} {len(found) + 1}" if name in found else name] = root
    return found


def living_optimizers(switched_off: Container[int] = ()) -> list[Optimizer]:
    """The optimizers that there are, that hold anything to be trained and whose steps torch reports.

    `switched_off` are the `id`s of what is frozen for now and trained at other times. Of the wrappers that accelerate
    and Lightning put around an optimizer torch tells nothing: they are the same one again.
    """
    return [
        one
        for one in _living(Optimizer)
        if tells_of_steps(one)
        and any(
            isinstance(p, Tensor) and (p.requires_grad or id(p) in switched_off)
            for group in one.param_groups
            for p in group["params"]
        )
    ]


def _living(kind: type[_Kind]) -> list[_Kind]:
    # By `type` and not `isinstance`: that would ask objects of the reader's own for their `__class__`.
    return [one for one in gc.get_objects() if issubclass(type(one), kind)]
