"""The contract of the bank: every question, present and future, is walked by each of these tests."""

import ast
import importlib
import operator
import pkgutil
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
import torch

from engine import record
from engine.quiz import Level, Proof, Question, Topic, prove, question, questions, round_of, rounds
from engine.quiz.finding import LARGEST_ROUND

# The lesson's own loop has its samples, weights and targets; to count saved tensors takes a function of its own.
LONGEST = {"loss-with-the-detach": 18, "logged-before-or-after": 16, "running-average": 15}
# What a script of the first two levels may take from below `torch`: each is in torch's documentation.
DOCUMENTED = ("torch.nn", "torch.nn.functional", "torch.optim", "torch.autograd", "torch.autograd.graph")

pytestmark = [
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf"),
    pytest.mark.filterwarnings(
        "ignore:None of the inputs have requires_grad=True"
    ),  # what a question is about
]
walk_every_question = pytest.mark.parametrize("q", questions(), ids=lambda q: q.name)


def assigned_names(node: ast.Assign | ast.AugAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


@walk_every_question
def test_exactly_one_option_is_proved_right(q: Question) -> None:
    proof = prove(q)
    assert proof.answer == q.options[proof.right].answer
    assert [o.answer for o in q.options].count(proof.answer) == 1
    assert proof.output


@walk_every_question
def test_the_words_are_all_there_and_all_different(q: Question) -> None:
    assert len(q.options) == 4
    for words in ([o.text for o in q.options], [o.explanation for o in q.options]):
        assert len({text.strip() for text in words} - {""}) == 4
    assert len({repr(o.answer) for o in q.options}) == 4
    assert q.topic in Topic
    assert q.step >= 1
    assert len(q.prompt) > 20
    for text in (q.prompt, *(o.text for o in q.options), *(o.explanation for o in q.options)):
        assert text == " ".join(text.split())
        assert text.count("`") % 2 == 0
        assert "—" not in text
        assert "*" not in "".join(text.split("`")[::2]), "a star outside of code would be read as markdown"


@walk_every_question
def test_the_script_is_short_plain_torch(q: Question) -> None:
    lines = [line for line in q.snippet.splitlines() if line.strip()]
    assert lines[0] == "import torch"
    assert 3 <= len(lines) <= LONGEST.get(q.name, 14)
    assert max(map(len, lines)) <= 100
    tree = ast.parse(q.snippet)
    imports = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert imports in (["import torch"], ["import torch", "import weakref"])
    assert "print(" in q.snippet


def dotted(node: ast.expr) -> str:
    """`torch.nn.functional` of the expression that says so; "" where no plain name stands at its start."""
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def undocumented(script: str) -> set[str]:
    """What a script uses of torch's inner life: private names, the graph's own edges, `.data`, unlisted modules."""
    attributes = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Attribute)]
    inner = {node.attr for node in attributes if node.attr in ("next_functions", "data", "name", "metadata")}
    private = {node.attr for node in attributes if node.attr.startswith("_") and node.attr != "__name__"}
    modules = {path for node in attributes if (path := dotted(node.value)).startswith("torch.")}
    unlisted = {
        m for m in modules - set(DOCUMENTED) if isinstance(operator.attrgetter(m[6:])(torch), ModuleType)
    }
    return inner | private | unlisted


@walk_every_question
def test_the_first_two_levels_use_documented_torch_alone(q: Question) -> None:
    allowed = {"data"} if q.name == "data-attribute" else set()
    if q.level < Level.RESEARCH:
        assert undocumented(q.snippet) == allowed


@walk_every_question
def test_no_script_teaches_to_update_through_data(q: Question) -> None:
    assigned = [n for n in ast.walk(ast.parse(q.snippet)) if isinstance(n, (ast.Assign, ast.AugAssign))]
    targets = [t for n in assigned for t in (n.targets if isinstance(n, ast.Assign) else [n.target])]
    assert not any(isinstance(t, ast.Attribute) and t.attr == "data" for t in targets)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("loss.grad_fn.next_functions", {"next_functions"}),
        ("w.data -= 0.1 * w.grad", {"data"}),
        ("w._version", {"_version"}),
        ("torch.utils.weak.TensorWeakRef(w)", {"torch.utils", "torch.utils.weak"}),
        ("torch.nn.functional.relu(w).grad_fn is None and w.is_leaf", set()),
    ],
)
def test_undocumented_torch_would_be_found(script: str, found: set[str]) -> None:
    assert undocumented(script) == found


@walk_every_question
def test_a_wrong_option_says_what_was_mixed_up(q: Question) -> None:
    for index, option in enumerate(q.options):
        assert len(option.explanation.split()) >= 8
        if index != prove(q).right:
            assert not option.explanation.startswith(("Swapped", "Turned round", "Wrong"))


@pytest.mark.parametrize("q", [q for q in questions() if q.picture], ids=lambda q: q.name)
def test_a_picture_is_of_a_run_that_can_be_recorded(q: Question) -> None:
    assert q.picture is not None
    step = record(q.picture)
    assert 2 <= len(step.stages) <= 30, "a picture beside a question is small"
    assert any(cut.kind == "detach" for cut in step.cuts) == (q.picture.detach != "nowhere")


@walk_every_question
def test_the_answer_is_measured(q: Question) -> None:
    """Whatever sets `answer` looks at a name or calls something; a bare literal would be an answer by hand."""
    last = [
        node.value
        for node in ast.walk(ast.parse(q.snippet))
        if isinstance(node, (ast.Assign, ast.AugAssign)) and "answer" in assigned_names(node)
    ][-1]
    assert any(isinstance(node, (ast.Name, ast.Call)) for node in ast.walk(last))


@walk_every_question
def test_the_proof_leaves_no_trace_in_the_process(q: Question, capfd: pytest.CaptureFixture[str]) -> None:
    before = torch.get_rng_state()
    python = random.getstate()
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    with torch.no_grad():
        prove(q)
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()
    assert torch.equal(torch.get_rng_state(), before)
    assert random.getstate() == python
    assert (torch.get_default_dtype(), torch.get_num_threads()) == (dtype, threads)
    assert capfd.readouterr().out == ""


@walk_every_question
def test_the_proof_is_the_same_whoever_asks_and_in_whatever_mode(q: Question) -> None:
    once = prove(q)
    assert prove(q) == once
    with torch.inference_mode():
        assert prove(q) == once


@pytest.mark.parametrize("q", questions()[::4], ids=lambda q: q.name)
def test_the_proof_is_the_same_in_eight_threads_at_once(q: Question) -> None:
    once = prove(q)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(prove, [q] * 8)) == [once] * 8


def test_all_questions_at_once_keep_their_lines_apart() -> None:
    alone = [prove(q) for q in questions()]

    def check(shift: int) -> list[Proof]:
        turned = questions()[shift:] + questions()[:shift]
        proofs = [prove(q) for q in turned]
        return proofs[len(proofs) - shift :] + proofs[: len(proofs) - shift]

    with ThreadPoolExecutor(8) as pool:
        assert all(proofs == alone for proofs in pool.map(check, range(8)))


@pytest.mark.parametrize(
    "module", [m.name for m in pkgutil.iter_modules(importlib.import_module("engine.quiz.bank").__path__)]
)
def test_a_file_is_named_for_its_place_and_its_question(module: str) -> None:
    q = importlib.import_module(f"engine.quiz.bank.{module}").QUESTION
    place = questions().index(q) + 1
    assert module == f"q_{place:02}_{q.name.replace('-', '_')}"
    assert question(q.name) is q


def test_the_bank_is_large_enough_and_its_names_and_prompts_differ() -> None:
    assert len(questions()) >= 18
    assert len({q.name for q in questions()}) == len(questions())
    assert len({q.prompt for q in questions()}) == len(questions())


def test_the_rounds_cover_the_bank_topic_by_topic_and_step_by_step() -> None:
    asked = sum(rounds(), ())
    assert sorted(asked, key=questions().index) == list(questions())
    order = [(list(Topic).index(q.topic), q.step, questions().index(q)) for q in asked]
    assert order == sorted(order)
    assert [q.level for q in asked] == sorted(q.level for q in asked)
    assert [round_of(n) for n in range(1, len(rounds()) + 1)] == list(rounds())


def test_a_round_keeps_to_its_topic_and_has_neither_one_question_nor_too_many() -> None:
    for each in rounds():
        assert len({q.topic for q in each}) == 1
        assert 2 <= len(each) <= LARGEST_ROUND


def test_every_topic_and_every_level_is_asked_about() -> None:
    assert {q.topic for q in questions()} == set(Topic)
    assert {q.level for q in questions()} == set(Level)


def test_the_right_place_tells_nothing() -> None:
    places = Counter(prove(q).right for q in questions())
    assert all(places[place] >= len(questions()) // 6 for place in range(4))


def test_the_length_tells_nothing() -> None:
    longest = shortest = 0
    for q in questions():
        lengths = [len(o.text) for o in q.options]
        right = lengths.pop(prove(q).right)
        longest += right > max(lengths)
        shortest += right < min(lengths)
    assert longest <= 0.35 * len(questions())
    assert shortest <= 0.35 * len(questions())
