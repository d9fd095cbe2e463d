"""The first round is the lesson's: its questions, their order, and the facts they rest on."""

import pytest
import torch

from engine.quiz import prove, question, round_of
from engine.quiz.definition import Question


def without_the_detach(q: Question) -> dict[str, object]:
    """What the question's script leaves behind with every `.detach()` taken out, as a reader would try."""
    assert ".detach()" in q.snippet
    names: dict[str, object] = {"print": lambda *_: None}
    exec(q.snippet.replace(".detach()", ""), names)
    return names


def test_the_first_round_is_the_lessons() -> None:
    names = [q.name for q in round_of(1)]
    assert names == ["once-detached", "where-the-gradient-stops", "loss-with-the-detach"]


def test_the_lessons_question_has_the_lessons_four_options_in_order() -> None:
    texts = [option.text for option in round_of(1)[0].options]
    for text, words in zip(
        texts, ("size grows", "input layer", "no longer tracks gradients", "at random"), strict=True
    ):
        assert words in text
    assert prove(round_of(1)[0]).right == 2


def test_all_four_claims_of_the_lessons_question_are_measured() -> None:
    *claims, original = prove(round_of(1)[0]).output.splitlines()
    assert [line.rpartition(": ")[2] for line in claims] == ["False", "False", "True", "False"]
    assert original == "the original is still in the graph: True"


def test_the_gradient_stops_at_the_detach() -> None:
    proof = prove(round_of(1)[1])
    assert proof.answer == (False, True)
    assert "layer 1: None" in proof.output
    assert without_the_detach(round_of(1)[1])["answer"] == (True, True)


def test_the_loss_stays_where_it_started_and_backward_refuses_each_epoch() -> None:
    proof = prove(round_of(1)[2])
    assert [f"epoch {epoch}: loss 0.85\n" in proof.output for epoch in range(1, 6)] == [True] * 5
    refusal = "element 0 of tensors does not require grad and does not have a grad_fn"
    assert proof.output.count(refusal) == 5
    assert proof.right == 3


def test_the_same_loop_without_the_detach_gives_the_lessons_losses() -> None:
    left = without_the_detach(round_of(1)[2])
    losses = torch.tensor(left["losses"])
    assert losses.tolist() == pytest.approx([0.8523, 0.5985, 0.3977, 0.2495, 0.1516], abs=6e-5)
    assert left["answer"] == question("loss-with-the-detach").options[0].answer
