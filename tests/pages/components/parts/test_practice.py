"""The reference table and the finite differences as a page shows them, each in a script of its own."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from engine.evidence.finite_differences import compare
from engine.evidence.reference import reference_table
from engine.evidence.seeds import over_seeds
from engine.settings import Settings
from engine.text import number_text
from tests.pages.test_pages import html, opened, text


def the_reference() -> None:
    from pages.components.parts.reference import show_reference

    show_reference()


def the_differences(experiment: str = "lesson", epochs: int = 4, epoch: int = 4) -> None:
    from engine.serving.results import trace_of
    from engine.settings import Settings
    from pages.components.parts.differences import show_differences

    settings = Settings(experiment, epochs=epochs)
    show_differences(settings, epoch, trace_of(settings))


def differences(**kwargs: object) -> AppTest:
    return AppTest.from_function(the_differences, default_timeout=60, kwargs=kwargs).run()


@pytest.fixture(scope="module")
def reference() -> AppTest:
    return AppTest.from_function(the_reference, default_timeout=60).run()


def test_the_reference_has_a_row_and_a_script_for_each_way(reference: AppTest) -> None:
    assert not reference.exception
    (table,) = html(reference)
    rows = re.findall(r'<tr><th scope="row"[^>]*><code[^>]*>(.*?)</code></th>(.*?)</tr>', table)
    assert [name for name, _ in rows] == [row.line for row in reference_table()]
    assert [expander.label for expander in reference.expander] == [
        f"`{row.line}`" for row in reference_table()
    ]
    assert [code.value for code in reference.code] == [row.code.rstrip() for row in reference_table()]


def test_the_reference_table_can_be_reached_by_keyboard_and_has_headed_columns(reference: AppTest) -> None:
    (table,) = html(reference)
    assert re.search(r'class="scroll" tabindex="0" role="group" aria-label="[^"]+"', table)
    columns = table.count('<th scope="col"')
    for _, cells in re.findall(r'<tr>(<th scope="row".*?</th>)(.*?)</tr>', table):
        assert cells.count("<td") == columns - 1


def test_each_cell_says_what_the_row_measured(reference: AppTest) -> None:
    (table,) = html(reference)
    notes = dict(enumerate(re.findall(r"<li>(.*?)</li>", table), start=1))
    shown = re.findall(r'<tr><th scope="row".*?</th>(.*?)</tr>', table)
    for row, found in zip(reference_table(), shown, strict=True):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", found)
        assert cells[1] == ("shared" if row.shares_memory else "its own")
        assert cells[2:4] == (
            ["no tensor"] * 2 if row.requires_grad is None else [str(row.requires_grad), str(row.grad_fn)]
        )
        for cell, came in zip(
            cells[4:], (row.gradient_through, row.before, row.edit.came, row.after), strict=True
        ):
            if came.refusal is not None:
                number = re.search(r"raises \((\d)\)", cell)
                assert number
                assert notes[int(number[1])] == came.refusal.replace("'", "&#x27;")
            else:
                assert cell.endswith(came.text)
        assert ("⚠" in found) == (row.edit.kind == "silently wrong")
        assert ("edit raises" in found) == (row.edit.kind == "raises when edited")


def test_with_the_lessons_detach_the_refusal_stands_beside_the_real_slopes() -> None:
    app = differences()
    assert not app.exception
    found = compare(Settings(epochs=4), "linear.weight", 4)
    assert found.differences is not None
    assert [info.value for info in app.info] == [found.sentence]
    none, slopes = html(app)
    assert "None: backward() raised: “element 0 of tensors does not require grad" in none
    size = abs(found.differences).max()
    for slope in found.differences.flat:
        assert f">{number_text(slope, beside=size)}</td>" in slopes


def test_without_the_detach_the_two_agree() -> None:
    app = differences()
    app.radio[0].set_value("without the detach").run()
    assert not app.exception
    autograd, slopes, apart = html(app)
    assert re.findall(r"<td.*?</td>", autograd) == re.findall(r"<td.*?</td>", slopes)
    assert "agree at all 6 elements" in app.info[0].value
    assert all(abs(float(number)) < 1e-8 for number in re.findall(r"<td style[^>]*>([^<]+)</td>", apart))


def test_another_parameter_and_another_experiment() -> None:
    app = differences()
    app.selectbox[0].set_value("linear.bias").run()
    assert not app.exception
    assert "`linear.bias`" in app.info[0].value
    app = differences(experiment="classifier", epochs=2, epoch=2)
    assert not app.exception
    assert app.selectbox[0].options[0] == "hidden_1.weight"
    assert "no gradient came" in html(app)[0]
    app.selectbox[0].set_value("output.bias").run()
    assert "agree at all 3 elements" in text(app)


def test_all_that_is_assumed_is_written_below() -> None:
    (caption,) = (caption.value for caption in differences().caption)
    for words in ("float64", "epoch 4", "h = 1e-05", "jumps or bends"):
        assert words in caption


def test_several_seeds_are_asked_when_the_reader_wants_it_each_a_dot_and_a_number() -> None:
    query = {"experiment": "td_target", "epochs": 30}
    assert "Of 6 seeds" not in text(opened("pages/detach_in_practice.py", **query))
    app = opened("pages/detach_in_practice.py", **query, seeds="shown")
    assert not app.exception
    found = over_seeds(Settings("td_target", epochs=30))
    assert found.sentence in [said.value for said in app.markdown]
    assert found.numbers in [said.value for said in app.caption]
    charts = [chart for chart in app.get("vega_lite_chart") if "datum.seed" in chart.proto.spec]
    assert len(charts) == 1
    (dots,) = [data for data in charts[0].proto.datasets if data.name == "rows"]
    rows = pa.ipc.open_stream(dots.data.data).read_all().to_pydict()
    assert sorted(rows["end"]) == sorted(end for pair in found.ends for end in pair)


def test_seeds_are_not_offered_where_the_twins_end_alike() -> None:
    app = opened("pages/detach_in_practice.py", experiment="frozen_backbone", seeds="shown")
    assert not app.exception
    assert not [toggle for toggle in app.toggle if "seeds" in toggle.label]
