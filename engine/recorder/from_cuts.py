"""Findings that come from cuts: who starves, and cuts that starve nobody and still are likely mistakes.

The latter are few, each with a sign of its own: a term of the loss that is a constant, a gradient used in the loss
without `create_graph`, and a vector quantiser whose two losses have their weights the wrong way round.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..text import number_text
from .cuts import CutFound
from .flow import Call, Entry
from .frames import Passed
from .intent import downstream
from .scene import Scene, closure
from .suggestions import WHAT, listed, verb
from .terms import terms
from .warned import Warned, warned
from .zeros import ZeroFound


def warn_of_cuts(cuts: list[CutFound], scene: Scene) -> Iterator[Warned]:
    """All findings about cuts."""
    sinks = [cut for cut in cuts if cut.kind in ("item", "numpy") and cut.starved and not cut.intended]
    for cut in cuts:
        wanted = [n for n in cut.starved if scene.trainable(n)]
        if cut.kind == "detach" and any(s.line == cut.line and set(wanted) <= set(s.starved) for s in sinks):
            continue  # `.detach().numpy()`: the array is the point, and the detach only lets it happen
        if wanted and not cut.intended:
            yield _starving(cut, wanted, scene)
        elif cut.kind == "create_graph":
            yield from _first_order(cut, scene)
    yield from _constant_terms(cuts, scene)
    yield from _quantiser(cuts, scene)


def warn_of_zeros(zeros: list[ZeroFound], scene: Scene) -> Iterator[Warned]:
    """Findings about gradients that are all zeros."""
    for zero in zeros:
        names = [n for n in zero.starved if scene.trainable(n)]
        if scene.held:
            names = [n for n in names if id(scene.tensor(n)) in scene.held]
        if zero.cause is None or not zero.cause.after:
            names = [n for n in names if id(scene.tensor(n)) not in scene.recorder.fed]
        if names and not zero.harmless:
            nothing = all(scene.states[n] == "none" for n in names)
            who = f"{listed(names)} {verb(names, 'gets', 'get')} {'no gradient' if nothing else 'a gradient of zeros'}"
            if zero.cause is not None:
                yield warned(
                    100 + len(names),
                    zero.kind,
                    zero.line,
                    names,
                    f"{who}: {zero.cause.why}.",
                    zero.cause.advice,
                )
                continue
            what = {
                "cancel": "two paths bring gradients that cancel",
                "custom_function": f"the custom Function `{zero.operation}` sends {'nothing' if nothing else 'zeros'} back",
                "not_in_graph": "no gradient is sent on to it",
            }.get(zero.kind, f"the derivative of `{zero.operation or 'this operation'}` is zero here")
            yield warned(100 + len(names), zero.kind, zero.line, names, f"{who}: {what}.")


def _starving(cut: CutFound, names: list[str], scene: Scene) -> Warned:
    held = sum(id(scene.tensor(n)) in scene.held for n in names)
    who = f"{listed(names)} {verb(names, 'gets', 'get')} no gradient"
    perhaps = "possibly because " if cut.possible else ""
    after = " (the link through plain numbers can't be proven)" if cut.possible else ""
    drawn = any(call.passed & Passed.DISTRIBUTION for call in cut.calls)
    wrapped = any(call.operation == "Parameter" for call in cut.calls)
    what = "`sample()` draws numbers without a history" if drawn else WHAT.get(cut.kind, "the path ends here")
    if wrapped:
        what = "`nn.Parameter` around a computed tensor is a new leaf, with no path back"
    text = f"{who}: {perhaps}{what}{after}."
    if scene.cannot_train():
        text += " Nothing in the loss requires a gradient, so `backward()` refuses."
    weight = 100 + len(names) + 10 * held + (500 if scene.cannot_train() else 0) - (50 if cut.possible else 0)
    special = ""
    if drawn:
        special = "Use `rsample()` where the distribution has one, or put `log_prob(sample)` into the loss."
    if wrapped:
        special = "Use the tensor as it is; make an `nn.Parameter` once, in `__init__`, of what is to be trained itself."
    return warned(weight, cut.kind, cut.line, names, text, special)


def _first_order(cut: CutFound, scene: Scene) -> Iterator[Warned]:
    about = 0
    for call in cut.calls:
        for entry in call.about:
            about |= entry.tracked
    entries = [e for e in cut.outputs if id(e) in scene.into_loss]
    own = [n for n in scene.named(about) if scene.trainable(n)]
    if entries and (own or not downstream(entries, scene)[0]):
        lost = [n for n in scene.named(cut.lost_on_the_way) if scene.trainable(n)]
        text = f"The gradient taken here goes into the loss as a constant: {WHAT['create_graph']}."
        yield warned(60, "create_graph", cut.line, lost, text)


def _constant_terms(cuts: list[CutFound], scene: Scene) -> Iterator[Warned]:
    """Terms that are added to the loss, were computed from parameters, and have no path back to them."""
    for root in scene.roots:
        if not root.tracked:
            continue
        for term in terms(root):
            if term.tracked or not term.value:
                continue
            ancestors = closure([term], scene.tape, False)
            for cut in cuts:
                names = [n for n in scene.named(cut.lost) if scene.trainable(n)]
                mine = any(id(e) in ancestors for e in cut.outputs)
                if mine and names and cut.intended:
                    text = (
                        f"A term of the loss is a constant, so it moves nothing: {listed(names)} "
                        f"{verb(names, 'loses', 'lose')} this path ({WHAT.get(cut.kind, 'it ends here')})."
                    )
                    yield warned(80, cut.kind, cut.line, names, text)


def _quantiser(cuts: list[CutFound], scene: Scene) -> Iterator[Warned]:
    """`(z.detach() - e)` weighted less than `(z - e.detach())`, where `e` was looked up for `z`."""
    detached = {id(c.outputs[0]): c for cut in cuts if cut.kind == "detach" for c in cut.calls}
    pairs: dict[tuple[int, int], tuple[Call, Call]] = {}
    for call in scene.tape.calls if detached else ():
        if len(call.inputs) != 2 or not call.outputs or not call.outputs[0].tracked:
            continue
        for held, moved in (call.inputs, call.inputs[::-1]):
            stop = detached.get(id(held))
            if stop is not None and id(moved) not in detached:
                pairs[id(stop.inputs[0]), id(moved)] = (call, stop)
    for (held_id, moved_id), (call, stop) in pairs.items():
        other = pairs.get((moved_id, held_id))
        if other is None or call is other[0]:
            continue
        moved = next(e for e in call.inputs if id(e) == moved_id)
        light, heavy = _size(call), _size(other[0])
        if light is None or heavy is None or not light < heavy or not _looked_up(moved, held_id, scene):
            continue
        names = [n for n in scene.named(moved.tracked) if scene.trainable(n)]
        text = (
            f"This loss moves the code {listed(names)} with {number_text(light / heavy, short=True)} of the weight with which the encoder "
            "is moved towards it: the weights of codebook loss and commitment loss look swapped."
        )
        yield warned(
            40,
            "detach",
            stop.line,
            names,
            text,
            "Give the smaller weight to the term that detaches the code.",
        )


def _size(call: Call) -> float | None:
    gradient = call.outputs[0].gradient
    return None if gradient is None else float(np.abs(gradient).mean())


def _looked_up(entry: Entry, of: int, scene: Scene) -> bool:
    """Whether `entry` was chosen by an index that was computed from the entry with that id."""
    calls = [e.call for e in _entries_behind(entry) if e.call is not None and e.call.kind == "integer"]
    return any(of in closure(call.inputs, scene.tape, False) for call in calls)


def _entries_behind(entry: Entry) -> Iterator[Entry]:
    todo, seen = [entry], set()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo.extend(one.previous)
        if one.call is not None:
            todo.extend(one.call.inputs)
