"""The verdict: one sentence with the file, the line and the line's text."""

from __future__ import annotations

from engine.recorder.records import Cut, Finding, Raised

_FED = "every parameter that should learn gets its gradient."
FINE = f"Nothing is wrong here: {_FED}"


def verdict_of(
    findings: tuple[Finding, ...], raised: Raised | None, cuts: tuple[Cut, ...], notes: tuple[str, ...] = ()
) -> str:
    """What is wrong and where, or that nothing is."""
    if findings:
        worst = findings[0]
        more = f" ({len(findings) - 1} more below)" if len(findings) > 1 else ""
        where = f"{worst.location}, `{worst.location.text}`: " if worst.location is not None else ""
        return f"{where}{worst.text.splitlines()[0]}{more}"
    if raised is not None:
        where = f"{raised.location}, `{raised.location.text}`: " if raised.location is not None else ""
        return f"{where}the {raised.stage} raised {raised.type}: {raised.message.splitlines()[0] if raised.message else ''}"
    meant = sum(cut.intended for cut in cuts)
    said = [f"No gradient is lost here: {_FED}" if notes else FINE, *notes]
    if meant:
        said.append(f"{meant} cut{'s' if meant > 1 else ''} on the way, meant as far as can be told.")
    return " ".join(said)
