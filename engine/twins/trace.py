"""What a twin run leaves behind: two `Run`s, epoch by epoch, frozen.

Epochs count from 1. The values of epoch `e` are those before its step: the loss that was read, and the weights
that gave it. So `weights[0]` are the start weights, and there is one more row of weights than there are epochs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..settings import Settings
from ..text import counted, number_text

if TYPE_CHECKING:  # only the tables need pandas: the engine runs without it
    import pandas as pd

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Parameter:
    """A parameter's name, such as "linear.weight", its shape, and where it lies in a row of `Run.weights`."""

    name: str
    shape: tuple[int, ...]
    columns: slice

    @property
    def layer(self) -> str:
        """The name of the layer that owns it."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, eq=False)
class Run:
    """One of the twins, epoch by epoch."""

    detached: bool
    losses: tuple[float, ...]
    accuracies: tuple[float, ...] | None
    """The share of right predictions, 0 to 1, an epoch; None for a regression."""
    r2: tuple[float, ...] | None
    """1 - residual / total sum of squares, an epoch; None for a classification."""
    measures: tuple[float, ...] | None
    """What the experiment measures besides, an epoch; None where it measures nothing."""
    layers: tuple[str, ...]
    gradient_norms: tuple[tuple[float | None, ...], ...]
    """For each layer, its gradient's Euclidean norm an epoch, or None where no gradient came."""
    parameters: tuple[Parameter, ...]
    weights: Floats
    """(epochs + 1) x (number of weights), read-only: every parameter, flat, at the start of each epoch."""
    predictions: Floats
    """epochs x samples x outputs, read-only: what the model answered in each epoch."""
    refusal: str | None
    """What `backward()` raised, word for word, or None."""
    stepped: tuple[str, ...] = ()
    """The layers that some optimizer's step was for."""

    @property
    def diverged_at(self) -> int | None:
        """The first epoch whose loss is not finite, or None."""
        return next((e for e, loss in enumerate(self.losses, start=1) if not math.isfinite(loss)), None)

    def lacks(self, figure: float) -> bool:
        """Whether a figure of this run is missing: the step raised before there was one."""
        return bool(self.refusal) and math.isnan(figure)

    def parameter(self, name: str, epoch: int) -> Floats:
        """A parameter in its own shape, at the start of `epoch` (1 to epochs + 1)."""
        found = next((p for p in self.parameters if p.name == name), None)
        if found is None:
            raise ValueError(
                f"There is no parameter {name!r}; there are {', '.join(p.name for p in self.parameters)}."
            )
        if not 1 <= epoch <= len(self.weights):
            raise ValueError(f"There is no epoch {epoch!r}; expected 1 to {len(self.weights)}.")
        return self.weights[epoch - 1, found.columns].reshape(found.shape)

    def had_gradient(self, name: str, epoch: int) -> bool:
        """Whether any gradient, zeros included, came to the parameter's layer in `epoch`."""
        layer = name.rpartition(".")[0]
        return self.gradient_norms[self.layers.index(layer)][epoch - 1] is not None

    def layer_weights(self, layer: str, epoch: int) -> list[float]:
        """All weights of a layer, flat, at the start of `epoch` (1 to epochs + 1)."""
        return [float(weight) for weight in self.weights[epoch - 1, self._columns(layer)]]

    def moved(self, layer: str) -> tuple[float, ...]:
        """How far a layer is from its start, as a Euclidean distance, at the start of each epoch and after the last."""
        columns = self._columns(layer)
        away = self.weights[:, columns].astype(np.float64) - self.weights[0, columns]
        return tuple(np.sqrt((away**2).sum(axis=1)).tolist())

    def _columns(self, layer: str) -> NDArray[np.int_]:
        return np.concatenate([np.r_[p.columns] for p in self.parameters if p.layer == layer])

    @cached_property
    def never_moved(self) -> tuple[str, ...]:
        """The layers whose weights are the same bits after the last epoch as before the first."""
        return tuple(layer for layer in self.layers if not any(self.moved(layer)))

    def to_frame(self, *, missing: object = math.nan) -> pd.DataFrame:
        """One row an epoch, `missing` where no gradient came: loss, accuracy and R2 where the task has them, and each layer's gradient norm and move."""
        import pandas as pd

        columns: dict[str, object] = {"epoch": range(1, len(self.losses) + 1), "loss": self.losses}
        if self.accuracies is not None:
            columns["accuracy"] = self.accuracies
        if self.r2 is not None:
            columns["r2"] = self.r2
        if self.measures is not None:
            columns["measure"] = self.measures
        for layer, norms in zip(self.layers, self.gradient_norms, strict=True):
            columns[f"gradient norm {layer}"] = [missing if norm is None else norm for norm in norms]
            columns[f"moved {layer}"] = self.moved(layer)[:-1]
        return pd.DataFrame(columns)

    @property
    def _name(self) -> str:
        return "with detach" if self.detached else "without detach"

    def __repr__(self) -> str:
        return f"<Run {self._name}: {counted(len(self.losses), 'epoch')}>"

    def __str__(self) -> str:
        name = self._name
        shown, last = " ".join(map(number_text, self.losses[:8])), len(self.losses)
        more = f" ... {number_text(self.losses[-1])} (epoch {last})" if last > 8 else ""
        refused = f"\n    backward() raised: {self.refusal}" if self.refusal else ""
        return f"{name:14} {shown}{more}{refused}"


@dataclass(frozen=True, eq=False)
class Trace:
    """A twin run: the same start and data, without and with the detach."""

    settings: Settings
    attached: Run
    detached: Run

    @property
    def runs(self) -> tuple[Run, Run]:
        """Both twins, the one without the detach first."""
        return self.attached, self.detached

    @property
    def parted_at(self) -> int | None:
        """The first epoch at which the twins' losses differ, or None where they never do."""
        pairs = zip(self.attached.losses, self.detached.losses, strict=True)
        return next(
            (e for e, (a, d) in enumerate(pairs, start=1) if a != d and not (a != a and d != d)), None
        )

    @property
    def nbytes(self) -> int:
        """About how much memory the trace holds, in bytes."""
        return sum(run.weights.nbytes + run.predictions.nbytes + 200 * len(run.losses) for run in self.runs)

    def to_frame(self, *, missing: object = math.nan) -> pd.DataFrame:
        """Both runs below each other, with a column `twin`."""
        import pandas as pd

        frames = {
            ("with detach" if run.detached else "without detach"): run.to_frame(missing=missing)
            for run in self.runs
        }
        return pd.concat(frames, names=["twin"]).reset_index(level=0).reset_index(drop=True)

    def to_csv(self) -> str:
        """The frame as CSV, every digit of every number kept; an empty field where no gradient came, else nan is nan."""
        return self.to_frame(missing="").to_csv(index=False, na_rep="nan")

    def __repr__(self) -> str:
        return f"<Trace of {self.settings}: {self.attached!r}, {self.detached!r}>"

    def __str__(self) -> str:
        s = self.settings
        head = f"{s.described().title}, detach {s.detach}: {counted(s.epochs, 'epoch')} of {s.optimizer} at {s.learning_rate:g}"
        return f"{head}\n  {self.attached}\n  {self.detached}"


def frozen(values: NDArray[np.generic]) -> Floats:
    """A float32 copy that nobody can make writable again: its memory is a bytes object."""
    packed = np.ascontiguousarray(values, dtype=np.float32)
    return np.frombuffer(packed.tobytes(), dtype=np.float32).reshape(packed.shape)
