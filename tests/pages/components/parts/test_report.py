"""The report's tables and its picture, on the fault that each rule tells of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.recorder.record_file import record_file
from engine.recorder.render.coverage_page import source_html
from engine.recorder.render.groups import buffer_rows, parameter_rows
from engine.recorder.render.html import cut_row, templates
from engine.recorder.rule import Rule
from engine.recorder.rules import all_rules
from pages.components.parts import report


@pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if "`" in rule.title + rule.what], ids=lambda rule: rule.kind
)
def test_code_in_a_sentence_is_shown_as_code(rule: Rule, tmp_path: Path) -> None:
    file = tmp_path / "step.py"
    file.write_text(rule.bad, encoding="utf-8")
    step = record_file(str(file), calls=rule.calls)
    folder = templates(Path(report.__file__).with_name("templates"))
    shown = [
        folder.get_template("report_parameters.html").render(
            label="Parameters", rows=parameter_rows(step), buffers=buffer_rows(step.buffers)
        ),
        folder.get_template("report_cuts.html").render(
            label="Cuts", rows=[cut_row(cut, step) for cut in step.cuts]
        ),
        report.picture_html(step),
        source_html(step),
    ]
    own_words = re.sub(r"<code>.*?</code>", "", "".join(shown), flags=re.DOTALL)
    assert "`" not in own_words
