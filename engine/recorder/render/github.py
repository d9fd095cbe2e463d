"""The report as GitHub's workflow commands, which put a warning on the line in a pull request.

The runner reads them from what a job prints. They are written as the documentation of workflow commands says: in a
message `%`, CR and LF are escaped, in a property `:` and `,` as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..record import Finding, Location, StepData
from .places import in_repository
from .words import UNUSED


def to_github(record: StepData) -> str:
    """One annotation for each finding and note, and the verdict in a line of the log."""
    return "\n".join([*_annotations(record), f"Detach Lab: {_one_line(record.verdict)}"]) + "\n"


def _annotations(record: StepData) -> Iterator[str]:
    for finding in record.findings:
        level = "warning" if finding.severity == UNUSED.text else "error"
        yield command(level, _message(finding), finding.title, finding.location)
    raised = record.raised
    if raised is not None and not record.findings:
        yield command(
            "error", f"{raised.type}: {raised.message}", f"The {raised.where} raised", raised.location
        )
    for rank in record.ranks:
        if rank.end == "waits":
            level = "error" if record.hangs else "notice"
            yield command(level, rank.sentence, f"Rank {rank.rank} waits", rank.location)
    for note in record.notes:
        yield command("notice", note, "Detach Lab", None)


def _message(finding: Finding) -> str:
    return f"{finding.text}\nInstead: {finding.suggestion}" if finding.suggestion else finding.text


def command(level: str, message: str, title: str, at: Location | None) -> str:
    """`::error file=…,line=…,title=…::message`; a line outside of the repository is told in the message."""
    properties = {"title": title}
    if at is not None:
        file = in_repository(at.file)
        if file is None:
            message = f"{at}: {message}"
        else:
            properties = {"file": file, "line": str(at.line), **properties}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _one_line(text: str) -> str:
    return " ".join(text.split())
