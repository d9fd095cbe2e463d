"""The one table that all benchmarks fill: a row says what was measured, on what, against what, and whether that will do."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """What was wanted, in words, and whether it was met."""

    wanted: str
    met: bool

    def __str__(self) -> str:
        return f"{self.wanted} ({'met' if self.met else 'missed'})"


@dataclass(frozen=True)
class Row:
    """One measurement. Without a reference it stands for itself; without a target it is only told."""

    what: str
    ours: str
    reference: str = ""
    ratio: float | None = None
    target: Target | None = None

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return f"| {self.what} | {self.ours} | {self.reference} | {ratio} | {self.target or ''} |"


def compared(
    what: str,
    ours: float,
    reference: float,
    unit: str,
    at_most: float | None = None,
    at_least: float | None = None,
) -> Row:
    """Ours beside a reference measured in the same run; the target is one for their ratio."""
    ratio = ours / reference
    target = None if at_most is None else Target(f"{at_most:g}", ratio <= at_most)
    if at_least is not None:
        target = Target(f"at least {at_least:g}", ratio >= at_least)
    return Row(what, f"{amount(ours)} {unit}", f"{amount(reference)} {unit}", ratio, target)


def measured(
    what: str, ours: float, unit: str = "", at_most: float | None = None, at_least: float | None = None
) -> Row:
    """A number that stands for itself, with a target of its own, if any."""
    target = None
    if at_most is not None:
        target = Target(f"at most {at_most:g} {unit}".strip(), ours <= at_most)
    if at_least is not None:
        target = Target(f"at least {at_least:g} {unit}".strip(), ours >= at_least)
    return Row(what, f"{amount(ours)} {unit}".strip(), target=target)


def amount(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.3g}"


def rows_of(benchmark: str) -> list[Row]:
    """What the module of that name in this package measures."""
    rows: list[Row] = import_module(f"{__package__}.{benchmark}").rows()
    return rows


def table(rows: Iterable[Row]) -> str:
    """The rows as one markdown table."""
    return "\n".join(
        ["| what | ours | reference | ratio | target |", "|---|---|---|---|---|", *map(str, rows)]
    )


def machine() -> str:
    """What the numbers were measured on."""
    names = {package: version(package) for package in ("torch", "streamlit")}
    packages = ", ".join(f"{name} {number}" for name, number in names.items())
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores of {_processor()}, Python {platform.python_version()}, {packages}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which so many percent of the values lie."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
