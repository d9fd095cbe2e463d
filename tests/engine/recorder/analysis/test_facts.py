"""Which call made which node, and by which ways a value goes into the loss."""

import torch
from torch import Tensor, nn

from engine.recorder.analysis.analysis import Analysis
from engine.recorder.analysis.facts import closure, open_ways
from engine.recorder.capture.data_flow import Entry
from tests.engine.recorder.analysed import analysis_of, loss_of


def outputs(analysis: Analysis) -> dict[str, Entry]:
    """The output of each operation of a step, by the operation's name."""
    return {call.operation: call.outputs[0] for call in analysis.calls if call.outputs}


def test_each_node_belongs_to_the_call_that_made_it() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)
    analysis = analysis_of(lambda: net(x).tanh().exp().mean(), {"net": net})
    made = {e.sequence: name for name, e in outputs(analysis).items() if e.sequence is not None}
    assert list(made.values()) == ["linear", "tanh", "exp", "mean"]
    for node, name in made.items():
        call = analysis.call_at(node)
        assert call is not None
        assert (analysis.made_by(node).operation, call.operation) == (name, name)
    for node in (analysis.made[0].first - 1, analysis.made[-1].end):
        assert analysis.made_by(node) == (node, node + 1, None, "")
        assert analysis.call_at(node) is None


def test_what_went_in_and_what_came_out() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)

    def step() -> Tensor:
        hidden: Tensor = net(x)
        hidden.exp().sum()
        return hidden.tanh().mean()

    analysis = analysis_of(step, {"net": net})
    made = outputs(analysis)
    into = {name for name, entry in made.items() if id(entry) in analysis.into_loss}
    assert into == {"linear", "tanh", "mean"}
    assert set(made) == {*into, "exp", "sum"}
    assert {name for name, e in made.items() if id(e) in analysis.moving_loss} == into
    assert [call.operation for call in analysis.users[id(made["linear"])]] == ["exp", "tanh"]
    assert list(analysis.after_entry(made["exp"])) == [made["sum"]]
    assert list(analysis.before_entry(made["mean"])) == [made["tanh"]]
    assert analysis.behind([made["sum"]]) == closure([made["sum"]])
    assert id(made["tanh"]) not in closure([made["sum"]])


def test_a_leaf_is_lost_only_on_ways_that_never_know_it_again() -> None:
    gain, x = nn.Parameter(torch.ones(3)), torch.ones(5, 3)
    lost = analysis_of(lambda: loss_of(gain.exp().detach() * x.requires_grad_()), {"gain": gain})
    known = analysis_of(lambda: loss_of(gain * gain.exp().detach()), {"gain": gain})
    for analysis, wanted in ((lost, True), (known, False)):
        bit = 1 << analysis.bit(gain)
        ways = open_ways(analysis.roots, bit)
        assert bool(ways.get(id(outputs(analysis)["detach"]), 0) & bit) == wanted
    assert [cut.starved for cut in lost.cuts] == [("gain",)]
    assert [cut.starved for cut in known.cuts] == [()]


def test_a_returned_number_is_an_end_of_the_step() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)
    analysis = analysis_of(lambda: net(x).mean().item(), {"net": net})
    assert [(cut.kind, cut.starved) for cut in analysis.cuts] == [("item", ("net.weight", "net.bias"))]
    logged = analysis_of(lambda: loss_of(net(x)).backward() or net(x).mean().item(), {"net": net})
    assert [cut.starved for cut in logged.cuts] == [()]
