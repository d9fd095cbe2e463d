"""Kept losses: what a log holds alive, against what plain torch saves."""

import weakref
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from engine import Settings, train
from engine.evidence.cost import cost
from engine.evidence.verdicts import judge, same_weights
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
USUAL = Settings("kept_losses", epochs=8)


def saved_by_one_loss(seed: int) -> int:
    """Bytes that autograd saves for one validation loss, counted apart from the engine."""
    settings = USUAL.changed(seed=seed)
    model, data = start_model(settings), script_of(settings).make_data(seed)
    sizes: list[int] = []

    def note(tensor: Tensor) -> Tensor:
        sizes.append(tensor.numel() * tensor.element_size())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        mse_loss(model(data.validation_inputs), data.validation_targets)
    return sum(sizes)


def trained_by_hand(settings: Settings, detached: bool, epochs: int) -> nn.Module:
    """The model, with its log, after a loop of plain torch around the shown step."""
    script, model = script_of(settings), start_model(settings)
    data, optimizer = script.make_data(settings.seed), torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(epochs):
        optimizer.zero_grad()
        script.step(detached)(model, data)[0].backward()
        optimizer.step()
    return model


def nodes_from(losses: list[Tensor]) -> int:
    """Nodes reached from some tensors, parameters' own left out."""
    seen: set[object] = set()
    waiting = [loss.grad_fn for loss in losses]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and type(node).__name__ != "AccumulateGrad":
            seen.add(node)
            waiting += [parent for parent, _ in node.next_functions]
    return len(seen)


@backs("kept_losses.story", "A loss that is kept for a log", "With the detach, or with")
@pytest.mark.parametrize("keep", ["total", "list"])
def test_what_is_held_grows_by_one_validation_loss_an_epoch(keep: str) -> None:
    for seed in SEEDS:
        settings = USUAL.choosing("keep", keep).changed(seed=seed)
        each = saved_by_one_loss(seed)
        attached, detached = cost(settings, False), cost(settings, True)
        assert attached.held == tuple(each * epoch for epoch in range(1, 7))
        assert detached.held == detached.alive == (0,) * 6
        assert attached.grows
        assert not detached.grows


@backs("verdict", "leak", "no difference")
@pytest.mark.parametrize("keep", ["total", "list", "item"])
@pytest.mark.parametrize("logged", ["validation", "training"])
def test_the_weights_are_the_same_bits_and_the_verdict_tells_what_is_kept(keep: str, logged: str) -> None:
    settings = USUAL.choosing("keep", keep).choosing("logged", logged)
    for seed in SEEDS:
        assert same_weights(*train(settings.changed(seed=seed)).runs)
    assert judge(train(settings)).kind == ("no difference" if keep == "item" else "leak")


@pytest.mark.parametrize("keep", ["total", "list"])
@pytest.mark.parametrize("logged", ["validation", "training"])
def test_the_nodes_that_stay_alive_are_those_behind_the_log(keep: str, logged: str) -> None:
    settings = USUAL.choosing("keep", keep).choosing("logged", logged)
    counted = []
    for epochs in range(1, 7):
        model = trained_by_hand(settings, False, epochs)
        counted.append(nodes_from([model.total] if keep == "total" else list(model.kept)))  # type: ignore[list-item, arg-type]
    assert cost(settings, False).alive == tuple(counted)
    assert {b - a for a, b in pairwise(counted)} == {counted[0]}


@backs("kept_losses.story", "A training loss is the milder case")
def test_a_training_loss_keeps_nodes_and_no_bytes_and_its_total_cannot_be_sent_back() -> None:
    settings = USUAL.choosing("logged", "training")
    assert cost(settings, False).held == (0,) * 6
    assert "grow: by 7 autograd nodes with every epoch, to 42 nodes after" in judge(train(settings)).sentence
    total = trained_by_hand(settings, False, 3).total
    with pytest.raises(RuntimeError, match="a second time"):
        total.backward()  # type: ignore[operator]


@backs("kept_losses.summary", "A training loop adds up")
@backs("kept_losses.story", "With the detach, or with")
def test_the_log_says_the_same_in_every_way_of_keeping_it() -> None:
    for seed in SEEDS:
        usual = USUAL.changed(seed=seed)
        totals = []
        for detached in (False, True):
            total = trained_by_hand(usual, detached, 4).total
            assert isinstance(total, Tensor)
            assert total.requires_grad != detached
            totals.append(total.item())
        listed = trained_by_hand(usual.choosing("keep", "list"), True, 4).kept
        items = trained_by_hand(usual.choosing("keep", "item"), True, 4).total
        assert all(isinstance(loss, Tensor) and loss.grad_fn is None for loss in listed)  # type: ignore[union-attr]
        assert totals[0] == totals[1] == pytest.approx(sum(map(float, listed)))  # type: ignore[arg-type]
        assert items == pytest.approx(totals[0])


def test_the_graphs_go_when_the_log_goes() -> None:
    model = trained_by_hand(USUAL, False, 3)

    class Mark:
        pass

    mark = Mark()
    assert isinstance(model.total, Tensor)
    assert model.total.grad_fn is not None
    node = model.total.grad_fn.next_functions[0][0]
    node.metadata["mark"] = mark  # type: ignore[union-attr, index]
    alive = weakref.ref(mark)
    del mark, node
    assert alive() is not None
    model.total = 0.0  # type: ignore[assignment]
    assert alive() is None
