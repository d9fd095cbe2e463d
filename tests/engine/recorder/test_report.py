"""What a record says and how it is shown: text, HTML, tables, the context manager, the assertion."""

import json

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_step, recording
from engine.testing import assert_gradients_flow


def starving() -> tuple[nn.Module, nn.Module, Tensor]:
    torch.manual_seed(0)
    return nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(5, 3)


def test_the_lesson_has_the_pages_four_stages() -> None:
    net, x, y = nn.Linear(3, 2), torch.randn(4, 3), torch.randn(4, 2)

    def step() -> Tensor:
        out = net(x)
        held = out.detach()
        return nn.functional.mse_loss(held, y)

    record = record_step(step, names={"": net, "inputs": x, "targets": y})
    assert [s.operation for s in record.stages] == ["input", "input", "linear", "detach", "mse_loss"]
    data, targets, linear, cut, loss = record.stages
    assert (data.output.name, targets.output.name) == ("inputs", "targets")
    assert (linear.output.name, linear.parameters) == ("out", ("bias", "weight"))
    assert cut.shares_storage_with == linear.index
    assert cut.output.values is not None
    assert linear.output.values is not None
    assert cut.output.values.tobytes() == linear.output.values.tobytes()
    assert loss.inputs == (cut.index, targets.index)
    assert record.raised is not None
    assert record.raised.message == "element 0 of tensors does not require grad and does not have a grad_fn"
    assert [(p.name, p.state) for p in record.parameters] == [("weight", "none"), ("bias", "none")]
    assert record.cuts[0].stage == cut.index
    assert [(sent.stage, sent.reached) for sent in record.backwards] == [(loss.index, ())]


def test_the_gradient_of_every_stage_is_that_of_plain_torch() -> None:
    net, x, y = nn.Linear(3, 2), torch.randn(4, 3, requires_grad=True), torch.randn(4, 2)
    record = record_step(lambda: nn.functional.mse_loss(net(x).tanh(), y), names={"": net, "x": x})
    got = {s.operation: s.gradient for s in record.stages}
    h = net(x.detach())
    t = h.tanh()
    loss = nn.functional.mse_loss(t, y)
    wanted = dict(zip(("linear", "tanh", "mse_loss"), torch.autograd.grad(loss, (h, t, loss)), strict=True))
    for name, gradient in wanted.items():
        assert got[name] is not None
        assert torch.equal(torch.tensor(got[name]), gradient)
    assert x.grad is not None
    assert torch.equal(torch.tensor(record.stages[0].gradient), x.grad)


def test_each_backward_pass_says_where_it_started_and_whom_it_reached() -> None:
    one, two, x = nn.Linear(3, 2), nn.Linear(2, 1), torch.randn(4, 3)

    def step() -> None:
        h = one(x)
        two(h.detach()).mean().backward()
        two(h).square().mean().backward()

    record = record_step(step, names={"one": one, "two": two, "x": x})
    starts = [record.stages[sent.stage] for sent in record.backwards if sent.stage is not None]
    assert [stage.operation for stage in starts] == ["mean", "mean"]
    assert [sent.location.text.strip() for sent in record.backwards if sent.location] == [
        "two(h.detach()).mean().backward()",
        "two(h).square().mean().backward()",
    ]
    second = ("two.weight", "two.bias")
    assert [set(sent.reached) for sent in record.backwards] == [
        set(second),
        {"one.weight", "one.bias", *second},
    ]


def test_a_report_escapes_what_the_reader_wrote() -> None:
    enc, head, x = starving()
    record = record_step(lambda: head(enc(x).detach()).sum(), names={"<script>": enc, "head": head})
    assert "<script>" not in record._repr_html_()
    assert "&lt;script&gt;" in record._repr_html_()


def test_every_form_says_the_same() -> None:
    enc, head, x = starving()
    record = record_step(lambda: head(enc(x).detach()).sum(), names={"enc": enc, "head": head})
    text = str(record)
    assert "enc.weight" in text
    assert "NO gradient" in text
    plain = json.loads(record.to_json())
    assert plain["cuts"][0]["starved"] == ["enc.weight", "enc.bias"]
    assert plain["findings"][0]["line"] == plain["cuts"][0]["line"]
    assert [p["state"] for p in plain["parameters"]] == ["none", "none", "gradient", "gradient"]


def test_two_thousand_calls_can_be_shown() -> None:
    net, x = nn.Linear(2, 2), torch.randn(1, 2)

    def step() -> Tensor:
        h = x
        for _ in range(1_000):
            h = net(h).tanh()
        return h.sum()

    record = record_step(step, names={"net": net})
    assert len(record.stages) == 2_002
    assert len(record._repr_html_()) < 2_000_000
    assert len(str(record)) < 20_000


def test_the_ways_of_a_gradient_are_told_by_line() -> None:
    q, s, s2 = nn.Linear(3, 1), torch.randn(4, 3), torch.randn(4, 3)

    def step() -> Tensor:
        target = 0.9 * q(s2)
        loss: Tensor = (q(s) - target).pow(2).mean()
        return loss

    record = record_step(step, names={"q": q})
    first = step.__code__.co_firstlineno
    starts = {path.lines[0].line - first for path in record.parameters[0].paths}
    assert starts == {1, 2}


def test_what_is_meant_to_be_constant_is_checked() -> None:
    actor, critic, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(4, 3)

    def step() -> Tensor:
        loss: Tensor = (actor(x) * critic(x)).mean()
        return loss

    def meant() -> Tensor:
        loss: Tensor = (actor(x) * critic(x).detach()).mean()
        return loss

    names = {"actor": actor, "critic": critic}
    leak = record_step(step, names=names, expect_constant=["critic"])
    assert {n for f in leak.findings for n in f.names} == {"critic.weight", "critic.bias"}
    actor.zero_grad()
    critic.zero_grad()
    kept = record_step(meant, names=names, expect_constant=["critic"])
    assert kept.ok
    assert kept.parameters[2].reason == "Declared constant (`expect_constant`)."


def test_a_step_in_the_middle_of_a_script() -> None:
    enc, head, x = starving()
    optimizer = torch.optim.SGD([*enc.parameters(), *head.parameters()], 0.1)
    kept: list[Tensor] = []
    recorded = recording(optimizer=optimizer)
    for _ in range(3):
        with recorded:
            optimizer.zero_grad()
            loss = head(enc(x).detach()).pow(2).mean()
            kept.append(loss)
            loss.backward()
            optimizer.step()
    report = recorded.report
    assert [f.kind for f in report.findings] == ["detach", "growth"]
    assert report.growing == ("kept",)
    assert report.loss == pytest.approx(float(loss))


def test_a_report_is_ready_only_after_its_block() -> None:
    with pytest.raises(RuntimeError, match="has ended"):
        _ = recording().report


def test_the_assertion_passes_and_fails() -> None:
    enc, head, x = starving()
    optimizer = torch.optim.SGD([*enc.parameters(), *head.parameters()], 0.1)
    names = {"enc": enc, "head": head}
    assert assert_gradients_flow(lambda: head(enc(x)).sum(), optimizer=optimizer, names=names).ok
    optimizer.zero_grad()
    with pytest.raises(AssertionError, match=r"no gradient for enc\.weight, enc\.bias"):
        assert_gradients_flow(lambda: head(enc(x).detach()).sum(), optimizer=optimizer, names=names)
    alone = torch.optim.SGD(head.parameters(), 0.1)
    assert_gradients_flow(lambda: head(enc(x).detach()).sum(), optimizer=alone, names=names)
    assert_gradients_flow(
        lambda: head(enc(x).detach()).sum(), optimizer=optimizer, names=names, expect_constant=["enc"]
    )


def test_without_an_optimizer_the_verdict_does_not_say_that_nothing_is_wrong() -> None:
    gate, body, x = nn.Linear(3, 4), nn.Linear(3, 4), torch.randn(5, 3)

    def step() -> torch.Tensor:
        open_ = (gate(x) > 0).float()
        loss: torch.Tensor = (body(x) * open_).pow(2).mean()
        return loss

    names = {"gate": gate, "body": body, "x": x}
    said = record_step(step, names=names).verdict
    assert said.startswith("Nothing is known to be wrong here. No optimizer was found")
    assert "`gate.weight` and `gate.bias` get no gradient" in said
    optimizer = torch.optim.SGD([*gate.parameters(), *body.parameters()], 0.1)
    assert not record_step(step, names={**names, "optimizer": optimizer}).ok
