"""What a reader sees of a script before the prediction."""

import ast
import re

import pytest

from engine.quiz import Option, Question, Topic, prove, question, questions

TELLING = re.compile(
    r"(?i)\b(none|zeros?|nothing|raises?|error|refused|fails?|stops?|moves?|moved|same|cancel)\b"
)
"""Words of outcomes. A label with one of them belongs into a print."""
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
walk_every_question = pytest.mark.parametrize("q", questions(), ids=lambda q: q.name)


def shown(snippet: str) -> str:
    a, b, c, d = (Option(f"option {n}", f"reason {n}", n) for n in range(4))
    return Question("made-up", Topic.GRAPH, "What is left?", snippet, (a, b, c, d)).shown


def comments(script: str) -> list[str]:
    """What follows a `#`; no script of the bank has one inside of a string."""
    return [line.partition("#")[2] for line in script.splitlines() if "#" in line]


def test_prints_and_the_answer_are_left_out() -> None:
    assert shown("import torch\nx = 1\nprint('one:', x)\nanswer = x\n") == "import torch\nx = 1\n"


def test_a_print_of_many_lines_goes_as_a_whole() -> None:
    assert shown("x = 1\nprint(\n    x,\n)\ny = 2\nanswer = (\n    y,\n)\n") == "x = 1\ny = 2\n"


def test_a_loop_that_only_tells_goes_and_one_that_works_stays() -> None:
    assert shown("xs = [1]\nfor x in xs:\n    print(x)\n    answer = x\n") == "xs = [1]\n"
    assert shown("for x in [1]:\n    y = x\n    print(y)\n") == "for x in [1]:\n    y = x\n"


def test_a_block_that_would_be_empty_keeps_three_dots() -> None:
    tried = "try:\n    y = f()\nexcept RuntimeError as error:\n    print(error)\n    answer = 'raises'\n"
    assert shown(tried) == "try:\n    y = f()\nexcept RuntimeError as error:\n    ...\n"


@walk_every_question
def test_the_script_before_the_prediction_parses_and_tells_nothing(q: Question) -> None:
    tree = ast.parse(q.shown)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not {"print", "answer"} & names
    assert q.shown.startswith("import torch\n")
    assert q.shown == q.shown.strip() + "\n"
    assert len(tree.body) >= 2


def strings(script: str) -> list[str]:
    literals = (node.value for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Constant))
    return [value for value in literals if isinstance(value, str)]


def named(q: Question, words: list[str]) -> list[Option]:
    """The options whose answer is one of the words, or has one in it."""
    return [o for o in q.options if isinstance(o.answer, (str, tuple)) and any(w in o.answer for w in words)]


@walk_every_question
def test_no_string_and_no_comment_of_it_gives_the_answer_away(q: Question) -> None:
    words = strings(q.shown)
    assert len(named(q, words)) != 1
    for word in [*comments(q.shown), *(word for word in words if not named(q, [word]))]:
        assert not TELLING.search(word)


def test_a_label_that_tells_would_be_found() -> None:
    assert TELLING.search("with detach: nothing moves")
    assert comments("x = 1  # this raises\n") == [" this raises"]


@walk_every_question
def test_it_does_what_the_whole_script_does(q: Question) -> None:
    """It raises where the whole script raises, and computes what that prints."""
    proof, names = prove(q), dict[str, object]()
    ended = None
    try:
        exec(compile(q.shown, q.name, "exec", dont_inherit=True), names)
    except Exception as error:
        ended = f"{type(error).__name__}: {error}"
    assert ended == proof.error


def test_the_level_is_the_topics() -> None:
    assert {q.level for q in questions() if q.topic is Topic.LOOP} == {Topic.LOOP.level}
    assert question("zero-grad").level == Topic.LOOP.level
