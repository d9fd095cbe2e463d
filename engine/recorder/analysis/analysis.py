"""The analysis of a step: its facts, and what they mean. Frozen; rules read it and nothing writes it."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.optim import Optimizer

from ..capture.kept import kept
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
    """The facts of a step and what follows from them, each worked out once, when it is first asked for."""

    @kept
    def cuts(self) -> tuple[CutFound, ...]:
        """The places where the path from a tracked tensor ends, each said to be meant or not."""
        return with_intent(find_cuts(self), self)

    @kept
    def zeros(self) -> tuple[ZeroFound, ...]:
        """The operations that made a gradient zeros, or sent none on."""
        return (*find_zeros(self), *find_dropped(self))

    @kept
    def computed(self) -> tuple[Computed, ...]:
        """The named tensors that are no leaves."""
        return computed_tensors(self)

    @kept
    def hidden(self) -> dict[str, Tensor]:
        """Parameters of layers that are registered nowhere, by path."""
        return hidden_parameters(self)

    @kept
    def left_out(self) -> tuple[LeftOut, ...]:
        """Parameters that no optimizer holds, while one holds others of their module."""
        return find_left_out(self, self.hidden.values())

    @kept
    def lost(self) -> tuple[Lost, ...]:
        """Computed tensors that modules and objects keep in the place of the leaves that they were made of."""
        return find_lost(self, self.hidden.values())

    @kept
    def late_switches(self) -> tuple[LateSwitch, ...]:
        """Switches of `requires_grad` that come after the forward pass which they should have been for."""
        return find_late_switches(self)

    @kept
    def moved_buffers(self) -> tuple[Buffer, ...]:
        """The buffers that the step changed."""
        return moved_buffers(self)

    @property
    def explained(self) -> bool:
        """Whether a cut that is not meant starves a parameter."""
        return any(cut.starved and not cut.intended for cut in self.cuts)

    @kept
    def frozen_in_loss(self) -> list[str]:
        """The frozen parameters whose values went into what was to be differentiated."""
        value = 0
        for entry in self.roots:
            value |= entry.value
        return [
            n for n in self.named(value) if n in self.names.parameters and not self.tensor(n).requires_grad
        ]

    def frozen_in(self, optimizer: Optimizer) -> list[str]:
        """The parameters that an optimizer holds and that are frozen as it steps."""
        return [n for n in self.held_by(optimizer) if not self.wants(self.tensor(n))]

    @property
    def starved_without_optimizer(self) -> list[str]:
        """Parameters without a gradient, where no optimizer is known that could say whether they should learn."""
        if self.names.optimizers or not self.backward_is_ours:
            return []
        return [
            n for n, p in self.once.items()
            if self.states[n] == "none" and self.wants(p) and n not in self.constant
        ]  # fmt: skip


def analyse(session: Session) -> Analysis:
    """What can be said about a recording without judging it."""
    return facts_of(session, Analysis)
