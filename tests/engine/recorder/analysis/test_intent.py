"""Each sign by which a cut is taken to be meant, beside the same step without that sign."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, nll_loss

from engine.recorder.analysis.analysis import Analysis
from tests.engine.recorder.analysed import analysis_of, loss_of

NOBODYS = "no optimizer of this step holds what it cuts off"
EVAL = "what it cuts off is in eval mode"
TARGET = "its value is a target or a weight for a prediction"
BATCH = "it is one part of a batch, next to data"
OTHER_DATA = "the layers after it are trained on other data as well"


def why(analysis: Analysis) -> list[str]:
    """Why each cut that starves somebody is meant, "" where it is not."""
    assert all(bool(cut.why) == cut.intended for cut in analysis.cuts if cut.starved)
    return [cut.why for cut in analysis.cuts if cut.starved]


def sgd(*modules: nn.Module) -> torch.optim.SGD:
    return torch.optim.SGD([p for module in modules for p in module.parameters()], 0.1)


def through_a_layer(training: bool = True) -> tuple[Callable[[], Tensor], nn.Module, nn.Module]:
    net, head, x = nn.Linear(3, 4).train(training), nn.Linear(4, 1), torch.ones(5, 3)
    return lambda: loss_of(head(net(x).detach())), net, head


def test_what_no_optimizer_holds_is_not_missed() -> None:
    step, net, head = through_a_layer()
    names = {"net": net, "head": head}
    assert why(analysis_of(step, names)) == [""]
    assert why(analysis_of(step, names, [sgd(net, head)])) == [""]
    assert why(analysis_of(step, names, [sgd(head)])) == [NOBODYS]


def test_an_optimizer_that_steps_on_nothing_is_never_meant() -> None:
    step, net, head = through_a_layer(training=False)
    names, ours, theirs = {"net": net, "head": head}, sgd(net), sgd(head)

    def stepping(optimizer: torch.optim.Optimizer) -> Callable[[], None]:
        def whole() -> None:
            step().backward()
            optimizer.step()

        return whole

    assert why(analysis_of(stepping(theirs), names, [ours, theirs])) == [NOBODYS]
    assert why(analysis_of(stepping(ours), names, [ours, theirs])) == [""]


@pytest.mark.parametrize(("training", "wanted"), [(True, ""), (False, EVAL)])
def test_eval_mode_is_a_sign_where_no_optimizer_speaks_against_it(training: bool, wanted: str) -> None:
    step, net, head = through_a_layer(training)
    names = {"net": net, "head": head}
    assert why(analysis_of(step, names)) == [wanted]
    assert why(analysis_of(step, names, [sgd(net), sgd(head)])) == [wanted]
    assert why(analysis_of(step, names, [sgd(net, head)])) == [""]


def test_a_layer_in_train_mode_among_those_in_eval_mode_is_missed() -> None:
    net, head, x = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4)).eval(), nn.Linear(4, 1), torch.ones(5, 3)
    net[0].train()
    step = lambda: loss_of(head(net(x).detach()))  # noqa: E731
    assert why(analysis_of(step, {"net": net, "head": head})) == [""]


def test_a_target_is_compared_and_goes_through_no_layer() -> None:
    net, teacher, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.ones(5, 3)
    names = {"net": net, "teacher": teacher}
    assert why(analysis_of(lambda: mse_loss(net(x), teacher(x).detach()), names)) == [TARGET]
    assert why(analysis_of(lambda: (net(x) * teacher(x).detach()).mean(), names)) == [TARGET]
    assert why(analysis_of(lambda: loss_of(net(x)) + loss_of(teacher(x).detach()), names)) == [""]


def test_a_label_is_a_target_and_an_index_is_none() -> None:
    net, teacher, x = nn.Linear(3, 4), nn.Linear(3, 4), torch.ones(5, 3)
    names = {"net": net, "teacher": teacher}

    def labelled() -> Tensor:
        return nll_loss(net(x).log_softmax(1), teacher(x).argmax(1))

    def picked() -> object:
        return net(x).log_softmax(1).gather(1, teacher(x).argmax(1, keepdim=True)).mean().neg()

    def chosen() -> Tensor:
        return loss_of(net(x).gather(1, teacher(x).argmax(1, keepdim=True)))

    assert why(analysis_of(labelled, names)) == [TARGET]
    assert why(analysis_of(picked, names)) == [TARGET]
    assert why(analysis_of(chosen, names)) == [""]


def test_a_copy_of_numbers_is_a_target_only_where_it_stands_for_no_parameter() -> None:
    net, gain, x = nn.Linear(3, 1), nn.Parameter(torch.ones(1)), torch.ones(5, 3)
    names = {"net": net, "gain": gain}
    assert why(analysis_of(lambda: loss_of(net(x) * gain.detach()), names)) == [TARGET]
    assert why(analysis_of(lambda: loss_of(net(x) * gain.item()), names)) == [""]
    assert why(analysis_of(lambda: loss_of(net(x) * (gain.exp() + 1).item()), names)) == [""]
    assert why(analysis_of(lambda: loss_of(net(x) * (gain * x).sum().item()), names)) == [TARGET]


def test_a_copy_in_a_matrix_product_is_no_target() -> None:
    net, other, x = nn.Linear(3, 3), nn.Linear(3, 3), torch.ones(3, 3)
    names = {"net": net, "other": other}
    assert why(analysis_of(lambda: loss_of(net(x) @ other(x).detach()), names)) == [TARGET]
    assert set(why(analysis_of(lambda: loss_of(net(x) @ torch.tensor(other(x).tolist())), names))) == {""}


def test_fakes_beside_data_in_one_batch_are_meant() -> None:
    made, judge, z, real = nn.Linear(2, 3), nn.Linear(3, 1), torch.ones(4, 2), torch.ones(6, 3)
    names = {"made": made, "judge": judge}
    beside = lambda: loss_of(judge(torch.cat([real, made(z).detach()])))  # noqa: E731
    wider = nn.Linear(6, 1)
    across = lambda: loss_of(wider(torch.cat([real[:4], made(z).detach()], dim=1)))  # noqa: E731
    alone = lambda: loss_of(judge(torch.cat([made(z).detach(), made(z).detach()])))  # noqa: E731
    assert why(analysis_of(beside, names)) == [BATCH]
    nothing = lambda: loss_of(judge(torch.cat([real[:0], made(z).detach()])))  # noqa: E731
    assert why(analysis_of(nothing, names)) == [""]
    assert why(analysis_of(across, {"made": made, "wider": wider})) == [""]
    assert set(why(analysis_of(alone, names))) == {""}


def test_layers_that_see_other_data_as_well_make_it_a_sample() -> None:
    made, judge, z, real = nn.Linear(2, 3), nn.Linear(3, 1), torch.ones(4, 2), torch.ones(6, 3)
    names = {"made": made, "judge": judge}
    both = lambda: loss_of(judge(real)) + loss_of(judge(made(z).detach()))  # noqa: E731
    assert why(analysis_of(both, names)) == [OTHER_DATA]
    second = nn.Linear(1, 1)
    half = lambda: loss_of(judge(real)) + loss_of(second(judge(made(z).detach())))  # noqa: E731
    assert why(analysis_of(half, {**names, "second": second})) == [""]


def test_a_new_leaf_in_the_place_of_what_starves_is_not_meant() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)

    def fresh() -> Tensor:
        out = net(x).detach().requires_grad_()
        return mse_loss(out, other(x))

    other = nn.Linear(3, 1)
    assert why(analysis_of(fresh, {"net": net, "other": other})) == [""]


def test_what_cannot_train_is_never_meant() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)
    analysis = analysis_of(lambda: mse_loss(net(x).detach(), torch.ones(5, 1)), {"net": net})
    assert analysis.cannot_train
    assert why(analysis) == [""]


@pytest.mark.parametrize(
    ("copied", "layer", "meant"),
    [
        (lambda out: torch.tensor([out, out]), True, False),
        (lambda out: torch.tensor([out, out]), False, True),
        (lambda out: torch.tensor(out).expand(2), True, True),
    ],
)
@pytest.mark.filterwarnings("ignore:Converting a tensor", "ignore:To copy construct")
def test_live_values_put_together_are_judged_though_nobody_starves(
    copied: Callable[[Tensor], Tensor], layer: bool, meant: bool
) -> None:
    net, after, x = nn.Linear(3, 1), nn.Linear(2, 1), torch.ones(5, 3)

    def step() -> object:
        out = net(x).mean()
        values = copied(out)
        return loss_of(net(x)) + (after(values) if layer else values * out).sum()

    (cut,) = [c for c in analysis_of(step, {"net": net, "after": after}).cuts if c.kind == "torch_tensor"]
    assert cut.starved == ()
    assert cut.partial == ("net.weight", "net.bias")
    assert cut.intended == meant
