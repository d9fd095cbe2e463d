"""What a report lists by the hundred, put together: one row for each cause and module, with its members inside."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from ...text import counted, listed
from ..record import Buffer, Cut, Finding, GradientPath, Location, ParameterRecord, StepData
from .words import RANK_ENDS, STANDINGS, Standing, Word, place, severity, standing

_WAYS = 3
"""Ways of a gradient that one row tells."""


@dataclass(frozen=True)
class Row:
    """Parameters of one module with the same fate for the same cause."""

    title: str
    """"encoder.* (36 parameters)", or the name of the only one."""
    word: Word
    in_optimizer: bool
    cause: str
    ways: str
    """The lines by which the gradients came; "" where none did."""
    members: tuple[ParameterRecord, ...]


@dataclass(frozen=True)
class Told:
    """A finding with its number, and of its text what the verdict has not said already."""

    number: int
    finding: Finding
    severity: Word
    place: str
    text: str


@dataclass(frozen=True)
class RankRow:
    """A rank of a distributed job, and how it came to its end."""

    rank: int
    word: Word
    told: str
    shown: bool


def rank_rows(record: StepData) -> list[RankRow]:
    """The ranks, each with the parameters that it does not reach."""
    rows = []
    for one in record.ranks:
        at = f" ({place(one.location, record.file)})" if one.location is not None else ""
        unused = f"; it does not reach {', '.join(by_module(one.unused, record))}" if one.unused else ""
        rows.append(RankRow(one.rank, RANK_ENDS[one.end], f"{one.text}{at}{unused}", one.shown))
    return rows


def told(record: StepData) -> tuple[Told, ...]:
    """The findings by number. The verdict quotes the first one, so that isn't told twice."""
    found = []
    for number, finding in enumerate(record.findings, 1):
        first, _, rest = finding.text.partition("\n")
        text = rest if number == 1 and first in record.verdict else finding.text
        found.append(Told(number, finding, severity(finding), place(finding.location, record.file), text))
    return tuple(found)


def parameter_rows(record: StepData) -> list[Row]:
    """One row for each cause and module, what starves first."""
    grouped: dict[tuple[Standing, bool, str, str], list[ParameterRecord]] = {}
    named: dict[str, list[tuple[int, Finding]]] = {}
    for number, finding in enumerate(record.findings, 1):
        for name in dict.fromkeys(finding.names):
            named.setdefault(name, []).append((number, finding))
    cut = {number for number, finding in enumerate(record.findings, 1) if _is_cut(finding, record.cuts)}
    for one in record.parameters:
        cause = _cause(one, named.get(one.name, ()), cut, record.file)
        grouped.setdefault((standing(one), one.in_optimizer, cause, _top(one.name)), []).append(one)
    order = list(STANDINGS)
    rows = sorted(
        grouped.items(), key=lambda item: order.index(item[0][0])
    )  # stable: else as they were named
    return [
        Row(
            _title([p.name for p in members], record), STANDINGS[state], held,
            members[0].reason if state == "same" and len(members) == 1 else cause,
            _ways(members, record.file), tuple(members),
        )
        for (state, held, cause, _), members in rows
    ]  # fmt: skip


def _cause(one: ParameterRecord, named: Iterable[tuple[int, Finding]], cut: Container[int], file: str) -> str:
    """Why a parameter stands as it does: the finding that tells it, or else its reason.

    `named` are the findings that name it, each with its number, `cut` the numbers of those that are cuts.
    """
    if one.same_as:
        home = _other_home(one.name, one.same_as)
        return f"The same as in `{home}`." if home else one.reason
    number, finding = min(named, key=lambda found: found[1].location != one.location, default=(0, None))
    if finding is not None and standing(one) in ("none", "zero"):
        by = "cut by" if one.state == "none" and number in cut else "see"
        return f"{by} finding {number}"
    at = place(one.location, file)
    return (
        one.reason + (f" ({at})" if at else "") + (f" See finding {number}." if finding is not None else "")
    )


def _other_home(name: str, same_as: str) -> str:
    """What a second name's beginning stands for: the model of which it is a part, say. "" where nothing is alike."""
    own, other = name.split("."), same_as.split(".")
    while own and other and own[-1] == other[-1]:
        own.pop()
        other.pop()
    return ".".join(other) if other != same_as.split(".") else ""


def _is_cut(finding: Finding, cuts: Iterable[Cut]) -> bool:
    return any(
        cut.kind == finding.kind and cut.location == finding.location and cut.starved and not cut.intended
        for cut in cuts
    )


def _ways(members: Iterable[ParameterRecord], file: str) -> str:
    fed = [one for one in members if one.state == "gradient"]
    ways = list(dict.fromkeys(way(path, file) for one in fed for path in one.paths))
    more = f"; and {counted(len(ways) - _WAYS, 'way')} more" if len(ways) > _WAYS else ""
    return "; ".join(ways[:_WAYS]) + more


def way(path: GradientPath, file: str) -> str:
    """The lines from a parameter's use to the loss."""
    return " > ".join(place(at, file) for at in path.lines) or "directly"


def buffer_rows(buffers: Iterable[Buffer]) -> list[str]:
    """The buffers that a step moved, by module: "net.* (running_mean and running_var of 20 modules)"."""
    grouped: dict[str, list[Buffer]] = {}
    for buffer in buffers:
        grouped.setdefault(_top(buffer.name), []).append(buffer)
    rows = []
    for held in grouped.values():
        names = [buffer.name for buffer in held]
        if len(names) == 1:
            rows.append(names[0])
            continue
        kinds = list(dict.fromkeys(buffer.name.rpartition(".")[2] for buffer in held))
        modules = len({buffer.module for buffer in held})
        inside = f"{len(names)}: {listed(kinds).replace('`', '')} of {counted(modules, 'module')}"
        rows.append(f"{_prefix(names)} ({inside})")
    return rows


def _top(name: str) -> str:
    """The variable that a name begins with: what stands before its first dot or bracket."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def by_module(names: Iterable[str], record: StepData) -> list[str]:
    """Parameters' names with one title for all of one module."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        grouped.setdefault(_top(name), []).append(name)
    return [_title(held, record) for held in grouped.values()]


def _title(names: Sequence[str], record: StepData) -> str:
    """One name, or what several begin with and how many they are of all that begin so."""
    if len(names) == 1:
        return names[0]
    prefix = _prefix(names)
    of = sum(one.name.startswith(prefix.partition("*")[0]) for one in record.parameters)
    count = f"{len(names)} parameters" if len(names) >= of else f"{len(names)} of {of} parameters"
    return f"{prefix} ({count})"


def _prefix(names: Sequence[str]) -> str:
    """What the names have in common, up to a dot or bracket: "net.encoder.*", "params[*]"."""
    parts = [re.findall(r"\.?[^.\[]+|\[[^\]]*\]?", name) for name in names]
    common: list[str] = []
    for same in zip(*parts, strict=False):
        if len(set(same)) > 1:
            break
        common.append(same[0])
    rest = [own[len(common)] for own in parts if len(own) > len(common)]
    return "".join(common) + ("[*]" if rest and all(part.startswith("[") for part in rest) else ".*")


def located(location: Location | None, file: str) -> tuple[str, str]:
    """A line's place and its text."""
    return (place(location, file), location.text.strip()) if location is not None else ("", "")
