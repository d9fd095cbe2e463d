"""How a proof is made: who is right, what is caught, and which questions are refused."""

from dataclasses import replace

import pytest
import torch

from engine.quiz import Answer, Option, Question, Topic, prove, question, round_of, rounds
from tests.warm import Warm

MEASURE_FOUR = "import torch\nx = torch.ones(4)\nprint('four', x.numel(), sep=': ')\nanswer = x.numel()\n"


def made(snippet: str, *answers: Answer) -> Question:
    a, b, c, d = (Option(f"option {n}", f"reason {n}", answer) for n, answer in enumerate(answers))
    return Question("made-up", Topic.GRAPH, "What is measured here?", snippet, (a, b, c, d))


def test_the_option_that_predicted_the_outcome_is_right() -> None:
    proof = prove(made(MEASURE_FOUR, 1, 2, 4, 3))
    assert (proof.right, proof.answer, proof.output, proof.error) == (2, 4, "four: 4", None)


def test_another_script_makes_another_option_right() -> None:
    asked = made(MEASURE_FOUR, 1, 2, 4, 3)
    assert prove(replace(asked, snippet=asked.snippet.replace("ones(4)", "ones(1)"))).right == 0


def test_a_script_that_ends_in_an_error_is_answered_by_the_errors_type() -> None:
    snippet = "import torch\nprint('before')\ntorch.ones(1).backward()\nanswer = torch.ones(1).item()\n"
    proof = prove(made(snippet, 1.0, "ValueError", "RuntimeError", None))
    assert proof.right == 2
    assert proof.output.splitlines()[0] == "before"
    assert proof.output.splitlines()[-1] == proof.error
    assert proof.error is not None
    assert proof.error.startswith("RuntimeError: element 0 of tensors does not require grad")


def test_a_question_that_no_option_answers_is_refused_with_what_was_measured() -> None:
    with pytest.raises(ValueError, match=r"'made-up' gave 4: 0 of the options \(1, 2, 3, 5\)"):
        prove(made(MEASURE_FOUR, 1, 2, 3, 5))


def test_a_question_that_two_options_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="2 of the options"):
        prove(made(MEASURE_FOUR, 4, 2, 4, 5))


def test_a_script_that_measures_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="never sets `answer`"):
        prove(made("import torch\nprint(torch.ones(1))\n", 1, 2, 3, 4))


def test_a_script_with_a_slip_is_refused_and_the_slip_is_named() -> None:
    with pytest.raises(ValueError, match="NameError: name 'tensor' is not defined"):
        prove(made("import torch\nanswer = tensor.sum()\n", 1, 2, 3, 4))


def test_true_is_not_one() -> None:
    snippet = "import torch\nanswer = torch.ones(1).requires_grad is False\n"
    assert prove(made(snippet, 1, True, 1.0, "True")).right == 1


def test_a_tensor_left_as_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="tensor"):
        prove(made("import torch\nanswer = torch.ones(1).sum()\n", 1, 1.0, True, "tensor(1.)"))


def test_each_run_has_names_of_its_own() -> None:
    snippet = "import torch\nseen = 'left' in globals()\nleft = torch.ones(1)\nanswer = seen and left.any().item()\n"
    assert [prove(made(snippet, True, False, 1, 0)).right for _ in range(2)] == [1, 1]


def test_an_unknown_name_is_answered_with_the_nearest_ones() -> None:
    with pytest.raises(
        ValueError, match=r"no question is named 'one-branches'; the nearest names are one-branch"
    ):
        question("one-branches")


@pytest.mark.parametrize("n", [0, -1, len(rounds()) + 1])
def test_a_round_that_is_not_there_is_refused_with_the_ones_that_are(n: int) -> None:
    with pytest.raises(ValueError, match=rf"no round {n}; the rounds are 1 to {len(rounds())}"):
        round_of(n)


@pytest.mark.parametrize("name", ["loss-with-the-detach", "kept-losses", "backward-twice"])
def test_a_pasted_script_prints_the_same_in_a_python_of_its_own(name: str, warm: Warm) -> None:
    q = question(name)
    done = warm.run("-c", q.snippet)
    proof = prove(q)
    assert (done.returncode == 0) == (proof.error is None)
    said = done.stdout.rstrip()
    if proof.error is not None:
        said += "\n" + done.stderr.rstrip().splitlines()[-1]
    assert said == proof.output


def test_the_proof_works_where_the_caller_has_switched_gradients_off() -> None:
    q = question("one-branch")
    with torch.no_grad():
        assert prove(q) == prove(q)
        assert prove(q).answer == 3.0
