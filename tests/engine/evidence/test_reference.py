"""Each cell of the reference table, stated again in plain torch on other numbers and another function."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.evidence.reference import Row, reference_table
from tests.claims import backs
from tests.warm import Warm


def under_no_grad(y: Tensor) -> Tensor:
    with torch.no_grad():
        return y.mul(1)


def under_inference_mode(y: Tensor) -> Tensor:
    with torch.inference_mode():
        return y.mul(1)


WAYS: dict[str, Callable[[Tensor], Any]] = {
    "detach": torch.detach,
    "detach_": torch.detach_,
    ".data": lambda y: y.data,
    "no_grad": under_no_grad,
    "inference_mode": under_inference_mode,
    "requires_grad_(False)": lambda y: y.requires_grad_(False),
    "clone": torch.clone,
    "clone().detach()": lambda y: torch.clone(y).detach(),
    "item": lambda y: y.item(),
    "numpy": lambda y: y.detach().numpy(),
}
SHARING = {"detach", "detach_", ".data", "requires_grad_(False)", "numpy"}
NO_TENSOR = {"item", "numpy"}
NO_LONGER_TRACKED = {"detach_", "requires_grad_(False)"}

ROWS = {row.name: row for row in reference_table()}
each_row = pytest.mark.parametrize("name", WAYS)


def start(name: str) -> tuple[Tensor, Tensor]:
    """A leaf and a tensor of one element made of it: the leaf itself where it is to be frozen."""
    leaf = torch.tensor([0.7], requires_grad=True)
    return (leaf, leaf) if name == "requires_grad_(False)" else (leaf, leaf.exp())


def own_loss(y: Tensor) -> Tensor:
    """For its derivative autograd keeps y."""
    return (y * y * y).sum()


def right(name: str) -> float:
    leaf, y = start(name)
    value = float(y.detach())
    return 3 * value**2 * (1.0 if leaf is y else value)


def refusal(loss: Tensor) -> str:
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    return str(caught.value)


def test_the_ten_rows_are_there_each_with_its_line_in_its_script() -> None:
    assert list(ROWS) == list(WAYS)
    for row in ROWS.values():
        assert all(part.strip() in row.code for part in row.line.split(":"))
        assert row.code.startswith("import torch\n")
        assert "engine" not in row.code
    assert len({row.code for row in ROWS.values()}) == 10


@backs("reference", *WAYS)
@each_row
def test_the_values(name: str) -> None:
    _, y = start(name)
    before = y.detach().clone()
    taken = torch.as_tensor(WAYS[name](y)).reshape(1)
    assert ROWS[name].values_same is torch.equal(taken, before) is True


@backs("reference", *WAYS)
@each_row
def test_the_memory(name: str) -> None:
    _, y = start(name)
    taken = torch.as_tensor(WAYS[name](y))
    shared = taken.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()
    assert ROWS[name].shares_memory is shared is (name in SHARING)


@backs("reference", *WAYS)
@each_row
def test_what_autograd_sees_of_it(name: str) -> None:
    _, y = start(name)
    taken = WAYS[name](y)
    row = ROWS[name]
    if name in NO_TENSOR:
        assert not isinstance(taken, Tensor)
        assert (row.requires_grad, row.grad_fn) == (None, None)
    else:
        assert row.requires_grad is taken.requires_grad is (name == "clone")
        assert row.grad_fn == (taken.grad_fn.name() if taken.grad_fn is not None else None)
        assert row.grad_fn == ("CloneBackward0" if name == "clone" else None)


@backs("reference", *WAYS)
@each_row
def test_a_gradient_through_the_result(name: str) -> None:
    leaf, y = start(name)
    loss = 7 * torch.as_tensor(WAYS[name](y)).sum()
    came = ROWS[name].gradient_through
    if name == "clone":
        loss.backward()
        assert leaf.grad is not None
        assert leaf.grad.item() == pytest.approx(7 * y.item())
        assert came.refusal is None
        assert came.gradient == 5 * 2  # its own numbers: 5 times the result, y twice the leaf
    else:
        assert came.refusal == refusal(loss)
        assert (came.gradient, leaf.grad) == (None, None)


@backs("reference", *WAYS)
@each_row
def test_the_originals_own_gradient_by_a_later_loss(name: str) -> None:
    leaf, y = start(name)
    WAYS[name](y)
    came, loss = ROWS[name].after, own_loss(y)
    if name in NO_LONGER_TRACKED:
        assert came.refusal == refusal(loss)
    else:
        loss.backward()
        assert leaf.grad is not None
        assert leaf.grad.item() == pytest.approx(right(name))
        assert came.gradient == ROWS[name].right == 2 * 3.0 * 2


@backs("reference", *WAYS)
@each_row
def test_the_originals_own_gradient_by_an_earlier_loss(name: str) -> None:
    leaf, y = start(name)
    loss = own_loss(y)
    WAYS[name](y)
    came = ROWS[name].before
    if name == "detach_":
        assert came.refusal == refusal(loss)
        assert "detached in-place" in came.refusal
        return
    loss.backward()
    if name == "requires_grad_(False)":
        assert (came.gradient, leaf.grad, came.refusal) == (None, None, None)
    else:
        assert leaf.grad is not None
        assert leaf.grad.item() == pytest.approx(right(name))
        assert came.gradient == ROWS[name].right == 12


@backs("reference", *WAYS)
@each_row
def test_an_edit_of_the_result_in_place(name: str) -> None:
    leaf, y = start(name)
    value = y.item()
    loss = own_loss(y)
    taken = WAYS[name](y)
    edit = ROWS[name].edit
    if name == "inference_mode":
        with pytest.raises(RuntimeError) as caught:
            taken.add_(1)
        assert edit.kind == "raises when edited"
        assert edit.came.refusal == str(caught.value).split("\n")[0]
        assert edit.came.refusal.startswith("Inplace update to inference tensor outside InferenceMode")
        return
    taken += 1
    if name == "detach_":
        assert edit.kind == "raises anyway"
        assert edit.came.refusal == refusal(loss)
    elif name in {"detach", "requires_grad_(False)"}:
        said = refusal(loss)
        assert edit.kind == "raises at backward"
        assert edit.came.refusal is not None
        for words in ("modified by an inplace operation", "is at version 1; expected version 0 instead"):
            assert words in said
            assert words in edit.came.refusal
    elif name in {".data", "numpy"}:
        loss.backward()
        assert leaf.grad is not None
        assert abs(leaf.grad.item() - right(name)) > 1
        assert edit.kind == "silently wrong"
        assert edit.came.gradient == 2 * 30.0 * 2 != ROWS[name].right
        assert "120 instead of 12" in edit.text
    else:
        loss.backward()
        assert leaf.grad is not None
        assert leaf.grad.item() == pytest.approx(right(name))
        assert y.item() == value
        assert edit.kind == "does not touch it"
        assert edit.came.gradient == ROWS[name].right == 12
        assert "keeps its value" in edit.text
    if edit.came.refusal is not None:
        assert edit.came.refusal in edit.text


def test_freezing_a_computed_tensor_is_refused_which_is_why_that_row_takes_a_leaf() -> None:
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        start("detach")[1].requires_grad_(False)
    assert "y = leaf" in ROWS["requires_grad_(False)"].code
    assert ROWS["requires_grad_(False)"].right == 2 * 1.5


@each_row
def test_what_a_script_prints_is_what_the_row_says(name: str) -> None:
    row = ROWS[name]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(row.code, name, "exec"), {"__name__": "__main__"})
    check_printed(row, printed.getvalue())


def check_printed(row: Row, printed: str) -> None:
    lines = printed.splitlines()
    assert lines[0] == f"values the same: {row.values_same} ; memory shared: {row.shares_memory}"
    assert lines[1].startswith(f"requires_grad: {row.requires_grad} ; grad_fn: ")
    assert (row.grad_fn or "None") in lines[1]
    for came in (row.gradient_through, row.before, row.after, row.edit.came):
        assert str(came.refusal or came.gradient) in printed
    assert f"right gradient: {row.right}" in printed
    assert printed.rstrip().endswith(f"y is touched: {row.name in SHARING}")


def test_a_pasted_script_runs_in_a_python_of_its_own(warm: Warm) -> None:
    row = ROWS[".data"]
    done = warm.run("-c", row.code)
    assert done.returncode == 0, done.stderr
    check_printed(row, done.stdout)


def test_the_table_is_the_same_whatever_the_caller_has_switched_off() -> None:
    reference_table.cache_clear()
    with torch.no_grad():
        assert reference_table() == tuple(ROWS.values())
    assert reference_table() is reference_table()


@backs("reference.notes", "Under `no_grad` and `inference_mode`", "A view that is taken there")
@pytest.mark.parametrize("off", [torch.no_grad, torch.inference_mode])
def test_it_is_the_product_that_has_its_own_memory_and_a_view_shares(off: Callable[[], Any]) -> None:
    y = 2 * torch.tensor(1.5, requires_grad=True)
    with off():
        product, view = y * 1, y.view(1)
    assert product.data_ptr() != y.data_ptr()
    assert view.data_ptr() == y.data_ptr()
    for name in ("no_grad", "inference_mode"):
        assert "y * 1" in ROWS[name].line
        assert not ROWS[name].shares_memory


@backs("reference.notes", "A tensor made under `inference_mode`", "A `clone()` of it can")
def test_a_tensor_of_inference_mode_can_be_used_but_not_saved_for_backward() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    with torch.inference_mode():
        result = torch.tensor(3.0) * 1
    (w + result).backward()
    assert w.grad is not None
    assert w.grad.item() == 1
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * result
    (w * result.clone()).backward()
    assert w.grad.item() == 1 + 3
