"""The report as HTML for a notebook, and the templates that the page shares with it.

What starves is said in words and by a dashed border, not by colour alone. The templates escape everything that the
reader wrote by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..record import Cut, Stage, StepData
from .groups import buffer_rows, by_module, located, parameter_rows, rank_rows, told
from .picture import boxes_of
from .words import BACK, cut_title

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).with_name("templates")


class CutRow(NamedTuple):
    """A cut as a row of a table."""

    title: str
    place: str
    text: str
    intended: bool
    why: str
    starved: tuple[str, ...]
    partial: tuple[str, ...]


class CallRow(NamedTuple):
    """A call as a row of a table."""

    number: int
    operation: str
    module: str
    shape: tuple[int, ...]
    grad_fn: str
    back: str
    place: str
    text: str


def to_html(record: StepData) -> str:
    """The whole report, one self-contained fragment."""
    quoted = record.findings or record.raised is not None  # else the verdict has the notes
    return (
        templates()
        .get_template("report.html")
        .render(**parts_of(record), notes=record.notes if quoted else ())
    )


def to_short_html(record: StepData) -> str:
    """The verdict and the findings; the rest is folded away."""
    quoted = record.findings or record.raised is not None
    parts = {**parts_of(record), "notes": record.notes if quoted else ()}
    return templates().get_template("short_report.html").render(parts)


def parts_of(record: StepData) -> Mapping[str, object]:
    """What the templates show of a record."""
    return {
        "record": record,
        "findings": told(record),
        "boxes": boxes_of(record),
        "parameters": parameter_rows(record),
        "buffers": buffer_rows(record.buffers),
        "ranks": rank_rows(record),
        "cuts": [cut_row(cut, record) for cut in record.cuts],
        "calls": [call_row(stage, record) for stage in record.stages],
    }


def cut_row(cut: Cut, record: StepData) -> CutRow:
    """A cut with its line, and its victims by module."""
    starved, partial = (tuple(by_module(names, record)) for names in (cut.starved, cut.partial))
    return CutRow(
        cut_title(cut), *located(cut.location, record.file), cut.intended, cut.why, starved, partial
    )


def call_row(stage: Stage, record: StepData) -> CallRow:
    """A call with its line, and what came back to it."""
    output = stage.output
    back = BACK[stage.gradient_state].text if output.requires_grad else "not tracked"
    return CallRow(
        stage.index, stage.operation, stage.module, output.shape, output.grad_fn or "", back,
        *located(stage.location, record.file),
    )  # fmt: skip


@cache
def templates(*folders: Path) -> Environment:
    """The templates in these folders and those here. They escape what they show; only a report needs jinja2."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader([*folders, _HERE]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters["code"] = code_markup
    return found


def code_markup(text: str) -> str:
    """The text escaped, with `backticks` as code."""
    from markupsafe import Markup

    parts = text.split("`")
    tags = (Markup("<code>{}</code>") if i % 2 else Markup("{}") for i in range(len(parts)))
    return Markup("").join(tag.format(part) for tag, part in zip(tags, parts, strict=True))
