"""The graph of the picture: one node a call of both twins, a detach as a mark on an edge, and what came back along it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from engine import Settings, record, record_step
from engine.experiments import experiment_names
from engine.recorder import StepRecord
from engine.twins.training import train
from pages.components.canvas.graph import Edge, Graph, ends_of_detaches, graph_of


def twins(settings: Settings, epoch: int = 1) -> tuple[StepRecord, StepRecord]:
    trace = train(settings)
    return record(settings, epoch=epoch, detached=False, trace=trace), record(
        settings, epoch=epoch, trace=trace
    )


def way(graph: Graph, start: str, end: str) -> Edge:
    """The edge between two calls, each by its operation and module."""
    found = [
        edge
        for edge in graph.edges
        if f"{graph.nodes[edge.start].stage.operation} {graph.nodes[edge.start].stage.module}".strip()
        == start
        and f"{graph.nodes[edge.end].stage.operation} {graph.nodes[edge.end].stage.module}".strip() == end
    ]
    assert len(found) == 1
    return found[0]


def carries(graph: Graph, edge: Edge) -> tuple[bool, ...]:
    """For each twin whether a gradient came back along an edge."""
    ends = zip(graph.nodes[edge.start].twins, graph.nodes[edge.end].twins, edge.cut, strict=True)
    return tuple(
        not cut and all(stage is not None and stage.gradient_state != "none" for stage in (start, end))
        for start, end, cut in ends
    )


def test_the_detach_is_a_mark_on_an_edge_and_everything_before_it_starves() -> None:
    graph = graph_of(twins(Settings("classifier", epochs=2, detach="hidden_1")))
    assert all(node.stage.operation != "detach" for node in graph.nodes)
    cut = way(graph, "tanh", "linear hidden_2")
    assert cut.cut == (False, True)
    assert carries(graph, cut) == (True, False)
    kept = way(graph, "linear output", "cross_entropy")
    assert kept.cut == (False, False)
    assert carries(graph, kept) == (True, True)
    missing = {f"{n.stage.operation} {n.stage.module}": n.missing for n in graph.nodes if n.stage.module}
    assert missing == {
        "linear hidden_1": ("", "starved"),
        "linear hidden_2": ("", ""),
        "linear output": ("", ""),
    }


def test_where_backward_refuses_nobody_is_starved_by_a_place() -> None:
    graph = graph_of(twins(Settings()))
    assert {node.missing for node in graph.nodes if node.stage.operation != "input"} == {("", "refused")}
    assert {node.missing for node in graph.nodes if node.stage.operation == "input"} == {
        ("unneeded", "unneeded")
    }


def test_a_detached_value_that_also_goes_on_attached_keeps_its_gradient() -> None:
    graph = graph_of(twins(Settings("td_target", epochs=2)))
    cut = way(graph, "add", "mse_loss")
    assert (cut.cut, carries(graph, cut)) == ((False, True), (True, False))
    value = next(node for node in graph.nodes if node.stage.module == "value")
    assert value.missing == ("", "")


@pytest.mark.parametrize("name", experiment_names())
def test_every_edge_leads_on_and_every_gradient_comes_from_one(name: str) -> None:
    graph = graph_of(twins(Settings(name, epochs=2)))
    for edge in graph.edges:
        assert 0 <= edge.start < edge.end < len(graph.nodes)
    for number, node in enumerate(graph.nodes):
        for twin, stage in enumerate(node.twins):
            ways = [edge for edge in graph.edges if edge.start == number]
            if stage is not None and any(carries(graph, edge)[twin] for edge in ways):
                assert stage.gradient_state != "none"


def test_the_ends_of_a_detach_are_those_of_the_step_without_it() -> None:
    uncut, cut = twins(Settings("classifier", epochs=1, detach="hidden_2"))
    ((before, after),) = ends_of_detaches(cut, uncut)
    assert (before.operation, after.module) == ("tanh", "output")
    assert before in uncut.stages
    assert after in uncut.stages


def test_a_step_of_ones_own() -> None:
    net, head = nn.Linear(2, 2), nn.Linear(2, 1)

    def step() -> torch.Tensor:
        loss: torch.Tensor = head(net(torch.ones(3, 2)).detach()).sum()
        return loss

    graph = graph_of((record_step(step, names={"net": net, "head": head}),))
    assert way(graph, "linear net", "linear head").cut == (True,)
