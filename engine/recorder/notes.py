"""Notes: what is no fault of the gradients and still keeps parameters where they are."""

from __future__ import annotations

from collections.abc import Iterator

from torch.optim.lr_scheduler import LRScheduler

from ..text import listed, verb
from .analysis.analysis import Analysis
from .capture.torch_private import has_hook_after

COMPILED = (
    "Code under `torch.compile` was run eagerly so that it could be recorded. What only the compiled code does is not "
    "seen here: its own exceptions, graph breaks, other rounding."
)


def notes_on(analysis: Analysis) -> Iterator[str]:
    """Sentences on a step whose gradients come and whose parameters stay."""
    if _nobody_stepped(analysis):
        yield "No optimizer's `step()` was called, so this step updates nothing."
    yield from _on_optimizers(analysis)
    if starved := analysis.starved_without_optimizer:
        yield (
            "No optimizer was found, so it is not known which parameters should learn: "
            f"{listed(starved)} {verb(starved, 'gets', 'get')} no gradient."
        )
    if analysis.compiled:
        yield COMPILED
    if loose := _held_by_nobody(analysis):
        yield f"No known optimizer holds {listed(loose)}, so {verb(loose, 'it is', 'they are')} not updated."


def _nobody_stepped(analysis: Analysis) -> bool:
    """Whether a step that backpropagates by itself brought gradients for an optimizer that never made its step."""
    own = analysis.whole_step and not analysis.backward_is_ours and bool(analysis.passes)
    if not own or analysis.stepped:
        return False
    if any(has_hook_after(p) for p in analysis.once.values()):
        return False
    return any(analysis.states[n] == "gradient" and analysis.is_held(n) for n in analysis.once)


def _on_optimizers(analysis: Analysis) -> Iterator[str]:
    stepped = {id(o) for o in analysis.stepped}
    planned = {id(v.optimizer) for v in analysis.names.variables.values() if isinstance(v, LRScheduler)}
    for name, optimizer in analysis.names.optimizers.items():
        still = all(float(group.get("lr", 1.0)) == 0.0 for group in optimizer.param_groups)
        starts = id(optimizer) in planned and analysis.calls_made == 1
        if still and id(optimizer) in stepped and id(optimizer) not in analysis.moving and not starts:
            yield f"The learning rate of `{name}` is 0, so it updates nothing."
        if frozen := analysis.frozen_in(optimizer):
            yield f"`{name}` holds {listed(frozen)}, which {verb(frozen, 'is', 'are')} frozen."


def _held_by_nobody(analysis: Analysis) -> list[str]:
    """Parameters that get a gradient and are neither in an optimizer nor moved by hand, where one is known."""
    if not analysis.held:
        return []
    edited = {call.storage for call in analysis.calls if call.in_place}
    told = {name for one in analysis.left_out for name in one.names}
    return [
        n for n, p in analysis.once.items()
        if n not in told and analysis.states[n] == "gradient" and not analysis.is_held(n) and analysis.flow.storage_of(p) not in edited
    ]  # fmt: skip
