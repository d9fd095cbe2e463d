"""Every page with every experiment, run as streamlit runs it but without a browser."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from engine import Settings
from engine.experiments import experiment_names
from engine.quiz import prove, questions, rounds
from engine.serving.results import swept
from engine.settings import places
from pages.components.draw.twins import WITH, WITHOUT
from pages.components.shell.menu import PAGES
from pages.components.shell.view import View

PATHS = [page.path for page in PAGES]
BY_PLACE = ("pages/data_flow.py", "pages/training_trace.py", "pages/detach_in_practice.py")
BY_EXPERIMENT = (*BY_PLACE, "streamlit_app.py", "pages/prediction_trace.py")


def settings_of(path: str) -> list[tuple[str, str]]:
    """The experiments and places that change what a page shows."""
    if path not in BY_EXPERIMENT:
        return [("lesson", "linear")]
    firsts = [(name, Settings(name).detach) for name in experiment_names()]
    if path not in BY_PLACE:
        return firsts
    return [*firsts, *((n, p) for n in ("lesson", "classifier") for p in places(n) if (n, p) not in firsts)]


EVERY = [(path, *settings) for path in PATHS for settings in settings_of(path)]


pytestmark = pytest.mark.usefixtures("forks")


def opened(path: str, **query: object) -> AppTest:
    """The page at `path`, opened by a link with that query."""
    app = AppTest.from_file("../../streamlit_app.py", default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = str(value)
    if path != "streamlit_app.py":
        app.switch_page(path)
    return app.run()


def text(app: AppTest) -> str:
    """Everything on the page that is text."""
    kinds = (
        "title",
        "header",
        "subheader",
        "markdown",
        "caption",
        "code",
        "info",
        "warning",
        "error",
        "success",
    )
    parts = [str(getattr(element, "value", "")) for kind in kinds for element in app.get(kind)]
    return "\n".join([*parts, *html(app)])


def html(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


@pytest.mark.parametrize(("path", "experiment", "place"), EVERY)
def test_every_page_shows_every_experiment(path: str, experiment: str, place: str) -> None:
    app = opened(path, experiment=experiment, detach=place, epochs=4)
    assert not app.exception
    assert not app.warning
    assert app.title
    assert app.selectbox(key="detach").value == place
    shown: View = app.session_state["kept view"]
    assert (shown.settings.experiment, shown.settings.detach) == (experiment, place)


VALUES = st.sampled_from(["nan", "inf", "1e400", "-1", "", "x" * 10_000, "<script>", "0.5"]) | st.text(
    max_size=40
)
CHEAP = {"epochs": st.sampled_from(["1", "3", "0", "nan", "-7", "2.5", "٣", "x"])}
QUERIES = st.fixed_dictionaries(
    CHEAP,
    optional={
        key: VALUES
        for key in (*View.of(Settings()).query(), "sample", "answers", "round", "zzz")
        if key != "epochs"
    },
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(PATHS), QUERIES)
def test_no_link_brings_a_page_down(path: str, query: dict[str, str]) -> None:
    app = opened(path, **query)
    assert not app.exception
    assert app.title
    assert len(app.warning) <= 1


def test_a_bad_link_is_named_in_one_line_until_something_is_changed() -> None:
    app = opened("pages/data_flow.py", epochs="nan", lr="7", what="ever")
    assert [w.value for w in app.warning] == [
        "Ignored in the link: epochs = “nan” (allowed: 1 to 500; shown instead: 5); lr = “7” (allowed: 0.0001 to 1 in the "
        "slider's steps; shown instead: 1); unknown what."
    ]
    app.slider(key="epochs").set_value(6).run()
    assert not app.warning
    assert app.slider(key="epochs").value == 6
    assert app.select_slider(key="learning_rate").value == 1.0


def numbers(table: str) -> list[float]:
    return [float(n) for n in re.findall(r"<td style[^>]*>([^<]+)</td>", table)]


def test_every_printed_number_of_the_lesson_is_on_the_data_flow() -> None:
    found = [
        (re.search(r"<caption>(.*?) <small>", t), numbers(t)) for t in html(opened("pages/data_flow.py"))
    ]
    tables = [(caption[1], values) for caption, values in found if caption]
    captions, values = zip(*[one for one in tables if one[0].startswith("Values forward")], strict=True)
    assert captions == ("Values forward", "Values forward", "Values forward, detached", "Values forward")
    inputs, outputs, detached, loss = values
    assert inputs == [float(n) for n in range(1, 13)]
    assert [round(n, 1) for n in outputs] == [0.5, 1.2, 1.1, 2.3, 1.7, 3.4, 2.3, 4.5]
    assert detached == outputs
    assert [round(n, 2) for n in loss] == [0.25]
    assert ("Also in: targets", [0.3, 1.8, 0.7, 3.1, 1.3, 4.0, 2.1, 5.0]) in tables


def test_every_printed_number_of_the_lesson_is_in_the_training_trace() -> None:
    app = opened("pages/training_trace.py")
    for twin, losses in (
        ("without detach", [0.85, 0.60, 0.40, 0.25, 0.15]),
        ("with detach", [0.85] * 5),
    ):
        app.session_state["twin of the epochs"] = twin
        (table,) = [t for t in html(app.run()) if "Observation" in t]
        rows = re.findall(r"<tr><td>(\d+)</td><td>([\d.]+)</td><td>(N/A)</td>", table)
        assert [int(epoch) for epoch, _, _ in rows] == [1, 2, 3, 4, 5]
        assert [round(float(loss), 2) for _, loss, _ in rows] == losses
    assert "does not require grad and does not have a grad_fn" in text(opened("pages/data_flow.py"))


def test_the_prediction_trace_writes_out_the_lessons_arithmetic() -> None:
    app = opened("pages/prediction_trace.py")
    lines = [code.value for code in app.code]
    assert "1  2  3" in lines
    assert any(re.search(r"out\[0\] = 1 × \(-0\.\d+\) \+ 2 × .* = 0\.49", line) for line in lines)
    assert any("= 1.21" in line for line in lines)


def test_each_card_of_the_prediction_trace_names_its_twin() -> None:
    app = opened("pages/prediction_trace.py")
    named = [caption.value for caption in app.caption if caption.value in (WITHOUT, WITH)]
    assert named == [WITHOUT, WITH] * 4
    assert len(re.findall(r"^\*\*\d\.", text(app), re.MULTILINE)) == len(named)


@pytest.mark.parametrize(
    "path", ["streamlit_app.py", "pages/training_trace.py", "pages/detach_in_practice.py"]
)
def test_without_a_detach_no_twin_is_named_after_it(path: str) -> None:
    shown = text(opened(path, experiment="classifier", detach="nowhere"))
    assert "with detach" not in shown.lower()
    assert path == "streamlit_app.py" or "without detach, once more" in shown.lower()


def test_the_open_tab_of_a_twin_whose_name_changes_leaves_one_table_open() -> None:
    app = opened("pages/training_trace.py", experiment="classifier")
    app.session_state["twin of the epochs"] = "with detach"
    app.selectbox(key="detach").set_value("nowhere").run()
    assert not app.exception
    assert sum("Observation" in table for table in html(app)) == 1


def test_a_moved_slider_reaches_the_chart_and_the_link() -> None:
    app = opened("pages/training_trace.py")
    app.slider(key="epochs").set_value(7).run()
    assert not app.exception
    assert "7" in app.query_params["epochs"]
    assert "Loss over 7 epochs" in text(app)


def test_settings_are_kept_across_pages() -> None:
    app = opened("streamlit_app.py", experiment="classifier", detach="hidden_1", epochs="9")
    app.switch_page("pages/training_trace.py").run()
    assert app.slider(key="epochs").value == 9
    assert app.selectbox(key="detach").value == "hidden_1"


def test_another_experiment_brings_its_own_settings_and_reset_brings_the_lesson_back() -> None:
    app = opened("pages/data_flow.py", epochs="9")
    app.selectbox(key="experiment").set_value("classifier").run()
    assert app.slider(key="epochs").value == Settings(experiment="classifier").epochs
    next(b for b in app.button if b.label == "Reset to the lesson").click().run()
    assert app.selectbox(key="experiment").value == "lesson"
    assert app.slider(key="epochs").value == 5


def test_an_instructors_link_hides_the_controls_and_keeps_the_menu() -> None:
    app = opened("pages/data_flow.py", controls="hidden", epochs="3")
    assert not app.exception
    assert not list(app.sidebar.slider)
    assert "epochs" not in [s.key for s in app.slider]


def test_a_stopped_training_says_so_and_can_be_taken_up() -> None:
    app = AppTest.from_file("../../streamlit_app.py", default_timeout=60)
    app.query_params["epochs"] = "317"
    app.session_state["stopped training"] = Settings(epochs=317)
    app.run()
    assert any("stopped" in i.value for i in app.info)
    next(b for b in app.button if b.label == "Resume the training").click().run()
    assert "What its training shows" in [h.value for h in app.header]


def test_a_round_of_the_quiz_is_graded_by_its_proofs() -> None:
    app = opened("pages/quiz.py")
    for _ in range(3):
        radio = next(r for r in app.main.radio if r.label == "Your prediction")
        radio.set_value(2).run()
        next(b for b in app.button if b.label == "Let torch run the proof" and not b.disabled).click().run()
        assert not app.exception
    right = sum(prove(question).right == 2 for question in rounds()[0])
    assert 0 < right < 3
    assert f"Round 1: {right} of 3 right at the first try" in text(app)
    assert [s.value for s in app.success] == ["Right."] * right
    assert "".join(app.query_params["answers"]).startswith("333")


@pytest.mark.parametrize("number", range(1, len(rounds()) + 1, 3))
def test_every_round_shows_every_proof(number: int) -> None:
    app = opened("pages/quiz.py", round=number, answers="1" * len(questions()))
    app.button(key="put off").click().run()  # what was wrong in an earlier visit
    assert not app.exception
    for question in rounds()[number - 1]:
        assert question.snippet.strip() in [code.value.strip() for code in app.code]
        for option in question.options:
            assert option.explanation in text(app)


def test_the_sweep_is_computed_when_asked_for_and_stands_in_the_link() -> None:
    app = opened("pages/training_trace.py", optimizer="sgd", epochs="60")
    assert "Divergence starts" not in text(app)
    app.toggle(key="sweep").set_value(True).run()
    assert not app.exception
    assert app.query_params["sweep"] in ("shown", ["shown"])
    said = text(app)
    assert "Divergence starts between the rates 0.0122 and 0.01265." in said
    assert "2 / λ = **0.01228**" in said
    assert "It lies between the two rates" in said
    assert "it stays at 0.8523 at every rate" in said
    app.select_slider(key="learning_rate").set_value(0.01).run()
    assert "The chosen learning rate is 0.01." in text(app)
    app.toggle(key="sweep").set_value(False).run()
    assert "Divergence starts" not in text(app)
    assert "sweep" not in app.query_params


def test_a_stopped_sweep_says_so_and_leaves_the_rest_of_the_page() -> None:
    app = AppTest.from_file("../../streamlit_app.py", default_timeout=60)
    app.query_params.update({"epochs": "6", "sweep": "shown"})
    app.session_state["stopped sweep"] = swept(Settings(epochs=6))
    app.switch_page("pages/training_trace.py").run()
    assert any("sweep was stopped" in i.value for i in app.info)
    assert "Epoch by epoch" in [h.value for h in app.header]
    next(b for b in app.button if b.label == "Resume the sweep").click().run()
    assert "the best rate is" in text(app)


def test_a_step_with_two_losses_is_drawn_in_two_parts_and_each_says_what_it_lost() -> None:
    app = opened("pages/data_flow.py", experiment="gan")
    said = text(app)
    assert "pass 1 of 2 (line" in said
    lost = re.search(r"pass 1 of 2.*?: 4 of 8 parameters lost their gradient \((.*?)\);", said)
    assert lost
    assert lost[1].count("generator.") == 4
    assert re.search(r"pass 2 of 2 \(line \d+\): no parameter lost its gradient", said)
    first = [header.value for header in app.header]
    second = app.main.selectbox[0].options[1]
    app.main.selectbox[0].set_value(second).run()
    assert "loss_generator.backward()" in second
    assert [header.value for header in app.header] != first
    home = opened("streamlit_app.py", experiment="gan")
    assert not [body for body in html(home) if 'class="pipeline"' in body]
    home.session_state["picture in words"] = True
    words = [body for body in html(home.run()) if 'class="pipeline"' in body]
    assert ["softplus" in body.lower() for body in words] == [True, True]


@pytest.mark.parametrize(
    ("experiment", "verdict", "curve"),
    [
        ("gan", "wasted work", "Loss over"),
        ("simsiam", "learns something else", "Spread of the embeddings"),
        ("kept_losses", "leak", "Bytes held after the epoch"),
        ("truncated_bptt", "error", "Loss over"),
    ],
)
def test_a_pattern_starts_with_its_verdict_and_the_curve_that_shows_it(
    experiment: str, verdict: str, curve: str
) -> None:
    app = opened("pages/detach_in_practice.py", experiment=experiment, epochs=6)
    assert not app.exception
    first = app.main.header[0].value
    assert re.fullmatch(rf"Verdict: :\w+-badge\[{verdict}\]", first)
    curves = [chart.proto.spec for chart in app.get("vega_lite_chart")]
    assert curve in curves[0]
    assert sum(curve in spec for spec in curves) == 1
    (folded,) = [fold for fold in app.expander if fold.label.startswith("What an epoch costs")]
    (table,) = [element.proto.body for element in folded.get("html")]
    assert "Bytes saved for the backward pass" in table
    assert " ms<" not in table


def test_the_codebooks_terms_say_what_each_of_them_moves() -> None:
    app = opened("pages/detach_in_practice.py", experiment="vq_codebook", epochs=5)
    (table,) = [body for body in html(app) if "What each term of the loss moves" in body]
    rows = re.findall(r'<th scope="row">(.*?), with detach</th>(.*?)</tr>', table)
    moved = [re.findall(r"<td>(.)", cells) for _, cells in rows]
    assert re.findall(r'scope="col">(\w+)<', table) == ["encoder", "codebook", "decoder"]
    assert moved == [["✔", "✕", "✔"], ["✕", "✔", "✕"], ["✔", "✕", "✕"]]


def test_the_reference_table_is_run_when_it_is_asked_for_and_stands_in_the_link() -> None:
    app = opened("pages/detach_in_practice.py", epochs=5)
    assert not [body for body in html(app) if "Reference table" in body]
    app.toggle(key="reference").set_value(True).run()
    assert [body for body in html(app) if "Reference table" in body]
    assert app.query_params["reference"] == "shown"


@pytest.mark.parametrize(
    ("experiment", "options"), [("truncated_bptt", {"chunk": "4"}), ("gan", {"fakes": "reused"})]
)
def test_a_run_that_raises_in_both_twins_has_the_rest_of_its_page(
    experiment: str, options: dict[str, str]
) -> None:
    app = opened("pages/training_trace.py", experiment=experiment, detach="nowhere", epochs=4, **options)
    assert not app.exception
    assert "neither twin has a loss" in text(app)
    assert "no optimizer used" in text(app)
    assert "None, not 0" not in text(app)
    assert "Epoch by epoch" in [header.value for header in app.header]


def test_a_sample_past_the_last_is_said_and_the_link_corrected() -> None:
    app = opened("pages/prediction_trace.py", sample=9)
    assert "There are 4 samples; sample 4 is shown instead of 9." in text(app)
    assert app.query_params["sample"] in ("4", ["4"])
