"""The report as SARIF 2.1.0, the form in which code scanners hand their results to editors and code hosts.

The rules come from the rules' own files. A result stands on the line that the finding names; beside it stand the lines
from which no gradient returns to those who starve by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...version import __version__
from ..record import Finding, Location, Raised, StepData
from ..rule import Rule
from ..rules import all_rules
from .coverage import KINDS, Coverage, coverage_of
from .places import uri_of
from .words import UNUSED

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RELATED = 20
"""Lines that are told beside a result."""


def to_sarif(record: StepData) -> str:
    """The report as one SARIF log of one run."""
    return json.dumps(sarif_log(record), indent=2, ensure_ascii=False)


def sarif_log(record: StepData) -> dict[str, Any]:
    """The same as plain data."""
    rules = all_rules()
    driver = {
        "name": "Detach Lab",
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    number = {rule.name: index for index, rule in enumerate(rules)}
    coverage = coverage_of(record)
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": record.ran,
                "toolExecutionNotifications": list(_notifications(record)),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, number[finding.rule], coverage) for finding in record.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    examples = f"With the fault:\n\n{rule.bad.strip()}\n\nWithout it:\n\n{rule.good.strip()}"
    fenced = f"With the fault:\n\n```python\n{rule.bad.strip()}\n```\n\nWithout it:\n\n```python\n{rule.good.strip()}\n```"
    return {
        "id": rule.name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": f"{rule.what[:1].upper()}{rule.what[1:]}. {rule.why}"},
        "help": {
            "text": f"Instead: {rule.instead}\n\n{examples}",
            "markdown": f"**Instead:** {rule.instead}\n\n{fenced}",
        },
        "defaultConfiguration": {"level": _level(rule.severity.word)},
        "properties": {"kind": rule.kind, "tags": ["gradient", "pytorch"]},
    }


def _level(severity: str) -> str:
    return "warning" if severity == UNUSED.text else "error"


def _result(finding: Finding, index: int, coverage: Coverage) -> dict[str, Any]:
    text = f"{finding.text}\n\nInstead: {finding.suggestion}" if finding.suggestion else finding.text
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "kind": "fail",
        "level": _level(finding.severity),
        "message": {"text": text},
        "partialFingerprints": {"finding/v1": _fingerprint(finding)},
    }
    place = {
        **_physical(finding.location),
        "logicalLocations": [{"fullyQualifiedName": name, "kind": "variable"} for name in finding.names],
    }
    result["locations"] = [place]
    if related := list(_related(finding, coverage)):
        result["relatedLocations"] = related
    return result


def _related(finding: Finding, coverage: Coverage) -> Iterator[dict[str, Any]]:
    """The lines from which no gradient returns to those who starve."""
    wanted = set(finding.names)
    lines = (
        (file.file, line)
        for file in coverage.files
        for line in file.lines
        if line.kind in ("lost", "zeros") and wanted & set(coverage.names(line.starves))
    )
    for number, (file, line) in zip(range(_RELATED), lines, strict=False):
        at = Location(file, line.number, line.text)
        yield {"id": number, **_physical(at), "message": {"text": f"The gradient {KINDS[line.kind].text}."}}


def _physical(at: Location | None) -> dict[str, Any]:
    uri = None if at is None else uri_of(at.file)
    if at is None:
        return {}
    if uri is None:
        return {"message": {"text": f"{at}: {at.text.strip()}"}}
    artifact = {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
    region: dict[str, Any] = {"startLine": at.line}
    if at.text:
        region["snippet"] = {"text": at.text}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _fingerprint(finding: Finding) -> str:
    """Stays the same where the lines above change."""
    at = finding.location
    parts: Iterable[str] = (
        finding.rule,
        *((uri_of(at.file) or at.file, at.text.strip()) if at else ()),
        *finding.names,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _notifications(record: StepData) -> Iterator[dict[str, Any]]:
    if record.raised is not None:
        yield _exception(record.raised)
    for rank in record.ranks:
        if rank.end not in ("recorded", "raised"):
            level = "error" if rank.end == "waits" and record.hangs else "note"
            at = {"locations": [_physical(rank.location)]} if rank.location is not None else {}
            yield {"level": level, "message": {"text": rank.sentence}, **at}
    for note in record.notes:
        yield {"level": "note", "message": {"text": note}}


def _exception(raised: Raised) -> dict[str, Any]:
    told: dict[str, Any] = {
        "level": "error",
        "message": {"text": f"The {raised.where} raised {raised.type}: {raised.message}"},
        "exception": {"kind": raised.type, "message": raised.message},
    }
    if where := _physical(raised.location):
        told["locations"] = [where]
    return told
