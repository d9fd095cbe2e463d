"""Each word of the glossary is proved by its program, and a program whose sentence is wrong does not hold."""

from contextlib import suppress

import pytest
import torch

from engine.glossary import GLOSSARY, Term, find_term, holds, program, words_in

each_term = pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.name)

BROKEN = {
    "computation graph": ("(3 * w) ** 2", "3 * w ** 2"),
    "node": ("(w * w)", "(w * w * w)"),
    "leaf": ("result = 3 * w", "result = w"),
    "parameter": ("weight, bias = layer.parameters()", "bias, weight = layer.parameters()"),
    "requires_grad": ("requires_grad=True", "requires_grad=False"),
    "grad_fn": ("w.exp()", "w.detach().exp()"),
    "gradient": ("- 0.1 * w.grad", "+ 0.1 * w.grad"),
    "gradient norm": ("norm()", "abs().sum()"),
    "None or zeros": ("torch.zeros(1)", "None"),
    "backward()": ("(5 * w).backward()\n(5 * w)", "(5 * w)"),
    "backward() refuses": (".detach()", ""),
    "detach": ("x.detach()", "x.clone()"),
    "no_grad": ("no_grad", "enable_grad"),
    "starved": (".detach()", ""),
    "twin": ("copy.deepcopy(one)", "torch.nn.Linear(2, 1)"),
    "epoch": ("batch_size=6", "batch_size=3"),
    "learning rate": ("loss_after(1.1)", "loss_after(0.9)"),
    "optimizer": ("optimizer.step()", ""),
    "saved tensor": ("torch.equal(saved, w)", "torch.equal(saved, square)"),
    "retain_graph": ("w**2", "2 * w"),
    "stop-gradient": ("w.detach()", "w"),
    "straight-through": ("(x.round() - x).detach()", "x.round() - x"),
    "collapse": ("torch.ones(5, 8)", "torch.eye(5, 8)"),
    "effective number of codes": ("0.97, 0.01, 0.01, 0.01", "0.3, 0.3, 0.2, 0.2"),
    "finite differences": ("w * w.detach()", "w * w"),
}  # fmt: skip
"""What makes each sentence wrong: the words of the program, and what stands there instead."""


def test_there_are_at_most_25_words_each_once() -> None:
    names = [term.name for term in GLOSSARY]
    assert len(names) == len(set(names)) <= 25
    assert set(BROKEN) == set(names)


@each_term
def test_the_program_of_a_word_proves_it(term: Term) -> None:
    assert holds(term)
    assert term.meaning.endswith(".")
    assert 2 <= len(term.proof.splitlines()) <= 10


@each_term
def test_a_program_whose_sentence_is_wrong_does_not_hold(term: Term) -> None:
    right, wrong = BROKEN[term.name]
    assert right in term.proof
    torch.manual_seed(0)
    broken = Term(term.name, term.meaning, term.proof.replace(right, wrong, 1), term.written)
    with suppress(RuntimeError):  # an error of torch's own is no proof either
        assert not holds(broken)


@each_term
def test_a_word_is_found_in_its_own_sentence_or_by_its_name(term: Term) -> None:
    assert term in words_in(f"{term.name}. {term.meaning}")
    assert find_term(term.name) is term


def test_a_program_runs_alone_whatever_is_switched_off_around_it() -> None:
    with torch.no_grad(), torch.inference_mode():
        assert holds.__wrapped__(find_term("gradient"))
    assert program(find_term("gradient")).startswith("import torch\n")


def test_no_word_is_found_where_none_stands() -> None:
    assert words_in("Four samples go through one layer.") == ()
