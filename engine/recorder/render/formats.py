"""One report in each of its forms: `--format text|json|github|sarif|html`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...forms import Form
from ..record import StepData
from .coverage_page import to_page
from .github import to_github
from .json import to_json
from .sarif import to_sarif
from .text import to_text


def report_as(record: StepData, form: Form) -> str:
    """The report in a form, ending with a newline."""
    return FORMS_OF[form](record).rstrip("\n") + "\n"


FORMS_OF: Mapping[Form, Callable[[StepData], str]] = {
    "text": to_text,
    "json": to_json,
    "github": to_github,
    "sarif": to_sarif,
    "html": to_page,
}
