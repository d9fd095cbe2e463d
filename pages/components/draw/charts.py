"""Shows the charts, each with a description for those who do not see it.

A chart is made ready for the browser once, and kept: its specification and its data. What is left for a rerun is the
vertical line at the chosen epoch, which travels as data of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import pyarrow as pa
import streamlit as st

from engine import Run, Trace
from engine.evidence.seeds import OverSeeds
from engine.evidence.sweep import Sweep
from engine.serving.cache import Cache
from engine.settings import Settings
from engine.text import counted, number_text
from pages.components.draw import chart_specs
from pages.components.draw.chart_specs import SHOWN
from pages.components.draw.twins import twin_names

__all__ = [
    "show_by_layer",
    "show_losses",
    "show_over_seeds",
    "show_series",
    "show_sweep",
]

CAPACITY = 16 * 2**20
"""What all charts that are kept may weigh, in bytes."""
_SPEC_WEIGHT = 12_000
"""About what a specification weighs."""

Row = tuple[float, str, float, str]
"""The place along the x axis, the line, the number, and the number as it is written."""
Series = Mapping[str, Sequence[float | None]]
ByLayer = Mapping[str, Sequence[Sequence[float | None]]]


@dataclass(frozen=True)
class Drawn:
    """A chart that is ready for the browser."""

    spec: chart_specs.Spec
    rows: bytes
    """The data as an Arrow stream."""
    description: str


_drawn: Cache[Hashable, Drawn | None] = Cache(CAPACITY, lambda d: _SPEC_WEIGHT + len(d.rows) if d else 100)


def show_losses(trace: Trace, epoch: int) -> None:
    """Both losses over the epochs; the chosen epoch is a vertical line."""
    drawn = _drawn.get((trace.settings, "losses"), lambda: _losses(trace))
    if drawn is None:
        st.info("Nothing to draw: neither twin has a loss that is a number, in any epoch.")
    _show(drawn, "losses", epoch)


def _losses(trace: Trace) -> Drawn | None:
    names = twin_names(trace.settings)
    gone = max(
        sum(not math.isfinite(loss) and not run.lacks(loss) for loss in run.losses) for run in trace.runs
    )
    of_them = "is not drawn: its loss is" if gone == 1 else "are not drawn: their loss is"
    left_out = f" {counted(gone, 'epoch')} {of_them} not finite." if gone else ""
    ends = ", ".join(
        f"{name} none, the step raised"
        if run.lacks(run.losses[-1])
        else f"{name} from {number_text(run.losses[0])} to {number_text(run.losses[-1])}"
        for run, name in zip(trace.runs, names, strict=True)
    )
    rows = _rows({name: run.losses for run, name in zip(trace.runs, names, strict=True)})
    if not rows:
        return None
    return Drawn(
        chart_specs.lines("loss", "twin", names, trace.settings.epochs, "epoch", ruled=True),
        _arrow(rows, ("epoch", "twin", "loss", SHOWN)),
        f"Loss over {counted(trace.settings.epochs, 'epoch')}: {ends}.{left_out}{_on_each_other(rows, names)}",
    )


def show_series(
    settings: Settings,
    what: str,
    values: Callable[[], Series],
    epoch: int | None = None,
    along: str = "epoch",
) -> None:
    """One number an epoch for each twin, such as the experiment's own measure; or one for each of something else."""
    _show(
        _drawn.get((settings, what), lambda: _series(what, values(), epoch is not None, along)), what, epoch
    )


def _series(what: str, values: Series, ruled: bool, along: str) -> Drawn | None:
    rows = _rows(values)
    if not rows:
        return None
    ends = ", ".join(f"{name}: {_range(series)}" for name, series in values.items() if series)
    last, names = max(len(series) for series in values.values()), tuple(values)
    return Drawn(
        chart_specs.lines(what, "twin", names, last, along, ruled=ruled),
        _arrow(rows, (along, "twin", what, SHOWN)),
        f"{what[0].upper()}{what[1:]}, {ends}.{_on_each_other(rows, names)}",
    )


def show_sweep(sweep: Sweep, rules: Mapping[str, float], description: str) -> None:
    """Both twins' final loss over the learning rates, both on a log scale; each of `rules` is a vertical line.

    A loss far above the first is not drawn: what is drawn reaches ten times above it.
    """
    key = (sweep.settings, "sweep", description, tuple(rules.items()))
    _show(_drawn.get(key, lambda: _sweep(sweep, rules, description)), "sweep chart")


def _sweep(sweep: Sweep, rules: Mapping[str, float], description: str) -> Drawn:
    names = twin_names(sweep.settings)
    rows: list[Row] = [
        (rate, name, loss, _figure(loss))
        for curve, name in zip(sweep.curves, names, strict=True)
        for rate, loss in zip(curve.rates, curve.losses, strict=True)
        if 0 < loss <= 10 * curve.first
    ]
    drawn = [loss for _, _, loss, _ in rows] or [1.0]
    ends, epochs = (sweep.rates[0], sweep.rates[-1]), sweep.settings.epochs
    spec = chart_specs.sweep(names, ends, (min(drawn), max(drawn)), epochs, rules)
    return Drawn(spec, _arrow(rows, ("rate", "twin", "loss", SHOWN)), description)


def show_over_seeds(found: OverSeeds) -> None:
    """What each twin ends with, one dot a seed; an end that is not finite has none."""
    _show(_drawn.get((found.settings, "seeds"), lambda: _over_seeds(found)), "seeds")


def _over_seeds(found: OverSeeds) -> Drawn | None:
    names = twin_names(found.settings)
    rows = [
        (seed, name, end, _figure(end))
        for seed, pair in enumerate(found.ends)
        for name, end in zip(names, pair, strict=True)
        if math.isfinite(end)
    ]
    if not rows:
        return None
    arrow = _arrow(rows, ("seed", "twin", "end", SHOWN))
    return Drawn(chart_specs.dots(found.what, names), arrow, found.numbers)


def show_by_layer(trace: Trace, figures: Mapping[str, Callable[[], ByLayer]], epoch: int) -> None:
    """A column a twin: for each of the figures one chart, one line a layer, then all of them in words.

    A figure gives, for each twin, one sequence a layer. A heading, a caption and a row of its own for each chart would
    be a dozen elements more, each of which a browser draws anew at every rerun.
    """
    for column, twin, run in zip(st.columns(2), twin_names(trace.settings), trace.runs, strict=True):
        with column:
            said = []
            for what, values in figures.items():
                drawn = _drawn.get(
                    (trace.settings, what, twin), partial(_by_layer, trace, what, values, twin)
                )
                if drawn is None:
                    st.info(f"Nothing to draw, {twin}: {_why_none(run)}.")
                    continue
                _draw(drawn, f"{what} {twin}", epoch)
                said.append(drawn.description)
            st.caption("\n\n".join(said))


def _why_none(run: Run) -> str:
    """Why no layer has a gradient to draw."""
    if run.lacks(run.losses[-1]):
        return "the step raised on its way, and what some of its backward passes had brought by then, no optimizer used"
    return "no gradient came to any layer (None, not 0)"


def _by_layer(trace: Trace, what: str, values: Callable[[], ByLayer], twin: str) -> Drawn | None:
    layers, both = trace.attached.layers, values()
    known = [v for series in both.values() for numbers in series for v in numbers if v is not None]
    mine = dict(zip(layers, both[twin], strict=True))
    missing = tuple(name for name, numbers in mine.items() if all(v is None for v in numbers))
    if len(missing) == len(layers):
        return None
    said = "; ".join(
        f"{name}: no line, since no gradient came (None, not 0)"
        if name in missing
        else f"{name}: {_range(numbers)}"
        for name, numbers in mine.items()
    )
    highest = max(filter(math.isfinite, known), default=0.0) or 1.0
    return Drawn(
        chart_specs.lines(
            what,
            "layer",
            layers,
            trace.settings.epochs,
            "epoch",
            ruled=True,
            highest=highest,
            title=f"{twin[0].upper()}{twin[1:]}: {what}",
        ),
        _arrow(_rows(mine), ("epoch", "layer", what, SHOWN)),
        f"{what[0].upper()}{what[1:]}, {twin}: {said}.",
    )


def _rows(values: Series) -> list[Row]:
    """One row for each finite number."""
    return [
        (number, name, value, _figure(value))
        for name, series in values.items()
        for number, value in enumerate(series, start=1)
        if value is not None and math.isfinite(value)
    ]


def _range(values: Iterable[float | None]) -> str:
    known = [v for v in values if v is not None]
    if all(math.isnan(v) for v in known):
        return "none, the step raised"
    return f"{_figure(known[0])} at first, {_figure(known[-1])} at last"


def _on_each_other(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Says so where the twins' lines can't be told apart since they are the same."""
    one, other = ([(at, value) for at, twin, value, _ in rows if twin == name] for name in names)
    return " Both lines are the same." if one == other else ""


def _figure(value: float) -> str:
    """A count as it is, another number with four digits."""
    return f"{value:,}" if isinstance(value, int) else number_text(value)


def _arrow(rows: Sequence[tuple[object, ...]], columns: tuple[str, ...]) -> bytes:
    """The rows as an Arrow stream, which is how they travel to the browser."""
    table = pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


@lru_cache(maxsize=1_024)
def _at(epoch: int) -> bytes:
    """The place of the vertical line."""
    return _arrow([(epoch,)], ("epoch",))


def _show(drawn: Drawn | None, key: str, epoch: int | None = None) -> None:
    """The chart, and below it the same in words."""
    if drawn is not None:
        _draw(drawn, key, epoch)
        st.caption(drawn.description)


def _draw(drawn: Drawn, key: str, epoch: int | None) -> None:
    data = {**drawn.spec.get("datasets", {}), "rows": drawn.rows}
    if epoch is not None:
        data["rule"] = _at(epoch)
    described = {**drawn.spec, "description": drawn.description, "datasets": data}
    st.vega_lite_chart(described, width="stretch", key=f"chart {key}")
