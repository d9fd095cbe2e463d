"""Where the path ends, whom that starves, and what is one cut and what are two."""

import torch
from torch import Tensor, nn

from engine.recorder.analysis.cuts import CutFound
from tests.engine.recorder.analysed import analysis_of, code_at, loss_of

NET = ("net.weight", "net.bias")


def two_layers() -> tuple[nn.Linear, nn.Linear, Tensor]:
    return nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)


def told(cut: CutFound) -> tuple[str, tuple[str, ...], tuple[str, ...], bool]:
    return cut.kind, cut.starved, cut.partial, cut.possible


def test_a_cut_names_its_line_and_whom_it_starves() -> None:
    net, head, x = two_layers()

    def step() -> Tensor:
        hidden = net(x)
        stopped = hidden.detach()
        return loss_of(head(stopped))

    analysis = analysis_of(step, {"net": net, "head": head, "x": x})
    (cut,) = analysis.cuts
    assert told(cut) == ("detach", NET, (), False)
    assert code_at(analysis, cut.line) == "stopped = hidden.detach()"
    assert analysis.named(cut.lost) == analysis.named(cut.lost_on_the_way) == list(NET)
    assert [call.operation for call in cut.calls] == ["detach"]
    assert cut.in_step


def test_what_one_block_computes_is_one_cut_at_the_line_of_the_block() -> None:
    net, head, x = two_layers()

    def step() -> Tensor:
        with torch.no_grad():
            hidden = net(x)
            hidden = hidden.tanh() * 2
        return loss_of(head(hidden))

    analysis = analysis_of(step, {"net": net, "head": head, "x": x})
    (cut,) = analysis.cuts
    assert told(cut) == ("no_grad", NET, (), False)
    assert code_at(analysis, cut.line) == "with torch.no_grad():"


def test_a_path_that_goes_on_elsewhere_is_lost_in_part() -> None:
    net, head, x = two_layers()

    def step() -> Tensor:
        hidden = net(x)
        return loss_of(head(hidden)) + loss_of(head(hidden.detach()))

    (cut,) = analysis_of(step, {"net": net, "head": head, "x": x}).cuts
    assert told(cut) == ("detach", (), NET, False)


def test_what_does_not_go_into_the_loss_starves_nobody() -> None:
    net, head, x = two_layers()
    log = []

    def step() -> Tensor:
        hidden = net(x)
        log.append(hidden.detach().mean())
        return loss_of(head(hidden))

    analysis = analysis_of(step, {"net": net, "head": head, "x": x})
    (cut,) = analysis.cuts
    assert told(cut) == ("detach", (), (), False)
    assert analysis.named(cut.lost) == list(NET)
    assert cut.lost_on_the_way == 0


def test_cuts_stand_in_the_order_of_the_code_and_each_has_its_own() -> None:
    net, head, x = two_layers()
    tail = nn.Linear(1, 1)

    def step() -> Tensor:
        hidden = net(x).detach()
        out = head(hidden).data
        return loss_of(tail(out))

    analysis = analysis_of(step, {"net": net, "head": head, "tail": tail, "x": x})
    assert [told(cut) for cut in analysis.cuts] == [
        ("detach", NET, (), False),
        ("data", ("head.weight", "head.bias"), (), False),
    ]


def test_a_number_is_a_possible_cut_and_gives_way_to_a_certain_one() -> None:
    net, head, x = two_layers()

    def through_a_number() -> Tensor:
        scale = net(x).mean().item()
        return loss_of(head(torch.ones(5, 4)) * (scale + 1))

    def with_a_detach_too() -> Tensor:
        scale = net(x).mean().item()
        return loss_of(head(net(x).detach()) * (scale + 1))

    names = {"net": net, "head": head, "x": x}
    (cut,) = [cut for cut in analysis_of(through_a_number, names).cuts if cut.kind == "item"]
    assert cut.starved == NET
    assert cut.possible
    cuts = {cut.kind: told(cut) for cut in analysis_of(with_a_detach_too, names).cuts}
    assert cuts["detach"] == ("detach", NET, (), False)
    assert cuts["item"][1:] == ((), (), False)


def test_a_list_is_rebuilt_where_it_was_read_on_the_same_line() -> None:
    net, head, x = two_layers()

    def at_once() -> Tensor:
        return loss_of(head(torch.tensor(net(x).tolist())))

    def later() -> Tensor:
        values = net(x).tolist()
        return loss_of(head(torch.tensor(values)))

    names = {"net": net, "head": head}
    assert {cut.kind for cut in analysis_of(at_once, names).cuts} == {"item", "torch_tensor"}
    assert [told(cut) for cut in analysis_of(later, names).cuts] == [("item", NET, (), False)]


def test_what_was_cut_in_an_earlier_call_is_a_cut_of_this_one() -> None:
    net, x = nn.Linear(3, 3), torch.ones(5, 3)
    kept: dict[str, Tensor] = {}

    def step() -> Tensor:
        out = net(x) + kept.get("last", torch.zeros(5, 3))
        kept["last"] = out.detach()
        return loss_of(out)

    cuts = analysis_of(step, {"net": net, "x": x}, calls=2).cuts
    assert {told(cut) for cut in cuts} == {("detach", (), NET, False)}


def test_every_output_of_a_cut_is_kept() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)

    def step() -> Tensor:
        left, right = net(x).detach().chunk(2, dim=1)
        return loss_of(left) * torch.ones(1, requires_grad=True) + loss_of(right)

    (cut,) = analysis_of(step, {"net": net, "x": x}).cuts
    assert [entry.content[0] for entry in cut.outputs if entry.content] == [(5, 4)]
