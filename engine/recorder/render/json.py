"""The report as plain data: the contract that tools and checks read (`--format json`).

`report.schema.json` beside this file is its JSON Schema, and a test holds the two together. `schema_version` is that of
the contract: its first number changes where a key is renamed, removed or means something else, its second where one is
added.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ..record import Location, RankRecord, StepData

SCHEMA_VERSION = "1.1"


def to_dict(record: StepData) -> dict[str, Any]:
    """The contract's keys: schema_version, ok, verdict, raised, parameters, cuts, findings, growing; loss, backwards, notes, buffers.

    Where the report is about several ranks there is `ranks` as well.
    """
    raised = record.raised
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": record.ok,
        "verdict": record.verdict,
        "loss": record.loss,
        "raised": None
        if raised is None
        else {"type": raised.type, "message": raised.message, "stage": raised.stage, **_where(raised.location)},
        "parameters": [
            {
                "name": p.name, "state": p.state, "reason": p.reason, **_where(p.location),
                "in_optimizer": p.in_optimizer, "requires_grad": p.requires_grad,
                "paths": [
                    {"lines": [_where(line) for line in path.lines], "operations": list(path.operations)}
                    for path in p.paths
                ],
            }
            for p in record.parameters
        ],
        "cuts": [
            {
                "kind": c.kind, "title": c.title, **_where(c.location), "text": c.location.text if c.location else "",
                "starved": list(c.starved), "intended": c.intended, "partial": list(c.partial),
                "possible": c.possible, "why": c.why,
            }
            for c in record.cuts
        ],
        "findings": [
            {
                "kind": f.kind, "title": f.title, "severity": f.severity, "rule": f.rule,
                **_where(f.location), "names": list(f.names), "text": f.text,
                "suggestion": f.suggestion,
            }
            for f in record.findings
        ],
        "backwards": [
            {"loss": run.loss, **_where(run.location), "reached": list(run.reached)}
            for run in record.backwards
        ],
        "growing": list(record.growing),
        "notes": list(record.notes),
        "buffers": [b.name for b in record.buffers],
        **({"ranks": [_rank(rank) for rank in record.ranks]} if record.ranks else {}),
    }  # fmt: skip


def _rank(rank: RankRecord) -> dict[str, Any]:
    return {
        "rank": rank.rank, "end": rank.end, "text": rank.text, **_where(rank.location),
        "unused": list(rank.unused), "shown": rank.shown,
    }  # fmt: skip


def to_json(record: StepData, indent: int | None = 2) -> str:
    """`to_dict` as JSON text; numbers that JSON can't hold (an infinite loss) become null."""
    plain = to_dict(record)
    for one in (plain, *plain["backwards"]):
        if one["loss"] is not None and not math.isfinite(one["loss"]):
            one["loss"] = None
    return json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False)


def _where(location: Location | None) -> dict[str, Any]:
    return {
        "file": None if location is None else location.file,
        "line": None if location is None else location.line,
    }
