"""What a recorded step is made of: frozen, plain, and free of the tensors it was read from.

Nothing here computes. `record` fills these classes, the pages and the command line show them.
Every array is read-only and backed by bytes, so no holder of a record can change another's. What a record holds by
the hundred is a named tuple: a frozen dataclass takes four times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..text import counted

Array = NDArray[np.generic]

_SHOWN = 90
"""Characters of a text in a record's representation, which stands for it in a list or a notebook's output."""

GradientState = Literal["value", "zero", "none"]
ParameterState = Literal["gradient", "none", "zero", "not_retained"]


def _short(record: object, text: str) -> str:
    text = " ".join(text.split())
    return f"<{type(record).__name__} {text if len(text) <= _SHOWN else text[: _SHOWN - 3] + '...'}>"


@dataclass(frozen=True)
class Location:
    """A line of the reader's own code: never one inside torch or inside this engine."""

    file: str
    line: int
    text: str

    @property
    def in_cell(self) -> bool:
        """Whether it stands in a notebook's cell, which has a number instead of a file."""
        return self.file.startswith("In [")

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.in_cell else f"{self.file}:{self.line}"


class TensorRecord(NamedTuple):
    """One tensor as it was right after the call that made it.

    `values` is None where the tensor is larger than the recorder was asked to keep; the statistics stay.
    """

    name: str
    """The name of the reader's variable, or "" where none is known."""
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    grad_fn: str | None
    is_leaf: bool
    values: Array | None
    measured: tuple[float, float, float] | None
    """(minimum, maximum, mean) where the values were not kept: read the three properties instead."""

    @property
    def minimum(self) -> float | None:
        """The smallest element; None for an empty or complex tensor."""
        return self._statistic(0)

    @property
    def maximum(self) -> float | None:
        """The largest element; None for an empty or complex tensor."""
        return self._statistic(1)

    @property
    def mean(self) -> float | None:
        """The mean of the elements; None for an empty or complex tensor."""
        return self._statistic(2)

    def _statistic(self, which: int) -> float | None:
        if self.measured is not None:
            return self.measured[which]
        values = self.values
        if values is None or not values.size or values.dtype.kind == "c":
            return None
        return float((values.min, values.max, lambda: values.mean(dtype=np.float64))[which]())

    def __repr__(self) -> str:
        return _short(self, f"{self.name or 'unnamed'}: {self.dtype} {list(self.shape)}")


class Stage(NamedTuple):
    """One call of the step, in order, or (with `operation` "input") one tensor that the step started from."""

    index: int  # type: ignore[assignment]  # not the method of a tuple
    operation: str
    """"input", or torch's name of the call: "linear", "detach", "mse_loss"."""
    module: str
    """The module whose forward made the call, such as "net.hidden_1", or ""."""
    inputs: tuple[int, ...]
    """The stages whose tensors it used; parameters are not stages and are listed in `parameters`."""
    parameters: tuple[str, ...]
    """The names of the parameters that it used, such as "net.weight"."""
    output: TensorRecord
    shares_storage_with: int | None
    """The index of the stage whose memory the output shares, or None."""
    gradient: Array | None
    """d loss / d output as autograd computed it, same shape as the output; None where there is none."""
    gradient_state: GradientState
    location: Location | None
    more_outputs: tuple[TensorRecord, ...] = ()
    """The second and further outputs of a call that gives several, such as the indices of `max`."""

    def __repr__(self) -> str:
        inside = f" in {self.module}" if self.module else ""
        shape = f"{list(self.output.shape)}, gradient {self.gradient_state}"
        return _short(self, f"{self.index} {self.operation}{inside}: {self.output.name or 'unnamed'} {shape}")


class GradientPath(NamedTuple):
    """One path by which a gradient reached a parameter: the lines from its first use to the loss."""

    lines: tuple[Location, ...]
    operations: tuple[str, ...]
    state: GradientState
    """The gradient through this path alone."""

    def __repr__(self) -> str:
        return _short(self, f"{self.state} via {', '.join(map(str, self.lines))}")


class ParameterRecord(NamedTuple):
    """One parameter or named leaf after `backward()`."""

    name: str
    shape: tuple[int, ...]
    state: ParameterState
    reason: str
    """One sentence: why it has its gradient, or why it has none."""
    location: Location | None
    """The line that starved it, where one did."""
    in_optimizer: bool
    value: Array | None
    gradient: Array | None
    paths: tuple[GradientPath, ...] = ()
    """The paths by which its gradient came, one for each call that used it."""
    requires_grad: bool = True
    meant: bool = False
    """Whether it apparently gets no gradient on purpose."""
    same_as: str = ""
    """The first name of the same tensor, where it has several and this is another."""

    def __repr__(self) -> str:
        return _short(self, f"{self.name} {list(self.shape)}: {self.state}")


@dataclass(frozen=True)
class Buffer:
    """A buffer of a module that the step changed, such as BatchNorm's running mean."""

    name: str
    module: str


@dataclass(frozen=True)
class Cut:
    """A place where the path from a tracked tensor ends."""

    kind: str
    title: str
    """What a reader sees instead of the kind."""
    location: Location | None
    starved: tuple[str, ...]
    intended: bool
    stage: int | None
    """The index of the stage that is the cut, or None where the cut is not a call of the step."""
    partial: tuple[str, ...] = ()
    """Parameters that lost this path and still get a gradient through another."""
    possible: bool = False
    """True where the link from the cut to the loss runs through plain Python numbers and can't be proven."""
    why: str = ""
    """Why it is taken to be intended, where it is and starves a parameter."""

    def __repr__(self) -> str:
        whom = f"starves {len(self.starved)}" if self.starved else "starves no parameter"
        return _short(
            self, f"{self.kind}{' (intended)' if self.intended else ''} {whom} at {self.location or '?'}"
        )


@dataclass(frozen=True)
class Finding:
    """Something worth a warning, with what to write instead."""

    kind: str
    title: str
    """What a reader sees instead of the kind."""
    severity: str
    """"fault", or "unused" for what is merely unused."""
    location: Location | None
    names: tuple[str, ...]
    text: str
    suggestion: str
    rule: str
    """The name of the rule that found it: `detach-lab explain` tells more."""

    def __repr__(self) -> str:
        return _short(self, f"{self.kind}{f' at {self.location}' if self.location else ''}: {self.text}")


@dataclass(frozen=True)
class Raised:
    """What the step or its `backward()` raised, word for word."""

    type: str
    message: str
    stage: Literal["load", "step", "backward"]
    """"load" is the file's own code, before any step."""
    location: Location | None
    call: int | None = None
    """Which call of the step it was, from 1, where several were asked for."""

    @property
    def where(self) -> str:
        """What raised: "step", or "step in call 2"."""
        if self.stage == "load":
            return "loading"
        return self.stage if self.call is None else f"{self.stage} in call {self.call}"


@dataclass(frozen=True)
class BackwardRecord:
    """One backward pass of the step that gives parameters their gradients."""

    stage: int | None
    """The index of the stage that it started from: the loss."""
    location: Location | None
    """The line of the `backward()`, or None where the recorder called it on the loss that the step returned."""
    reached: tuple[str, ...]
    """The parameters that it gave a gradient."""
    loss: float | None = None
    """The number that was backpropagated."""

    def __repr__(self) -> str:
        return _short(self, f"from stage {self.stage} to {counted(len(self.reached), 'parameter')}")


RankEnd = Literal["recorded", "raised", "ended", "waits", "silent"]


class RankRecord(NamedTuple):
    """How one process of a distributed job reached the end of its step, or why it did not."""

    rank: int
    end: RankEnd
    """"ended": its script did, before the step. "waits": it makes no progress. "silent": nothing came from it."""
    text: str
    """The same in a sentence without its subject: "reached the end of step 2"."""
    location: Location | None
    unused: tuple[str, ...]
    """The parameters that its loss does not reach."""
    shown: bool
    """Whether the stages, parameters and cuts of the report are those of this rank."""

    @property
    def sentence(self) -> str:
        """The same as a whole sentence, with its line."""
        at = f" at {self.location}, `{self.location.text}`" if self.location is not None else ""
        return f"Rank {self.rank} {self.text}{at}."


@dataclass(frozen=True)
class StepData:
    """One recorded step, forward and backward, and its diagnosis."""

    loss: float | None
    """What the step returned, or else what its one backward pass started from.

    None where there is no loss, or several passes: `backwards` has the loss of each."""
    stages: tuple[Stage, ...]
    parameters: tuple[ParameterRecord, ...]
    cuts: tuple[Cut, ...]
    findings: tuple[Finding, ...]
    """What is worth a warning, the worst first."""
    raised: Raised | None
    growing: tuple[str, ...]
    """Variables whose graph grows from call to call."""
    buffers: tuple[Buffer, ...]
    """Buffers that the step changed."""
    verdict: str
    """One sentence: what is wrong and where, or that nothing is."""
    notes: tuple[str, ...] = ()
    """Sentences about what is not a fault of the gradients but keeps parameters from being updated."""
    backwards: tuple[BackwardRecord, ...] = ()
    """The backward passes, in order: one for each loss of the step."""
    file: str = ""
    """The file that was traced: its lines are shown without the file's name."""
    ranks: tuple[RankRecord, ...] = ()
    """The processes of a distributed job, where the report is about several."""

    @property
    def ok(self) -> bool:
        """Whether nothing is worth a warning."""
        return not self.findings and self.raised is None and not self.hangs and not self.cut_short

    @property
    def hangs(self) -> bool:
        """Whether a rank waits for what never comes. Next to recorded ranks it may only wait for them, which were
        stopped for the report: then it is the job's fault only where a rank ended by itself."""
        ends = {rank.end for rank in self.ranks}
        return "waits" in ends and ("ended" in ends or "raised" in ends or "recorded" not in ends)

    @property
    def cut_short(self) -> bool:
        """Whether the job was ended before any rank had reached the end of its step."""
        return bool(self.ranks) and not {"recorded", "waits", "raised"} & {rank.end for rank in self.ranks}

    @property
    def ran(self) -> bool:
        """Whether there is a diagnosis: False where what was raised is not a fault of gradients, or nothing can learn."""
        kinds = [finding.kind for finding in self.findings]
        if self.raised is None:
            return bool(self.parameters) and not self.cut_short
        return bool(kinds) and "not_scalar" not in kinds

    def __repr__(self) -> str:
        counts = [(self.findings, "finding"), (self.parameters, "parameter"), (self.stages, "stage")]
        return _short(self, f"{', '.join(counted(len(held), one) for held, one in counts)}: {self.verdict}")
