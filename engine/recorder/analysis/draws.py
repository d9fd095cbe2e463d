"""Numbers that a distribution drew: whether a gradient is meant to go around them, or has lost a path by them.

`sample()` has no history. Where the loss scores what was drawn by its probability, as a policy gradient does, that is
as it is to be. Where what was drawn goes through a layer, as the code of an autoencoder through its decoder, only
`rsample()` brings the gradient back to what the distribution was made of.
"""

from __future__ import annotations

from ..capture.frames import Passed
from .cuts import CutFound
from .facts import Facts


def is_scored(cut: CutFound, facts: Facts) -> bool:
    """Whether numbers were drawn there whose log-probability carries the gradient: the score-function estimator."""
    if not cut.drawn:
        return False
    carried = _carried(cut, facts)
    return any(
        call.passed & Passed.DISTRIBUTION
        and any(id(entry) in carried for entry in call.inputs)
        and any(entry.tracked & cut.lost and id(entry) in facts.moving_loss for entry in call.outputs)
        for call in facts.calls
    )


def misses_rsample(cut: CutFound, facts: Facts) -> bool:
    """Whether `rsample()` would bring a gradient back by a path that `sample()` has cut.

    Not where the numbers are scored, be it by a formula written out: there they meet, before any layer, what was made
    of the same parameters. Nor where the layers see other data as well: then what was drawn is data for them, such as
    actions for a critic or dreams in wake-sleep.
    """
    draws = [call for call in cut.calls if call.drawn]
    if not draws or not all(call.has_rsample for call in draws) or is_scored(cut, facts):
        return False
    if all(call.passed & Passed.INSTALLED for call in draws):
        return False  # a package's own affair
    layers = _layers_after(cut, facts)
    return bool(layers) and not _see_other_data(layers, _carried(cut, facts), facts)


def _carried(cut: CutFound, facts: Facts) -> set[int]:
    """The ids of the entries that hold what was drawn, or were computed from it."""
    seen, todo = set[int](), list(cut.outputs)
    while todo:
        entry = todo.pop()
        if id(entry) not in seen:
            seen.add(id(entry))
            todo += facts.after_entry(entry)
    return seen


def _layers_after(cut: CutFound, facts: Facts) -> set[int]:
    """The leaves, by bit, of the first layers that what was drawn goes through and a gradient comes back through.

    None where it meets before them what scores it.
    """
    todo = [entry for entry in cut.outputs if id(entry) in facts.into_loss]
    seen, layers = set[int](), set[int]()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        todo += facts.became.get(id(entry), ())
        for call in facts.users.get(id(entry), ()):
            others = [other for other in call.inputs if id(other) not in seen]
            moving = any(id(made) in facts.moving_loss for made in call.outputs)
            met = {
                other.leaf
                for other in others
                if other.leaf is not None and other.tracked and not other.scalar
            }
            if moving and any(other.tracked & cut.lost for other in others):
                return set()
            if moving and met:
                layers |= met
            else:
                todo += [made for made in call.outputs if id(made) in facts.into_loss]
    return layers


def _see_other_data(layers: set[int], carried: set[int], facts: Facts) -> bool:
    """Whether one of the layers also works on values that were not drawn here, on the way to the loss."""
    return any(
        any(entry.leaf in layers for entry in call.inputs)
        and any(entry.leaf is None for entry in call.inputs)
        and not any(id(entry) in carried for entry in call.inputs)
        and any(id(made) in facts.into_loss for made in call.outputs)
        for call in facts.calls
    )
