"""The analysis of a step: its facts, and what they mean. Frozen; rules read it and nothing writes it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from torch import Tensor
from torch.optim import Optimizer

from ..capture.session import Session
from ..record import Buffer
from .cuts import CutFound, find_cuts
from .facts import Facts, facts_of
from .intent import with_intent
from .leaves import Computed, computed_tensors, hidden_parameters, moved_buffers
from .left_out import LeftOut, find_left_out
from .lost import Lost, find_lost
from .switches import LateSwitch, find_late_switches
from .zeros import ZeroFound, find_dropped, find_zeros


@dataclass(frozen=True)
class Analysis(Facts):
    """The facts of a step and what follows from them."""

    cuts: tuple[CutFound, ...]
    zeros: tuple[ZeroFound, ...]
    """The operations that made a gradient zeros, or sent none on."""
    computed: tuple[Computed, ...]
    hidden: dict[str, Tensor]
    """Parameters of layers that are registered nowhere, by path."""
    left_out: tuple[LeftOut, ...]
    """Parameters that no optimizer holds, while one holds others of their module."""
    lost: tuple[Lost, ...]
    """Computed tensors that modules and objects keep in the place of the leaves that they were made of."""
    late_switches: tuple[LateSwitch, ...]
    """Switches of `requires_grad` that come after the forward pass which they should have been for."""
    moved_buffers: tuple[Buffer, ...]
    growing: tuple[str, ...]
    """Variables whose graph grows from call to call."""

    @property
    def explained(self) -> bool:
        """Whether a cut that is not meant starves somebody."""
        return any(cut.starved and not cut.intended for cut in self.cuts)

    @property
    def frozen_in_loss(self) -> list[str]:
        """The frozen parameters whose values went into what was to be differentiated."""
        value = 0
        for entry in self.roots:
            value |= entry.value
        return [
            n for n in self.named(value) if n in self.names.parameters and not self.tensor(n).requires_grad
        ]

    def frozen_in(self, optimizer: Optimizer) -> list[str]:
        """The parameters that an optimizer holds and that were frozen in this step, not only after their gradient."""
        return [n for n in self.held_by(optimizer) if self.was_frozen(self.tensor(n))]

    def was_frozen(self, parameter: Tensor) -> bool:
        """Whether a parameter was frozen in this step: one that a gradient came to may be frozen afterwards."""
        return not parameter.requires_grad and id(parameter) not in self.arrived_at

    @property
    def starved_without_optimizer(self) -> list[str]:
        """Parameters without a gradient, where no optimizer is known that could say whether they should learn."""
        if self.names.optimizers or not self.backward_is_ours:
            return []
        return [
            n for n, p in self.once.items()
            if self.states[n] == "none" and p.requires_grad and n not in self.constant
        ]  # fmt: skip


_FACTS = tuple(field.name for field in fields(Facts))


def analyse(session: Session) -> Analysis:
    """Works out everything that can be said about a recording without judging it."""
    facts = facts_of(session)
    hidden = hidden_parameters(facts)
    return Analysis(
        **{name: getattr(facts, name) for name in _FACTS},
        cuts=with_intent(find_cuts(facts), facts),
        zeros=(*find_zeros(facts), *find_dropped(facts)),
        computed=computed_tensors(facts),
        hidden=hidden,
        left_out=find_left_out(facts, hidden.values()),
        lost=find_lost(facts, hidden.values()),
        late_switches=find_late_switches(facts),
        moved_buffers=moved_buffers(facts),
        growing=session.growth.growing(),
    )
