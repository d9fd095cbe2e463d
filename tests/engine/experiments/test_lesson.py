"""What the lesson's story says of the computation graph, of a detach and of its printed numbers."""

import torch
from torch.nn.functional import mse_loss

from engine import Settings, train
from engine.experiments.lesson import make_data, make_model
from engine.text import number_text
from tests.claims import backs


@backs("lesson.story", "While a model computes", "`backward()` goes through it")
def test_the_graph_names_each_operation_and_leads_from_the_loss_to_the_parameters() -> None:
    model, data = make_model("lesson", torch.Generator()), make_data()
    loss = mse_loss(model.linear(data.inputs), data.targets)
    assert loss.grad_fn is not None
    (layer,) = [node for node, _ in loss.grad_fn.next_functions if node is not None]
    assert [loss.grad_fn.name(), layer.name()] == ["MseLossBackward0", "AddmmBackward0"]
    passed: list[str] = []
    loss.grad_fn.register_hook(lambda *_: passed.append("MseLossBackward0"))
    layer.register_hook(lambda *_: passed.append("AddmmBackward0"))
    loss.backward()
    assert passed == ["MseLossBackward0", "AddmmBackward0"]
    assert all(parameter.grad is not None for parameter in model.parameters())


@backs("lesson.summary", "Four samples")
@backs("lesson.story", "`detach()` gives the same values")
def test_a_detach_keeps_the_values_and_stands_outside_the_graph() -> None:
    model, data = make_model("lesson", torch.Generator()), make_data()
    prediction = model.linear(data.inputs)
    cut = prediction.detach()
    assert torch.equal(cut, prediction)
    assert (data.inputs.shape, prediction.shape) == ((4, 3), (4, 2))
    assert prediction.grad_fn is not None
    assert cut.grad_fn is None
    assert not cut.requires_grad


@backs("lesson.story", "Real code detaches a result beside this way")
def test_a_detach_beside_the_way_leaves_the_gradients_as_they_are() -> None:
    gradients = []
    for logs in (False, True):
        model, data = make_model("lesson", torch.Generator()), make_data()
        prediction = model.linear(data.inputs)
        if logs:
            assert (10 * prediction.detach()).mean().item() > 0
        mse_loss(prediction, data.targets).backward()
        gradients.append([parameter.grad for parameter in model.parameters()])
    for plain, logged in zip(*gradients, strict=True):
        assert plain is not None
        assert torch.equal(plain, logged)


@backs("lesson.story", "Here the detach stands on the only way")
def test_with_its_detach_nothing_can_learn() -> None:
    run = train(Settings()).detached
    assert "does not require grad" in (run.refusal or "")
    assert run.never_moved == ("linear",)
    assert len(set(run.losses)) == 1


@backs("lesson.story", "The lesson prints its numbers rounded")
def test_in_epoch_4_the_printed_numbers_are_the_runs_own_but_for_rounding() -> None:
    run = train(Settings()).attached
    printed = [[0.5, 1.2], [1.1, 2.3], [1.7, 3.4], [2.3, 4.5]]
    assert [[round(float(number), 1) for number in row] for row in run.predictions[3]] == printed
    assert number_text(float(run.predictions[3][0, 0])) == "0.4958"
    assert number_text(run.losses[3]) == "0.2495"
    assert number_text(run.losses[3], digits=2) == "0.25"
