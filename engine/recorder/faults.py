"""Faults that raised: which kind an exception is, and the line that is to blame where it is not the one that raised.

Autograd's messages are matched by what they say. The line comes from the recording: the in-place call that changed
a saved tensor, the call that made a tensor no leaf, the call whose graph was sent back twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch import Tensor

from .frames import Line
from .records import Raised
from .scene import Scene
from .source import line_that_binds
from .suggestions import WHAT, listed
from .tensors import grad_fn_of
from .torch_private import number_of
from .warned import Warned, warned

_KINDS: tuple[tuple[str, str], ...] = (
    (r"through the graph a second time|after they have already been freed", "freed_graph"),
    (r"modified by an inplace operation", "inplace"),
    (r"leaf [Vv]ariable.*in-?place|view of a leaf|leaf variable has been moved", "inplace"),
    (
        r"detached in-?place|detach.*view|view.*detach|view.*modified in-?place|modified in-?place.*view",
        "inplace",
    ),
    (r"unsupported operation: (some elements|more than one element)", "inplace"),
    (r"only change requires_grad flags of leaf|can't optimize a non-leaf", "non_leaf"),
    (r"floating point (and complex )?(dtype )?can require grad|of floating point", "integer"),
    (r"[Cc]an't call numpy\(\)", "numpy"),
    (r"[Ii]nference tensor|Inplace update to inference", "inference_mode"),
    (r"deepcopy protocol", "deepcopy"),
    (r"serialize non-leaf", "serialize"),
    (r"not have been used in the graph", "not_in_graph"),
)


def warn_of_raised(scene: Scene) -> Iterator[Warned]:
    """The finding about what the step or its backward raised, if its kind is known."""
    raised = scene.raised
    if raised is None:
        return
    kind = _kind(scene, raised)
    if not kind:
        return
    here = Line(raised.location.file, raised.location.line) if raised.location is not None else None
    line, more, advice = here, "", ""
    names: list[str] = []
    if kind == "inplace" and "leaf" in raised.message:
        text = f"{raised.type}: a leaf that requires grad is changed in place while gradients are on."
        yield warned(1000, kind, here, (), text, "Change it under `with torch.no_grad():`.")
        return
    if kind == "inplace" and "modified by" in raised.message:
        if _last_is_a_step(scene):
            advice = "Call `backward()` before `step()`, or compute what is sent back after the step."
        culprit = _last_in_place(scene)
        line, more = (
            culprit or here,
            " The last change in place before it is on this line." if culprit else "",
        )
    elif kind == "freed_graph":
        shared, names = _shared(scene)
        line = shared or here
        more = " Both passes go through what this line made." if shared else ""
    elif kind == "non_leaf":
        event = next((e for e in reversed(scene.tape.events) if e.kind == "grad_of_non_leaf"), None)
        if event is not None and event.entry is not None and event.entry.call is not None:
            line = event.entry.call.line or here
            more = " It was computed on this line, and its `.grad` is read later."
    elif kind == "inference_mode":
        block = next((c.kind_line for c in scene.tape.calls if c.kind == "inference_mode"), None)
        line = block or here
    text = f"{raised.type}: {WHAT[kind]}.{more}" + (f" Held by {listed(names)}." if names else "")
    yield warned(1000, kind, line, names, text, advice)


def _last_is_a_step(scene: Scene) -> bool:
    """Whether the last change in place before the failed pass was an optimizer's."""
    until = scene.tape.backwards[-1].number if scene.tape.backwards else 1 << 62
    moved = [e.number for e in scene.tape.events if e.kind == "optimizer" and e.number < until]
    edits = [c.number for c in scene.tape.calls if c.in_place and c.number < until]
    return bool(moved) and max(moved) > max(edits, default=0)


def _kind(scene: Scene, raised: Raised) -> str:
    for pattern, kind in _KINDS:
        if re.search(pattern, raised.message, re.DOTALL):
            return kind
    nothing = "NoneType" in raised.message
    if nothing and any(e.kind == "grad_of_non_leaf" for e in scene.tape.events):
        return "non_leaf"
    return ""


def _last_in_place(scene: Scene) -> Line | None:
    """The latest line that changed memory which the graph also uses."""
    until = scene.tape.backwards[-1].number if scene.tape.backwards else 1 << 62
    found: list[tuple[int, Line]] = []
    for call in scene.tape.calls:
        entries = scene.tape.flow.sharing(call.storage) if call.in_place else ()
        if call.line is not None and call.number < until and any(e.tracked for e in entries):
            found.append((call.number, call.line))
    for event in scene.tape.events:
        if event.kind == "optimizer" and event.line is not None and event.number < until:
            found.append((event.number, event.line))
    return max(found, key=lambda item: item[0])[1] if found else None


def _shared(scene: Scene) -> tuple[Line | None, list[str]]:
    """The last line whose graph the failed pass has in common with what came before, and who holds it."""
    runs = scene.tape.backwards
    if not runs:
        return None, []
    last = runs[-1]
    earlier = set().union(*(run.next for run in runs[:-1])) if len(runs) > 1 else set()
    begin = scene.recorder.first_node
    old = [node for node in last.next if node in earlier or node < begin]
    lines = [line for node in sorted(old, reverse=True) if (line := scene.made_at(node)[0]) is not None]
    holders = [
        name
        for name, value in scene.recorder.before.variables.items()
        if isinstance(value, Tensor)
        and (node := grad_fn_of(value)) is not None
        and number_of(node) in last.next
    ]
    return (lines[0] if lines else None), holders


def warn_of_no_path(scene: Scene, explained: bool) -> Iterator[Warned]:
    """`backward()` refused, and no cut explains it: everything is frozen, or nothing went in."""
    if not scene.cannot_train() or explained:
        return
    value = 0
    for root in scene.roots:
        value |= root.value
    frozen = [
        n for n in scene.named(value) if n in scene.names.parameters and not scene.tensor(n).requires_grad
    ]
    if frozen:
        line = freeze_line(scene, frozen)
        text = (
            f"Nothing in the loss requires a gradient: {listed(frozen)} went in, and there {WHAT['frozen']}."
        )
        yield warned(600, "frozen", line, frozen, text)
    else:
        here = scene.raised.location if scene.raised is not None else None
        line = Line(here.file, here.line) if here is not None else None
        text = "Nothing that requires a gradient went into what `backward()` was called on."
        yield warned(600, "not_in_graph", line, (), text)


def warn_of_nothing(scene: Scene) -> Iterator[Warned]:
    """Nothing was found that could learn, or nothing was sent back: that is no clean bill of health."""
    by_hand = any(e.kind == "set_grad" for e in scene.tape.events)
    if scene.raised is None and not scene.tape.backwards and not by_hand:
        text = "No `backward()` ran, so nothing can be said about gradients."
        yield warned(
            1000, "not_in_graph", None, (), text, "Put the call of `backward()` into what is recorded."
        )
    elif not scene.states and not scene.hidden and scene.raised is None:
        text = "No parameter was found among the variables that the step leads to, so nothing can be said about it."
        yield warned(
            1000,
            "not_in_graph",
            None,
            (),
            text,
            "Name the model: `names={'model': model}`, or pass its optimizer.",
        )


def freeze_line(scene: Scene, names: list[str]) -> Line | None:
    """The line that last froze one of these parameters."""
    tensors = [scene.tensor(n) for n in names]
    events = [e for e in scene.tape.events if e.kind == "freeze" and any(e.tensor is t for t in tensors)]
    if events:
        return events[-1].line
    return line_that_binds(scene.recorder.file, names[0].partition(".")[0]) if names else None
