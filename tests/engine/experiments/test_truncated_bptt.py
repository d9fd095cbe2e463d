"""Truncated backpropagation through time, against the whole gradient."""

from collections.abc import Mapping
from itertools import pairwise
from statistics import median

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from engine import Settings, train
from engine.evidence.cost import cost
from engine.evidence.verdicts import judge, same_weights
from engine.twins.experiment_script import script_of
from engine.twins.trace import Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
CHUNKS = ("1", "2", "4", "8", "24")
USUAL = Settings("truncated_bptt", epochs=4)
KEPT = USUAL.choosing("retain_graph", "true")


@pytest.fixture(scope="module")
def kept() -> list[Trace]:
    """The twins of each seed with the graph kept, so that both can train."""
    return [train(KEPT.changed(epochs=12, seed=seed)) for seed in SEEDS]


def states(weights: Mapping[str, Tensor], inputs: Tensor) -> list[Tensor]:
    """The hidden states of a sequence, written with the bare weights."""
    found = [torch.zeros(len(inputs), 16)]
    for t in range(inputs.shape[1]):
        by_input = inputs[:, t : t + 1] @ weights["input.weight"].T + weights["input.bias"]
        found.append(torch.tanh(by_input + found[-1] @ weights["recurrent.weight"].T))
    return found[1:]


def whole_gradient(seed: int) -> Tensor:
    """The gradient of the whole sequence's mean squared error through the whole history, flat."""
    settings = USUAL.changed(seed=seed)
    weights = dict(start_model(settings).named_parameters())
    data = script_of(settings).make_data(seed)
    outputs = [h @ weights["output.weight"].T + weights["output.bias"] for h in states(weights, data.inputs)]
    loss = mse_loss(torch.cat(outputs, dim=1), data.targets)
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(weights.values()))])


def gradient(settings: Settings, detached: bool) -> Tensor:
    """What one step leaves in the parameters' `.grad`, at the start weights, flat."""
    script, model = script_of(settings), start_model(settings)
    assert script.make_optimizers is not None
    still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
    script.step(detached)(model, script.make_data(settings.seed), still)
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def test_the_missing_part_of_the_gradient_shrinks_as_the_chunk_grows() -> None:
    missing: dict[str, list[float]] = {chunk: [] for chunk in CHUNKS}
    for seed in SEEDS:
        whole = whole_gradient(seed)
        for chunk in CHUNKS:
            got = gradient(USUAL.choosing("chunk", chunk).changed(seed=seed), True)
            missing[chunk].append(((got - whole).norm() / whole.norm()).item())
    medians = [median(missing[chunk]) for chunk in CHUNKS]
    assert all(longer < shorter for shorter, longer in pairwise(medians))
    assert medians[2] > 0.05
    assert max(missing["24"]) < 1e-5


@backs("truncated_bptt.story", "With `retain_graph=True` it runs")
@pytest.mark.parametrize("chunk", CHUNKS)
def test_with_the_graph_kept_the_chunks_add_up_to_the_whole_gradient(chunk: str) -> None:
    for seed in SEEDS:
        got = gradient(KEPT.choosing("chunk", chunk).changed(seed=seed), False)
        torch.testing.assert_close(got, whole_gradient(seed), rtol=1e-4, atol=1e-7)


@backs("truncated_bptt.summary", "A recurrent network reads")
@backs("truncated_bptt.story", "The price of the detach")
def test_the_gradient_stops_at_the_chunks_border() -> None:
    """The last chunk's gradient, computed from a state that is only a number, is what the detach leaves of it."""
    for seed in SEEDS:
        settings = USUAL.changed(seed=seed)
        weights, data = dict(start_model(settings).named_parameters()), script_of(settings).make_data(seed)
        summed = torch.zeros(sum(p.numel() for p in weights.values()))
        hidden = torch.zeros(32, 16)
        for t in range(0, 24, 4):
            outputs = []
            for at in range(t, t + 4):
                by_input = data.inputs[:, at : at + 1] @ weights["input.weight"].T + weights["input.bias"]
                hidden = torch.tanh(by_input + hidden @ weights["recurrent.weight"].T)
                outputs.append(hidden @ weights["output.weight"].T + weights["output.bias"])
            loss = (torch.cat(outputs, dim=1) - data.targets[:, t : t + 4]).square().sum() / (32 * 24)
            summed += torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(weights.values()))])
            hidden = torch.tensor(hidden.tolist())
        torch.testing.assert_close(gradient(settings, True), summed, rtol=1e-4, atol=1e-7)


@backs("truncated_bptt.story", "Without the detach the graph of the second chunk")
@backs("verdict", "error")
def test_without_the_detach_the_second_chunk_is_refused() -> None:
    for seed in SEEDS:
        trace = train(USUAL.changed(seed=seed, epochs=1))
        assert "backward through the graph a second time" in (trace.attached.refusal or "")
        assert trace.detached.refusal is None
        assert set(trace.attached.never_moved) == {"input", "recurrent", "output"}
    assert judge(train(USUAL)).kind == "error"


def test_with_the_graph_kept_the_whole_history_learns_what_the_chunks_miss(kept: list[Trace]) -> None:
    ends = [(trace.attached.losses[-1], trace.detached.losses[-1]) for trace in kept]
    assert all(trace.attached.losses[0] == pytest.approx(trace.detached.losses[0]) for trace in kept)
    assert sum(whole < chunks for whole, chunks in ends) >= 19
    assert median(whole for whole, _ in ends) < 0.5 * median(chunks for _, chunks in ends)
    assert judge(kept[0]).kind == "learns something else"


@pytest.mark.parametrize("retain", ["false", "true"])
def test_one_chunk_for_the_whole_sequence_has_no_border_to_cut(retain: str) -> None:
    settings = USUAL.choosing("chunk", "24").choosing("retain_graph", retain)
    for seed in SEEDS:
        assert same_weights(*train(settings.changed(seed=seed, epochs=1)).runs)
    assert judge(train(settings)).kind == "no difference"


@backs("truncated_bptt.story", "With `retain_graph=True` it runs")
@pytest.mark.parametrize("chunk", [1, 2, 4, 8])
def test_nodes_and_bytes_grow_by_the_same_from_chunk_to_chunk_or_not_at_all(chunk: int) -> None:
    settings = KEPT.choosing("chunk", str(chunk))
    attached, detached = (cost(settings, cut, epochs=1).passes for cut in (False, True))
    assert len(attached) == len(detached) == 24 // chunk
    assert attached[0] == detached[0]
    steps = {(b.nodes - a.nodes, b.held - a.held) for a, b in pairwise(attached)}
    assert len(steps) == 1
    assert min(steps.pop()) > 0
    assert len(set(detached)) == 1


@backs("truncated_bptt.story", "A long sequence is read in chunks")
def test_the_passes_go_through_the_nodes_behind_each_chunks_loss() -> None:
    model, data = start_model(USUAL), script_of(USUAL).make_data(0)
    assert isinstance(model.input, nn.Linear)
    assert isinstance(model.recurrent, nn.Linear)
    assert isinstance(model.output, nn.Linear)

    def behind(tensor: Tensor) -> int:
        seen: set[object] = set()
        waiting = [tensor.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in seen and type(node).__name__ != "AccumulateGrad":
                seen.add(node)
                waiting += [parent for parent, _ in node.next_functions]
        return len(seen)

    for settings, cut in ((USUAL, True), (KEPT, True), (KEPT, False)):
        hidden, counted = torch.zeros(32, 16), []
        for t in range(0, 24, 4):
            outputs = []
            for at in range(t, t + 4):
                hidden = torch.tanh(model.input(data.inputs[:, at : at + 1]) + model.recurrent(hidden))
                outputs.append(model.output(hidden))
            loss = mse_loss(torch.cat(outputs, dim=1), data.targets[:, t : t + 4], reduction="sum")
            counted.append(behind(loss / data.targets.numel()))
            hidden = hidden.detach() if cut else hidden
        assert [one.nodes for one in cost(settings, cut, epochs=1).passes] == counted
