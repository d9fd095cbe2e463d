"""What prompts and explanations state beyond what their scripts show: one test a question, of the question's name.

A claim that stands here is run with torch: a number that the script doesn't print, what would come of another script,
what a rule says. The last tests see to it that no question brings a number or a call of its own without such a test.
"""

import math
import re
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, cross_entropy

from engine.quiz import Question, prove, question, questions
from tests.claims import backs

CODE = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")


def leaf(value: float) -> Tensor:
    return torch.tensor(value, requires_grad=True)


def grad(tensor: Tensor) -> Tensor:
    """Its gradient, which must be there."""
    assert tensor.grad is not None
    return tensor.grad


def ran(name: str, **changes: str) -> dict[str, Any]:
    """What the question's script leaves behind with some of its text changed: old text and new, by turns."""
    script = question(name).snippet
    names: dict[str, Any] = {"print": lambda *_: None}
    for change in changes.values():
        old, new = change.split(" => ")
        assert old in script
        script = script.replace(old, new)
    exec(compile(script, name, "exec", dont_inherit=True), names)
    return names


def test_once_detached() -> None:
    left = ran("once-detached")
    assert type(left["after"]) is Tensor
    assert left["after"].grad_fn is None
    assert not left["after"].requires_grad
    left["before"].sum().backward()  # the original is as it was


def test_where_the_gradient_stops() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        ran(
            "where-the-gradient-stops",
            a=".detach() => ",
            b="(hidden @ layer2) => (hidden @ layer2).detach()",
        )


def test_loss_with_the_detach() -> None:
    left = ran("loss-with-the-detach", a=".detach() => ")
    assert [round(left["losses"][epoch], 2) for epoch in (0, -1)] == [0.85, 0.15]
    w = leaf(1.0)
    torch.optim.Adam([w], lr=0.1).step()  # its gradient is None
    assert w.item() == 1.0


def test_forward_values() -> None:
    left = ran("forward-values")
    left["cut"].sum().backward()
    assert left["w1"].grad is None  # layer 1 gets no gradient
    assert left["w2"].grad is not None
    without_layer_1 = torch.relu(left["x"] @ torch.zeros(8, 8)) @ left["w2"]
    assert not torch.allclose(without_layer_1, left["cut"])  # and makes the output all the same


def test_requires_grad_of_results() -> None:
    left = ran("requires-grad-of-results")
    (left["a"] * left["b"]).sum().backward()  # another arithmetic: the path through b is still there
    assert grad(left["b"]).tolist() == [1.0, 2.0]


def test_shared_memory() -> None:
    left = ran("shared-memory")
    assert left["detached"].data_ptr() == left["t"].data_ptr() != left["copied"].data_ptr()


def test_copy_outside_the_graph() -> None:
    left = ran("copy-outside-the-graph")
    t, ways = left["t"], left["ways"]
    ways["t.clone().requires_grad_()"].sum().backward()
    assert grad(t).tolist() == [1.0, 1.0]  # the gradient still flows back
    torch.optim.SGD([t], lr=0.5).step()
    assert ways["t.detach()"].tolist() == [0.5, 1.5]  # changed by the step
    assert ways["t.clone().detach()"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("early", [True, False])
def test_item_of_the_loss(early: bool) -> None:
    w = leaf(2.0)
    loss = (w * 3) ** 2
    log = [loss.item()] if early else []
    loss.backward()
    log = log or [loss.item()]
    assert (log, grad(w).item()) == ([36.0], 36.0)


def test_leaves_and_results() -> None:
    w, passed = leaf(2.0), list[Tensor]()
    h = w * 3
    h.register_hook(passed.append)
    (h + 1).pow(2).backward()
    assert len(passed) == 1  # it passed through h, and h was asked for nothing
    assert w.grad is not None


def test_backward_twice() -> None:
    kept = "loss.backward() => loss.backward(retain_graph=True)"
    assert ran("backward-twice", a=kept)["answer"] == 12.0
    w = leaf(3.0)
    (slope,) = torch.autograd.grad(w**2, w, create_graph=True)
    assert torch.autograd.grad(slope, w)[0].item() == 2.0


def test_backward_twice_begins_a_second_pass() -> None:
    a, b, reached = leaf(1.0), leaf(3.0), list[Tensor]()
    square = b**2
    square.register_hook(reached.append)
    loss = square + a
    loss.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()
    assert len(reached) == 2  # the second pass came as far as the square
    assert grad(a).item() == 2.0  # and on its other branch it went all the way
    w = leaf(1.0)
    nothing_saved = (w + 1).sum()
    nothing_saved.backward()
    nothing_saved.backward()
    assert grad(w).item() == 2.0


def test_no_grad_or_detach() -> None:
    kept: list[int] = []
    w = leaf(1.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.data_ptr()), lambda t: t):
        e = w.exp()
        assert len(kept) == 1
        e.sin()
    assert kept == [e.data_ptr()] * 2  # two saves, and they are of one tensor


def test_zero_grad() -> None:
    w, never = leaf(1.0), leaf(1.0)
    optimizer = torch.optim.SGD([w, never], lr=0.1)
    (w * 0).backward()
    assert grad(w).item() == 0.0  # a gradient that happens to be zero
    assert never.grad is None  # none has arrived
    optimizer.zero_grad()
    assert w.grad is None


def test_frozen_weight() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        ran("frozen-weight", a="x @ layer1 @ => (x @ layer1).detach() @")
    first, second = leaf(2.0), leaf(3.0)
    product = first * second
    second.requires_grad_(False)  # at once: even for a graph that is there already
    product.backward()
    assert (grad(first).item(), second.grad) == (3.0, None)


def test_one_branch() -> None:
    assert ran("one-branch", a="w.detach() => w")["answer"] == 6.0
    with pytest.raises(RuntimeError, match="does not require grad"):
        ran("one-branch", a="= w * w => = w.detach() * w")


def test_argmax() -> None:
    left = {
        "logits": torch.tensor([[2.0, 1.0], [0.5, 3.0]], requires_grad=True),
        "labels": torch.zeros(2).long(),
    }
    cross_entropy(left["logits"], left["labels"]).backward()
    assert (grad(left["logits"])[:, 0] < 0).all()  # a step along it raises the right class
    assert not left["logits"].argmax(1).is_floating_point()
    assert left["logits"].argmax(1).float().grad_fn is None


def test_kept_losses() -> None:
    left = ran("kept-losses")
    assert all(loss.grad_fn is None for loss in left["losses"])
    assert {loss.item() for loss in left["losses"]} == {left["w"].exp().sum().item()}


def test_straight_through() -> None:
    x = leaf(1.75)
    x.round().backward()
    assert grad(x).item() == 0.0


def test_moving_target() -> None:
    """Trained on, both variants close the gap; the one with the moving target more slowly."""
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for detached, seen in gaps.items():
        w = leaf(1.0)
        optimizer = torch.optim.SGD([w], lr=0.05)
        for _ in range(100):
            value, target = 2 * w, 4 + w
            seen.append((target - value).item())
            optimizer.zero_grad()
            (value - (target.detach() if detached else target)).pow(2).backward()
            optimizer.step()
        assert seen[0] == 3.0
        assert all(0 <= after < before for before, after in pairwise(seen[:20]))
        assert w.item() == pytest.approx(4.0, abs=1e-3)
    assert all(fast < slow for fast, slow in zip(gaps[True][1:20], gaps[False][1:20], strict=True))
    held, moving = ran("moving-target")["answer"]
    assert moving == held / 2


def test_data_attribute() -> None:
    w = leaf(0.0)
    w.exp().backward()
    assert grad(w).item() == 1.0  # the right gradient, without an edit
    ways: tuple[tuple[Callable[[Tensor], Tensor], bool], ...] = (
        (lambda t: t.data, False),
        (Tensor.detach, True),
    )
    for outside, counted in ways:
        y = leaf(0.0).exp()
        edited = outside(y)
        before = y._version
        edited.mul_(10)
        assert edited.data_ptr() == y.data_ptr()
        assert (y._version > before) == counted


def test_inference_mode() -> None:
    w = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        h = torch.tensor([1.0, 2.0]) * 2
    (w + h).sum().backward()  # used, not saved
    assert grad(w).tolist() == [1.0, 1.0]
    (w * h.clone()).sum().backward()
    assert grad(w).tolist() == [3.0, 5.0]


def test_batch_norm() -> None:
    left = ran("batch-norm", a="BatchNorm1d(2) => BatchNorm1d(2).eval()")
    assert not left["norm"].running_mean.any()


def test_weight_decay() -> None:
    left = ran("weight-decay")
    assert 1.0 - left["zeros"].item() == pytest.approx(0.05, abs=1e-6)


def test_finite_differences() -> None:
    w = leaf(3.0)
    (w**2).backward()
    assert grad(w).item() == 6.0
    assert ran("finite-differences", a=".detach() => ")["answer"] == (7.0, 7.0)


def test_momentum() -> None:
    none = ran("momentum", a="set_to_none=False => set_to_none=True", b="w.grad.item() => w.grad")
    assert none["answer"] == (0, 0, 0)
    first, *after = (a - b for a, b in pairwise(ran("momentum")["path"]))
    assert after == pytest.approx([first * 0.9**n for n in (1, 2, 3)], rel=1e-4)


def test_leftover_gradient() -> None:
    cleared = "    (-discriminator =>     generator.grad = None\n    (-discriminator"
    assert ran("leftover-gradient", a=cleared)["answer"] == (-3.0, -3.0)


def test_shared_fakes() -> None:
    """What raises is what tanh had saved: an operation that saves nothing can be passed twice."""
    assert ran("shared-fakes", a="w.tanh() => (w + 1)")["answer"] == ("runs",) * 4


def test_chunks_of_a_sequence() -> None:
    assert ran("chunks-of-a-sequence", a="range(4) => range(2)")["hidden"].item() == 2.0  # crosses the border
    w = leaf(0.5)
    (8 * w**2).backward()
    assert grad(w).item() == 8.0  # the slope of a chunk that starts from 8


def test_retained_history() -> None:
    shorter = [ran("retained-history", a=f"range(4) => range({n})")["answer"] for n in (0, 1, 2, 3, 4)]
    assert [after[0] - before[0] for before, after in pairwise(shorter)] == [2, 4, 6, 8]
    assert [after[1] - before[1] for before, after in pairwise(shorter)] == [2, 2, 2, 2]
    longer = ran("retained-history", a="range(4) => range(8)")["answer"]
    assert longer == (72, 16)
    assert 3.5 < longer[0] / 20 < 4
    assert longer[1] / 8 == 2


def test_logged_before_or_after() -> None:
    left = ran("logged-before-or-after")
    waiting, names = [left["total"].grad_fn], []
    for node in waiting:
        waiting += [parent for parent, _ in node.next_functions if parent]
        names.append(node.name())
    assert names.count("ExpBackward0") == 5  # the nodes of all five training losses are still there


def test_running_average() -> None:
    average, w = 99.0 * torch.ones(()), leaf(1.0)
    for epoch in range(50):
        average = 0.9 * average + 0.1 * ((w + epoch) ** 2 if epoch == 0 else 0.0)
    weight = torch.autograd.grad(average, w)[0].item() / 2.0  # the slope of the first loss is 2
    assert weight == pytest.approx(0.1 * 0.9**49, rel=1e-4)
    assert f"{weight:.2%}" == "0.06%"
    assert sum(0.1 * 0.9**age for age in range(10)) > 0.5  # most of the weight
    assert min(a := torch.ones(1), torch.ones(1) + 1) is a


def test_double_sampling() -> None:
    def error(a: float, b: float, c: float) -> float:
        return (a - b) ** 2 + (a - c) ** 2 + (b - 1) ** 2 + (c - 0) ** 2

    left = ran("double-sampling")
    assert left["v"].tolist() == pytest.approx([0.5, 0.75, 0.25], abs=1e-4)
    assert error(0.5, 0.75, 0.25) < error(0.5, 1.0, 0.0)
    a, b = left["v"][0].detach(), leaf(left["v"][1].item())
    pulls = [torch.autograd.grad((b - other) ** 2, b)[0].item() for other in (a, 1.0)]
    assert pulls[0] == pytest.approx(-pulls[1], abs=1e-3)  # the two pulls on B are as strong


def test_value_of_the_next_state() -> None:
    value = torch.zeros(2, requires_grad=True)
    (1.0 + 0.5 * value[1] - value[0]).pow(2).backward()
    torch.optim.SGD([value], lr=0.1).step()
    assert value[1].item() < 0  # the next value is lowered
    assert 1.0 + 0.5 * value[1].item() < 1.0  # and the target with it


def stopped_and_plain(w: Tensor, predictor: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of the symmetric loss, with its two detaches and without, where a predictor stands on one branch."""
    z_1, z_2 = torch.tensor([[1.0, 2.0]]) @ w, torch.tensor([[1.5, 1.0]]) @ w
    found = []
    for cut in (Tensor.detach, lambda z: z):
        loss = (
            -(
                cosine_similarity(z_1 @ predictor, cut(z_2)) + cosine_similarity(z_2 @ predictor, cut(z_1))
            ).sum()
            / 2
        )
        found.append(torch.autograd.grad(loss, w, retain_graph=True)[0])
    return found[0], found[1]


def test_stop_gradient_alone() -> None:
    start = torch.tensor([[0.5, -1.0], [2.0, 1.0]])
    ends = {}
    for name, make, rates in (("sgd", torch.optim.SGD, (0.2, 0.1)), ("adam", torch.optim.Adam, (0.01, 0.01))):
        for stopped in (True, False):
            w = start.clone().requires_grad_()
            optimizer = make([w], lr=rates[0] if stopped else rates[1])
            for _ in range(20):
                w.grad = stopped_and_plain(w, torch.eye(2))[0 if stopped else 1]
                optimizer.step()
            ends[name, stopped] = w.detach()
    assert torch.allclose(ends["sgd", True], ends["sgd", False], atol=1e-5)  # twice the rate makes up for it
    assert torch.allclose(ends["adam", True], ends["adam", False], atol=1e-4)  # at the same rate
    assert not torch.allclose(ends["adam", True], start, atol=1e-2)


def test_stop_gradient_alone_and_with_a_predictor() -> None:
    w = torch.tensor([[0.5, -1.0], [2.0, 1.0]], requires_grad=True)
    alone, plain = stopped_and_plain(w, torch.eye(2))
    assert cosine_similarity(alone.flatten(), plain.flatten(), dim=0) > 0.9999
    turned, plain = stopped_and_plain(w, torch.tensor([[1.0, 0.5], [-0.3, 0.8]]))
    assert cosine_similarity(turned.flatten(), plain.flatten(), dim=0) < 0.99


def test_collapsed() -> None:
    z = torch.tensor([[3.0, 4.0]], requires_grad=True)
    cosine_similarity(z, torch.tensor([[3.0, 4.0]])).sum().backward()
    assert grad(z).abs().max() < 1e-6


def test_rounding_without_the_detach() -> None:
    first, bracket = leaf(0.3), leaf(0.3)
    (first + (bracket.round() - bracket) - 2).pow(2).backward()
    assert (grad(first).item(), grad(bracket).item()) == (-4.0, 4.0)
    x = leaf(0.3)
    optimizer = torch.optim.Adam([x], lr=0.1)
    x.grad = torch.tensor(1e-8)
    optimizer.step()
    assert x.item() < 0.3 - 0.01  # even this would move it


@pytest.mark.parametrize(("x", "y", "slope"), [(0.6, 1.0, -0.6), (1.4, 1.0, -0.6), (1.6, 2.0, 1.4)])
def test_where_it_settles(x: float, y: float, slope: float) -> None:
    at = leaf(x)
    rounded = at + (at.round() - at).detach()
    (rounded - 1.3).pow(2).backward()
    assert rounded.item() == pytest.approx(y)
    assert min(range(-3, 4), key=lambda whole: (whole - 1.3) ** 2) == 1  # the best that a whole number can do
    assert grad(at).item() == pytest.approx(slope, abs=1e-5)


def test_codebook_wrong_side() -> None:
    left = ran("codebook-wrong-side")
    z = leaf(1.0)
    for term in ((3.0 - z) ** 2, 0.25 * (z - 3.0) ** 2):
        assert torch.autograd.grad(term, z)[0].item() < 0  # both pull z toward the code, at 3
    assert grad(left["z"]).item() == 2.0 - 4.0 - 1.0
    right = ran("codebook-wrong-side", a="(code.detach() - z).pow => (code - z.detach()).pow")
    assert right["code"].grad is not None
    moved = ran("codebook-wrong-side", a="tensor([1.0] => tensor([1.5]")
    assert moved["loss"] < left["loss"]  # the loss falls as the encoder moves


def test_copy_without_its_detach() -> None:
    z, code = leaf(1.0), leaf(3.0)
    assert (z + (code - z)).item() == (z + (code - z).detach()).item() == code.item()


def test_three_cuts() -> None:
    alive: weakref.WeakSet[Tensor] = weakref.WeakSet()

    def pack(tensor: Tensor) -> Tensor:
        alive.add(kept := tensor.detach())
        return kept

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
        features = (torch.ones(5, 4) @ torch.ones(4, 8, requires_grad=True)).tanh()
    assert len(alive) == 2
    features = features.detach()
    assert len(alive) == 0  # the detach lets go of them


def test_gradients_that_pile_up() -> None:
    left = ran("gradients-that-pile-up")
    torch.optim.SGD([left["backbone"]], lr=0.1).step()  # given the backbone only now
    assert left["backbone"].item() == pytest.approx(2.0 - 0.1 * 15.0)


def test_adam_after_the_cut() -> None:
    left = ran("adam-after-the-cut")
    assert left["optimizer"].defaults["betas"][0] == 0.9  # the new gradient is a tenth of the average
    assert left["at_cut"].tolist() == pytest.approx([-2.0, -2.0], abs=0.01)
    shorter = ran("adam-after-the-cut", a="range(40) => range(30)")["moved"]
    assert all(first > whole - first for first, whole in zip(shorter, left["moved"], strict=True))
    with_momentum = ran("adam-after-the-cut", a="Adam([w], lr=0.1) => SGD([w], lr=0.1, momentum=0.9)")
    assert with_momentum["moved"][0] / with_momentum["moved"][1] == pytest.approx(1000, rel=0.01)


def test_frozen_too_late() -> None:
    w = torch.tensor([1.0], requires_grad=False)
    w.grad = torch.tensor([1.0])
    torch.optim.SGD([w], lr=0.1).step()
    assert w.item() == pytest.approx(0.9)  # the optimizer doesn't look at requires_grad


def test_detached_afterwards() -> None:
    assert ran("detached-afterwards", a="    y.detach_()\n => ")["answer"] == (6.0, 8.0)


def test_refused_at_once() -> None:
    weight = torch.ones(1, requires_grad=True)
    assert not weight.requires_grad_(False).requires_grad  # a leaf can be frozen
    y = 2 * torch.ones(1, requires_grad=True)
    y.detach().numpy()[0] = 7.0
    assert y.item() == 7.0  # NumPy shares the memory
    refused = [line for line in prove(question("refused-at-once")).output.splitlines() if "refused" in line]
    assert ["detach()" in line for line in refused] == [True, True]


def test_quotient_at_a_jump() -> None:
    far = 10_000.0
    slope = (torch.tensor(0.5 + far).round() - torch.tensor(0.5 - far).round()) / (2 * far)
    assert slope.item() == pytest.approx(1.0, abs=1e-3)
    w = torch.linspace(-3, 3, 25, requires_grad=True)
    w.round().sum().backward()
    assert not grad(w).any()  # flat everywhere


def test_too_small_a_step() -> None:
    digits = [round(-math.log10(torch.finfo(dtype).eps)) for dtype in (torch.float32, torch.float64)]
    assert digits == [7, 16]
    assert torch.tensor(3.0) + 1e-8 == torch.tensor(3.0)
    assert torch.tensor(3.0, dtype=torch.float64) + 1e-8 != 3.0


@backs("policy_gradient.story", "The third detach")
def test_log_probability_as_a_number() -> None:
    name, alone = "log-probability-as-a-number", " + advantage**2 => "
    with pytest.raises(RuntimeError, match="does not require grad"):
        ran(name, a=alone)  # the policy's part as the whole loss
    assert ran(name)["answer"] == (False, True)
    assert ran(name, a=".item() => ")["answer"] == (True, True)
    log_prob = torch.zeros(2, requires_grad=True).log_softmax(dim=0)[0]
    assert type(log_prob.item()) is float


def test_ratio_of_one() -> None:
    scores = torch.zeros(2, requires_grad=True)
    log_prob = scores.log_softmax(dim=0)[0]
    parts = [
        torch.autograd.grad(part, scores, retain_graph=True)[0][0].item() for part in (log_prob, -log_prob)
    ]
    assert parts == pytest.approx([0.5, -0.5])
    old, moved = log_prob.item(), torch.tensor([0.1, 0.0]).log_softmax(dim=0)[0]
    assert (moved - old).exp() > 1  # with `old` held still, the ratio rises with the first score


def test_advantage_not_detached() -> None:
    name = "advantage-not-detached"
    detached = "-weight * (reward - value) => -weight * (reward - value).detach()"
    assert ran(name, a=detached)["answer"] == (0.0, 0.0)  # a right value is left alone
    assert ran(name, a="-weight * (reward => weight * (reward")["answer"] == pytest.approx((0.6931, -1.0))
    assert ran(name, a=" + (reward - value) ** 2 => ")["loss"].item() == 0.0  # the policy's loss
    assert math.log(0.5) == pytest.approx(
        -0.6931, abs=1e-4
    )  # descent raises the first value and lowers the second


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
def test_checkpoint_after_a_frozen_input() -> None:
    required = "torch.ones(2), use => torch.ones(2).requires_grad_(), use"
    assert ran("checkpoint-after-a-frozen-input", a=required)["answer"] == (True, True)
    inside, recording = torch.ones(2, requires_grad=True), list[bool]()

    def block(x: Tensor) -> Tensor:
        recording.append(torch.is_grad_enabled())
        return x * inside

    assert (torch.ones(2) * inside).requires_grad  # an ordinary call
    hidden = torch.utils.checkpoint.checkpoint(block, torch.ones(2), use_reentrant=True)
    assert not hidden.requires_grad
    given = torch.ones(2, requires_grad=True)
    hidden = torch.utils.checkpoint.checkpoint(block, given, use_reentrant=True)
    assert recording == [False, False]  # whatever the input
    assert [edge[0].variable is given for edge in hidden.grad_fn.next_functions] == [True]


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad=True")
def test_run_once_more() -> None:
    without = "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=True) => block(x)"
    assert ran("run-once-more", a=without)["answer"] == (1, 1)
    x = torch.ones(2)
    hidden = torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=True)
    assert hidden.grad_fn is None  # not in the graph


def own_facts(q: Question) -> list[str]:
    """The numbers and the code of prompt and explanations that stand neither in the script nor in what it prints."""
    run = f"{q.snippet} {prove(q).output}"
    seen = {float(number) for number in NUMBER.findall(run)}
    said = " ".join([q.prompt, *(option.explanation for option in q.options)])
    numbers = [number for number in NUMBER.findall(said) if float(number) not in seen]
    return numbers + [code for code in CODE.findall(said) if code.partition("(")[0] not in run]


TESTED = tuple(name for name in list(globals()) if name.startswith("test_"))
"""The tests above, which are named for questions."""


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
def test_every_number_and_every_call_that_the_words_add_has_its_test_here() -> None:
    adding = [q.name for q in questions() if own_facts(q)]
    assert {"running-average", "batch-norm"} <= set(adding)
    assert [name for name in adding if not any(map(is_of(name), TESTED))] == []


def test_every_test_here_is_named_for_a_question() -> None:
    assert [test for test in TESTED if not any(is_of(q.name)(test) for q in questions())] == []


def is_of(name: str) -> Any:
    """Whether a test is named for that question."""
    return re.compile(rf"test_{name.replace('-', '_')}(_|$)").match
