"""The fixture `gradients_flow`, in a pytest of its own."""

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest
import torch
from torch import nn

net = nn.Linear(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(4, 3)

def step():
    return net(x).pow(2).mean()

def cut():
    return net(x).detach().pow(2).mean()

def test_right(gradients_flow):
    assert gradients_flow(step, optimizer=optimizer).ok

def test_a_right_block(gradients_flow):
    with gradients_flow.recording(optimizer=optimizer) as recorded:
        loss = step()
        loss.backward()
    assert recorded.report.ok

def test_wrong(gradients_flow):
    gradients_flow(cut, optimizer=optimizer)

def test_a_wrong_block(gradients_flow):
    with gradients_flow.recording(optimizer=optimizer):
        loss = net(x.clone()).pow(2).mean() + net(x).detach().sum()
        loss = loss.detach().requires_grad_()
        loss.backward()

def test_a_block_that_raises(gradients_flow):
    with gradients_flow.recording(optimizer=optimizer):
        loss = net(x).detach().sum()
        loss.backward()

def test_a_block_with_another_fault(gradients_flow):
    with gradients_flow.recording(optimizer=optimizer):
        step().backward()
        assert x.sum() == 13

def test_constants(gradients_flow):
    def without_bias():
        return nn.functional.linear(x, net.weight, net.bias.detach()).pow(2).mean()

    gradients_flow(without_bias, optimizer=optimizer, names={"net": net}, expect_constant=["net.bias"], calls=2)
    with gradients_flow.recording(optimizer=optimizer, expect_constant=["net.bias"]):
        without_bias().backward()
"""


@pytest.fixture
def tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("CI", raising=False)  # with it pytest repeats each message, whole, in its summary
    pytester.makepyfile(TESTS)
    return pytester


def outcome(tests: pytest.Pytester, name: str) -> pytest.RunResult:
    return tests.runpytest_inprocess("-p", "engine.pytest_plugin", "-p", "no:cacheprovider", "-k", name)


@pytest.mark.parametrize("name", ["test_right", "test_a_right_block"])
def test_what_flows_passes(name: str, tests: pytest.Pytester) -> None:
    outcome(tests, name).assert_outcomes(passed=1, deselected=6)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("test_wrong", "return net(x).detach().pow(2).mean()"),
        ("test_a_wrong_block", "loss = loss.detach().requires_grad_()"),
        ("test_a_block_that_raises", "loss = net(x).detach().sum()"),
    ],
)
def test_what_stops_fails_with_one_diagnosis(name: str, line: str, tests: pytest.Pytester) -> None:
    done = outcome(tests, name)
    done.assert_outcomes(failed=1, deselected=6)
    printed = done.stdout.str()
    assert " ".join(f"`{line}`: `net.weight` and `net.bias` get no gradient".split()) in told(printed)
    assert printed.count("E       AssertionError: no gradient for net.weight, net.bias\n") == 1
    assert printed.count("Detached tensor (fault") == 1
    assert "_.py" not in printed
    assert "engine/" not in printed
    assert "During handling" not in printed


def told(printed: str) -> str:
    """The lines of a failure's message as one: a report is wrapped."""
    return " ".join(line.removeprefix("E").strip() for line in printed.splitlines())


def test_an_exception_of_another_kind_stays_what_it_is(tests: pytest.Pytester) -> None:
    done = outcome(tests, "test_a_block_with_another_fault")
    done.assert_outcomes(failed=1, deselected=6)
    done.stdout.fnmatch_lines(["*assert x.sum() == 13"])
    assert "no gradient for" not in done.stdout.str()


def test_the_arguments_are_those_of_the_assertion(tests: pytest.Pytester) -> None:
    outcome(tests, "test_constants").assert_outcomes(passed=1, deselected=6)
