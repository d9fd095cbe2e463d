"""What was raised, and a gradient that is not finite, are put down to their own causes."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from engine.recorder import ScriptError, record_file, record_step, recording
from engine.recorder.capture.backward import SMALL
from tests.engine.recorder.forked import report_of

HEAD = "import torch\nfrom torch import nn\n"


def told(text: str, folder: Path, calls: int = 1) -> dict[str, Any]:
    path = folder / "step.py"
    path.write_text(HEAD + text)
    return report_of(str(path), calls)


def findings(report: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(finding["kind"], finding["line"]) for finding in report["findings"]]


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("w = nn.Parameter(torch.ones(3)).double()\n\nopt = torch.optim.Adam([w])", 3),
        ("w = torch.ones(3, requires_grad=True)\nv = w * 0.1\nopt = torch.optim.SGD([v], 0.1)", 4),
        ("opt = torch.optim.SGD([{'params': [torch.ones(3, requires_grad=True).t()]}], 0.1)", 3),
        (
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.g = nn.Parameter(torch.ones(3)) * 2\nopt = torch.optim.SGD([Net().g], 0.1)",
            6,
        ),
    ],
)
def test_an_optimizer_that_refuses_as_the_file_loads_is_explained(
    made: str, line: int, tmp_path: Path
) -> None:
    report = told(f"{made}\ndef step():\n    return torch.ones(3).sum()\n", tmp_path)
    assert findings(report) == [("non_leaf", line)]
    assert report["raised"]["stage"] == "load"
    assert "on this line" in report["findings"][0]["text"]


def test_what_no_rule_knows_is_no_report_as_the_file_loads(tmp_path: Path) -> None:
    path = tmp_path / "step.py"
    path.write_text("import torch\nopt = torch.optim.SGD([], 0.1)\n")
    with pytest.raises(
        ScriptError, match="line 2: ValueError while the file was loaded: optimizer got an empty"
    ):
        record_file(str(path))


@pytest.mark.parametrize("ask", ["h.retain_grad()", "h.register_hook(print)"])
def test_a_hook_that_a_cut_tensor_refuses_is_put_down_to_the_cut(ask: str, tmp_path: Path) -> None:
    body = f"    h = net(x).detach()\n    {ask}\n    return h.sum()\n"
    report = told(f"net, x = nn.Linear(3, 2), torch.ones(4, 3)\ndef step():\n{body}", tmp_path)
    assert findings(report)[0] == ("detach", 5)


@pytest.mark.parametrize("wrong", [1, 2])
def test_a_shape_that_a_custom_function_returns_wrong_is_told_with_both_shapes(
    wrong: int, tmp_path: Path
) -> None:
    text = f"""
v, w = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, one, other):
        return one + other
    @staticmethod
    def backward(ctx, gradient):
        return {"gradient.sum().expand(2), gradient" if wrong == 1 else "gradient, gradient.sum().expand(2)"}
def step():
    return Sum.apply(v, w).sum()
"""
    report = told(text, tmp_path)
    assert findings(report) == [("custom_function", 11)]
    assert (
        f"a gradient of shape [2] for input {wrong} of `forward`, which has shape [3]"
        in report["findings"][0]["text"]
    )


@pytest.mark.parametrize(
    ("made", "asked", "who"),
    [
        ("other.sum() * w.sum()", "w[0]", "the tensor whose gradient is asked for was made from `w`"),
        ("other.sum() * (2 * w).sum()", "w[0]", "the tensor whose gradient is asked for was made from `w`"),
        (
            "other.sum() * scaled.sum()",
            "scaled[0]",
            "the tensor whose gradient is asked for was made from the tensor of line 6",
        ),
        (
            "other.sum() * (w * 1)[0].sum()",
            "other[0]",
            "the tensor whose gradient is asked for was made from `other`",
        ),
        ("other.sum()", "w", "does not depend on `w`"),
        ("other.sum() * scaled.detach().sum()", "scaled", "the path from `scaled` to"),
    ],
)
def test_a_derivative_of_a_part_says_of_what_it_is_a_part(
    made: str, asked: str, who: str, tmp_path: Path
) -> None:
    text = f"""
first, other, w = (torch.ones(2, 3, requires_grad=True) for _ in range(3))
def step():
    scaled = first.sum() * w
    loss = {made}
    (slope,) = torch.autograd.grad(loss, {asked}, create_graph=True)
    return loss + slope.sum()
"""
    (found,) = told(text, tmp_path)["findings"]
    assert found["line"] == (7 if "detach" in made else 8)
    assert who in found["text"]


@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
def test_an_anomaly_among_large_tensors_is_told_by_the_name_that_torch_gives() -> None:
    weight = torch.zeros(SMALL + 1, requires_grad=True)

    def step() -> None:
        squared = weight * weight
        with torch.autograd.set_detect_anomaly(True):
            squared.sqrt().sum().backward()

    (found,) = record_step(step, names={"weight": weight}).findings
    assert found.kind == "non_finite"
    assert found.location is not None
    assert found.location.text.strip() == "squared.sqrt().sum().backward()"
    assert found.text == "RuntimeError: the derivative of `Mul` is nan."


def test_an_optimizer_that_is_given_a_view_says_what_it_was_made_of() -> None:
    other, weight = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)

    def step() -> None:
        other.sum().backward()
        scaled = weight * 2
        torch.optim.SGD([scaled], 0.1)

    (found,) = record_step(step, names={"other": other, "weight": weight}).findings
    assert found.kind == "non_leaf"
    assert "`mul` made it from `weight` on this line." in found.text


def test_a_derivative_that_nothing_moves_by_is_no_step() -> None:
    net, x = nn.Linear(3, 1), torch.ones(4, 3)
    parameters = list(net.parameters())

    def looked(moves: bool) -> None:
        slopes = torch.autograd.grad(net(x).sum(), parameters)
        with torch.no_grad():
            for parameter, slope in zip(parameters, slopes, strict=True):
                (parameter if moves else parameter.clone()).sub_(0.1 * slope)

    kinds = {}
    for moves in (True, False):
        with recording(names={"net": net}) as recorded:
            looked(moves)
        kinds[moves] = [finding.rule for finding in recorded.report.findings]
    assert kinds == {True: [], False: ["nothing_recorded"]}


def test_gradients_pile_up_from_the_second_call_on() -> None:
    net, x = nn.Linear(3, 1), torch.ones(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)

    def step() -> None:
        net(x).pow(2).mean().backward()
        optimizer.step()

    for calls in (1, 2, 3):
        report = record_step(step, names={"net": net, "optimizer": optimizer}, calls=calls)
        assert [finding.rule for finding in report.findings] == (["piled_up"] if calls > 1 else [])


def test_one_output_of_several_is_not_the_whole() -> None:
    pair = torch.ones(2, 3, requires_grad=True)

    def step() -> torch.Tensor:
        first, second = pair.unbind()
        (slope,) = torch.autograd.grad(first.pow(2).sum(), second, create_graph=True)
        return slope.sum()

    (found,) = record_step(step, names={"pair": pair}).findings
    assert found.kind == "not_in_graph"
    assert "does not depend on `second`" in found.text or "`second` was made from `pair`" in found.text


def test_where_tensors_are_too_large_to_be_kept_no_line_is_named() -> None:
    weight = torch.zeros(SMALL + 1, requires_grad=True)
    record = record_step(lambda: weight.abs().sqrt().sum(), names={"weight": weight})
    (found,) = record.findings
    assert (found.kind, found.location) == ("non_finite", None)
    assert "too large" in found.text


def test_an_edit_between_loss_and_derivative_is_seen_by_autograd_grad_too() -> None:
    weight, x = torch.ones(3, requires_grad=True), torch.ones(3)

    def edited() -> None:
        with recording(names={"weight": weight}) as recorded:
            loss = (weight * weight * x).sum()
            weight.data.mul_(2)
            (slope,) = torch.autograd.grad(loss, weight)
            loss_again = (weight * slope).sum()
            loss_again.backward()
        kinds.append([finding.kind for finding in recorded.report.findings])

    kinds: list[list[str]] = []
    edited()
    assert "data" in kinds[0]
