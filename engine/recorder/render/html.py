"""The report as HTML for a notebook: the verdict, the modules as boxes, and the tables.

Modules are nested boxes that open and close; values go down the page and gradients come up it. What starves is said
in words and by a dashed border, not by colour alone. Everything that the reader wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from ..record import Location, ParameterRecord, Stage, StepData

_STYLE = """<style>
.dl-report{font:14px/1.5 system-ui,sans-serif;max-width:70rem}
.dl-report code{font:13px/1.5 ui-monospace,monospace}
.dl-report .dl-verdict{border-left:4px solid #2e7d32;padding:.4rem .8rem}
.dl-report .dl-verdict.dl-bad{border-left:4px dashed #b3261e}
.dl-report details{border:1px solid #8a8a8a;border-radius:6px;margin:.3rem 0;padding:.2rem .6rem}
.dl-report details.dl-starved{border:2px dashed #b3261e}
.dl-report .dl-stage{margin:.15rem 0 .15rem .8rem}
.dl-report .dl-cut{border-top:2px dashed #b3261e;border-bottom:2px dashed #b3261e}
.dl-report table{border-collapse:collapse}.dl-report td,.dl-report th{padding:.15rem .6rem;text-align:left;
vertical-align:top}
</style>"""
_FILTER = (
    "const q=this.value.toLowerCase();this.parentElement.querySelectorAll('tbody tr')"
    ".forEach(r=>r.hidden=!r.textContent.toLowerCase().includes(q))"
)
_BACK = {"value": "↑ gradient comes back", "zero": "↑ zeros come back", "none": "✕ no gradient comes back"}
_STATE = {"gradient": "gradient", "zero": "all zeros", "none": "✕ none", "not_retained": "not retained"}


def to_html(record: StepData) -> str:
    """The whole report, one self-contained fragment."""
    return "".join(_parts(record))


def _parts(record: StepData) -> Iterator[str]:
    yield _STYLE + '<div class="dl-report">'
    yield f'<p class="dl-verdict{"" if record.ok else " dl-bad"}">{_code(record.verdict)}</p>'
    if record.raised is not None:
        yield f"<pre>{escape(record.raised.type)}: {escape(record.raised.message)}</pre>"
    for finding in record.findings:
        yield f"<p><b>{escape(finding.kind)}</b> {_place(finding.location)}<br>{_code(finding.text)}"
        yield f"<br>Instead: {_code(finding.suggestion)}</p>" if finding.suggestion else "</p>"
    for note in (
        record.notes if record.findings or record.raised is not None else ()
    ):  # else the verdict has them
        yield f"<p>Note: {_code(note)}</p>"
    yield "<h4>Parameters</h4><table><thead><tr><th>name<th>shape<th>gradient<th>optimizer<th>why</tr></thead><tbody>"
    yield from (_parameter(p) for p in record.parameters)
    yield "</tbody></table>"
    yield from _picture(record)
    yield from _calls(record)
    yield "</div>"


def _parameter(p: ParameterRecord) -> str:
    held = "holds it" if p.in_optimizer else ""
    shape = escape(str(list(p.shape)))
    why = f"{_code(p.reason)} {_place(p.location)}"
    return f"<tr><td><code>{escape(p.name)}</code><td>{shape}<td>{_STATE[p.state]}<td>{held}<td>{why}</tr>"


def _picture(record: StepData) -> Iterator[str]:
    starved = {p.name for p in record.parameters if p.state in ("none", "zero")}
    cuts = {cut.stage for cut in record.cuts if cut.stage is not None}
    yield "<h4>Values go down, gradients come up</h4>"
    yield from _boxes(record.stages, 0, starved, cuts)


def _boxes(stages: tuple[Stage, ...], depth: int, starved: set[str], cuts: set[int]) -> Iterator[str]:
    """Runs of stages of one module as a box, boxes of its inner modules within."""
    for path, run in groupby(
        stages, key=lambda s: ".".join(s.module.split(".")[: depth + 1]) if s.module else ""
    ):
        inside = tuple(run)
        deep = path.count(".") >= depth
        if not path or not deep:
            yield from (_stage(stage, cuts) for stage in inside)
            continue
        hungry = sorted({n for stage in inside for n in stage.parameters if n in starved})
        word = (
            f" ✕ starved: {escape(', '.join(hungry[:4]))}{' and more' if len(hungry) > 4 else ''}"
            if hungry
            else ""
        )
        opened = " open" if len(stages) <= 40 else ""
        yield f'<details{opened} class="{"dl-starved" if hungry else ""}"><summary><code>{escape(path)}</code>'
        yield f" {len(inside)} call{'s' if len(inside) > 1 else ''}{word}</summary>"
        own = tuple(inside)
        if any(stage.module.count(".") > depth for stage in own):
            yield from _boxes(own, depth + 1, starved, cuts)
        else:
            yield from (_stage(stage, cuts) for stage in own)
        yield "</details>"


def _stage(stage: Stage, cuts: set[int]) -> str:
    name = f"{escape(stage.output.name)} = " if stage.output.name else ""
    shape = escape(str(list(stage.output.shape)))
    cut = " ✂ the path ends here" if stage.index in cuts else ""
    mark = " dl-cut" if cut else ""
    back = _BACK[stage.gradient_state] if stage.output.requires_grad else "not tracked"
    return f'<div class="dl-stage{mark}">↓ {name}<code>{escape(stage.operation)}</code> {shape} · {back}{cut}</div>'


def _calls(record: StepData) -> Iterator[str]:
    yield f'<h4>Calls</h4><div><input aria-label="Filter calls" placeholder="filter" oninput="{escape(_FILTER)}">'
    yield "<table><thead><tr><th>#<th>call<th>module<th>shape<th>grad_fn<th>back<th>line</tr></thead><tbody>"
    for s in record.stages:
        yield (
            f"<tr><td>{s.index}<td><code>{escape(s.operation)}</code><td>{escape(s.module)}"
            f"<td>{escape(str(list(s.output.shape)))}<td>{escape(s.output.grad_fn or '')}<td>{s.gradient_state}"
            f"<td>{_place(s.location)}</tr>"
        )
    yield "</tbody></table></div>"


def _place(location: Location | None) -> str:
    return (
        ""
        if location is None
        else f"<code>{escape(str(location))}</code> <code>{escape(location.text)}</code>"
    )


def _code(text: str) -> str:
    """Escaped text with `backticks` as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
