"""The contract of the bank: every question, present and future, is walked by each of these tests."""

import ast
import importlib
import pkgutil
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from engine.quiz import LARGEST_ROUND, Proof, Question, prove, question, questions, round_of, rounds

# The lesson's own training loop: its samples, weights and targets take a few lines more.
LONGEST = {"loss-with-the-detach": 18}

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
    assert q.topic.strip()
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
    assert 3 <= len(lines) <= LONGEST.get(q.name, 12)
    assert max(map(len, lines)) <= 100
    tree = ast.parse(q.snippet)
    assert sum(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree)) == 1
    assert "print(" in q.snippet


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
    assert len({q.topic for q in questions()}) == len(questions())


def test_the_rounds_cover_the_bank_in_threes_and_in_order() -> None:
    assert sum(rounds(), ()) == questions()
    assert all(len(each) == LARGEST_ROUND for each in rounds()[:-1])
    assert 1 <= len(rounds()[-1]) <= LARGEST_ROUND
    assert [round_of(n) for n in range(1, len(rounds()) + 1)] == list(rounds())


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
