"""Every program of tests/cases, recorded in a process of its own and held against what it says of itself.

A case has one fault or none (`ok`). Its fault comes first in the report, and kind and line stand in the same finding.
The line is `cut_line`; where nothing is cut, the one that ends with the mark of the rules' examples; else the one
that raises (`raise_line`), or that the fix replaces. A case without any of these has a fault that stands on no line.
Where the fault is a detach that is missing, no finding is allowed, but the ways of the gradient show the line.

The `fix` is put in place, in a copy of the same name, and the report becomes ok: one line is replaced, and what the
author wants to be constant (`leaks`, `still_none`) is said to be so. What a report doesn't tell is asked of the
recording: `warns` of the warnings that torch gave, `own_backward` of who called it. Every key is read.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from engine.recorder.rule import MARK
from engine.recorder.rules import all_rules
from tests.engine.recorder.forked import Seen, seen_of

CASES = sorted((Path(__file__).parents[2] / "cases").glob("case_*.py"))
KEYS = frozenset(
    [
        "kind", "cut_line", "no_grad", "zero", "leaks", "wrong", "raises", "raises_in", "raise_line", "warns", "calls",
        "growth", "buffers", "unchanged_by_opt", "snapshot", "watch", "still_none", "loss_differs", "ok",
        "own_backward", "fix",
    ]
)  # fmt: skip
Found = tuple[str, int | None]

ALSO: dict[str, list[Found]] = {
    # two layers are dead, or each factor is the other's zero
    "108_dead_relu": [("zero_op", 11)],
    "274_both_factors_zero": [("zero_op", 10)],
    "561_bag_of_nothing_but_padding": [("zero_op", 8)],
    # the new parameter is in no optimizer
    "254_clone_wrapped_in_new_parameter": [("unregistered", 14)],
    "303_parameter_made_in_forward": [("unregistered", 10)],
    # the state keeps its history until a later pass refuses
    "57_retain_graph_then_inplace_error": [("growth", 10)],
}
"""What is rightly found beside a case's fault, and comes after it."""

REMAINS: dict[str, list[Found]] = {
    # the leaf is made in the step and thrown away, so that there is nothing that could be trained
    "26_integer_tensor_cannot_require_grad": [("not_in_graph", None)],
    "37_manual_descent_rebinds_the_leaf": [("not_in_graph", None)],
    # the program never clears its gradients, which shows only once it runs
    "57_retain_graph_then_inplace_error": [("zero_grad", 12)],
}
"""What is rightly found in a program after its fix."""

CONSTANT = {
    # the force is a derivative of the potential, from which its last bias is gone
    "113_force_inside_an_adjoint_solver": ["pot.2.bias"],
}
"""Parameters that get no gradient in the program as it is meant, and that no key names."""


ADVICE: dict[str, dict[str, str]] = {
    "derivative_of_a_part": {
        "Differentiate with respect to the whole": "112_stacked_weights_sliced_too_late",
        "Call `.requires_grad_()` on it before": "456_derivative_by_an_input_that_asks_for_none",
    },
    "inplace": {
        "Call `backward()` before `step()`": "04_gan_optimizer_step_between_backwards",
        "under `with torch.no_grad():`": "38_inplace_edit_of_a_weight",
    },
    "left_out": {"Build the optimizer last": "501_adapters_after_the_optimizer"},
    "non_finite": {"Clamp or mask the input of": "411_root_inside_a_where"},
    "non_leaf": {"`with torch.no_grad(): w -= lr * w.grad`": "37_manual_descent_rebinds_the_leaf"},
    "lost_parameter": {"`with torch.no_grad(): w -= lr * w.grad`": "552_descent_rebinds_between_steps"},
    "not_in_graph": {
        "look at several calls (`--calls 5`) or at a later step (`run --step 6`). Otherwise add": "276_layer_drop"
    },
    "optimizer_refuses": {"`torch.func.functional_call(": "459_weight_of_a_layer_is_computed"},
    "stale_optimizer": {"`list(model.parameters())`": "293_exhausted_generator"},
    "unregistered": {"`nn.Parameter`": "294_plain_tensor_attribute"},
    "zero_grad": {"once before the loop": "292_zero_grad_inside_accumulation"},
    "zero_op": {
        "Give this term a weight other than 0": "631_term_with_weight_zero",
        "`leaky_relu`": "108_dead_relu",
        "Start it inside the range": "560_clamp_that_a_parameter_starts_outside",
        "Use that index for padding only": "569_relation_zero_is_the_padding_row",
        "Bring its inputs closer to zero": "564_gate_saturated_by_a_large_scale",
        "at zero the slope is zero": "565_square_of_a_parameter_at_zero",
        "Look at the targets": "566_every_target_is_ignored",
        "a margin that every example": "568_margin_that_every_example_keeps",
        "look at the condition": "179_where_hides_branch",
        "a `max_norm` of 0": "291_clip_to_zero",
        "Look at where it is computed": "275_zero_input",
        "Pass the `dim`": "273_softmax_over_one",
        "Return the gradient from the hook": "248_hook_zeroes_gradient",
        "Initialise one of the two to other values": "274_both_factors_zero",
        "Add its result to the loss, or do not": "624_queries_of_which_no_answer_is_used",
    },
}
"""By rule: advice other than its usual one, each with a case where it is the right one."""


def name_of(path: Path) -> str:
    return path.stem.removeprefix("case_")


def expectation(path: Path) -> dict[str, Any]:
    for node in ast.parse(path.read_text()).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "EXPECT"
        ):
            assert isinstance(node.value, ast.Call)
            return {k.arg: ast.literal_eval(k.value) for k in node.value.keywords if k.arg}
    raise AssertionError(f"{path.name} has no EXPECT")


def blamed_line(path: Path, expect: dict[str, Any]) -> int | None:
    """The line that the report is to name."""
    marked = [n for n, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(MARK)]
    assert len(marked) <= 1
    assert not (marked and expect["cut_line"])
    line: int | None = expect["cut_line"] or next(iter(marked), None) or expect.get("raise_line")
    return line or expect.get("fix", (None,))[0]


def in_step(path: Path, line: int) -> bool:
    """Whether a line is one of `step()` itself, and not of what stands before it."""
    steps = [
        n for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef) and n.name == "step"
    ]
    return any(step.lineno < line <= (step.end_lineno or 0) for step in steps)


def found(report: dict[str, Any]) -> list[Found]:
    return [(finding["kind"], finding["line"]) for finding in report["findings"]]


def states(report: dict[str, Any]) -> dict[str, str]:
    return {p["name"]: p["state"] for p in report["parameters"]}


def names_in(findings: list[dict[str, Any]]) -> set[str]:
    return {name for finding in findings for name in finding["names"]}


@pytest.mark.parametrize("path", CASES, ids=name_of)
def test_a_case_is_diagnosed(path: Path) -> None:
    expect = expectation(path)
    assert expect.keys() <= KEYS
    seen = seen_of(str(path), expect.get("calls", 1))
    report = seen.report
    check_facts(expect, seen)
    check_advice(name_of(path), report["findings"])
    if expect.get("ok"):
        check_control(expect, report)
    elif expect["kind"] == "none" and not expect["cut_line"]:
        check_missing_detach(expect, report, in_step(path, expect.get("fix", (0,))[0]))
    else:
        check_fault(expect, report, blamed_line(path, expect), ALSO.get(name_of(path), []))


def check_facts(expect: dict[str, Any], seen: Seen) -> None:
    """What is true of the run, whatever is found."""
    report = seen.report
    state = states(report)
    none = {name for name, one in state.items() if one == "none"}
    zero = {name for name, one in state.items() if one == "zero"}
    if expect["raises"]:
        kind, pattern = expect["raises"]
        assert report["raised"]["type"] == kind
        assert re.search(pattern, report["raised"]["message"])
        assert report["raised"]["stage"] == expect["raises_in"]
        if expect.get("raise_line"):
            assert report["raised"]["line"] == expect["raise_line"]
        assert set(expect["no_grad"]) <= none | zero
    else:
        assert report["raised"] is None
        by_hand = expect.get("ok") and expect.get("own_backward")  # what was used is cleared afterwards
        assert none == set(expect["no_grad"]) or (by_hand and none <= set(expect["no_grad"]))
        assert zero == set(expect.get("zero", ())) or (by_hand and zero <= set(expect.get("zero", ())))
    assert state.keys() >= set(expect.get("watch", ()))
    assert all(state[name] == "gradient" for name in (*expect.get("leaks", ()), *expect.get("wrong", ())))
    held = {p["name"] for p in report["parameters"] if p["in_optimizer"]}
    assert not held & set(expect.get("unchanged_by_opt", ()))
    assert report["growing"] == ([expect["growth"]] if "growth" in expect else report["growing"])
    if "buffers" in expect:
        assert sorted(report["buffers"]) == sorted(expect["buffers"])
    if "warns" in expect:
        assert any(re.search(expect["warns"], warning) for warning in seen.warnings)
    if expect.get("own_backward"):
        assert not seen.called_backward


def check_control(expect: dict[str, Any], report: dict[str, Any]) -> None:
    """Nothing is said against a right program, and the cut that it means to have is shown as that."""
    assert report["ok"], report["verdict"]
    assert found(report) == []
    if expect["kind"] != "none":
        shown = [(cut["kind"], cut["line"]) for cut in report["cuts"] if cut["intended"]]
        assert (expect["kind"], expect["cut_line"]) in shown


def check_missing_detach(expect: dict[str, Any], report: dict[str, Any], in_step: bool) -> None:
    """One run can't show what was meant: nothing is claimed, and what is to be looked at can be read."""
    assert report["ok"], report["verdict"]
    assert found(report) == []
    suspects = [*expect.get("leaks", ()), *expect.get("wrong", ())]
    if not suspects:  # nothing is cut, and nothing moves all the same
        assert report["notes"]
        assert report["notes"][0] in report["verdict"]
    paths = {
        p["name"]: [[at["line"] for at in way["lines"]] for way in p["paths"]] for p in report["parameters"]
    }
    for name in suspects:
        assert paths[name]
        assert not in_step or any(expect["fix"][0] in lines for lines in paths[name])


def check_fault(expect: dict[str, Any], report: dict[str, Any], line: int | None, also: list[Found]) -> None:
    """The fault comes first, with its line and those who suffer by it; what else is found is known."""
    assert not report["ok"]
    first = report["findings"][0]
    kind = first["kind"] if expect["kind"] == "none" else expect["kind"]
    assert found(report) == [(kind, line), *also], report["verdict"]
    assert not any("  " in finding["text"] or "``" in finding["text"] for finding in report["findings"])
    again = {p["name"] for p in report["parameters"] if p["reason"].startswith("The same tensor as")}
    cured = {*expect["no_grad"], *expect.get("zero", ())} - {*expect.get("still_none", ()), *again}
    if not expect["raises"] and "fix" in expect:
        assert cured <= names_in([f for f in report["findings"] if (f["kind"], f["line"]) == (kind, line)])
    if expect.get("wrong"):
        partial = {name for cut in report["cuts"] for name in cut["partial"]}
        assert (names_in(report["findings"]) | partial) & set(expect["wrong"])
    if "snapshot" in expect:
        assert f"`{expect['snapshot']}`" in first["text"]


def check_advice(case: str, findings: list[dict[str, Any]]) -> None:
    """A finding has its rule's usual advice, or one that is known, and each of those its case."""
    usual = {rule.name: rule.instead for rule in all_rules()}
    special = [f for f in findings if f["suggestion"] != usual[f["rule"]]]
    said = [[text for text in ADVICE.get(f["rule"], ()) if text in f["suggestion"]] for f in special]
    assert all(len(texts) == 1 for texts in said), [finding["suggestion"] for finding in special]
    wanted = {text for texts in ADVICE.values() for text, right in texts.items() if right == case}
    assert wanted <= {text for texts in said for text in texts}


FIXED = [path for path in CASES if "fix" in expectation(path)]


@pytest.mark.parametrize("path", FIXED, ids=name_of)
def test_its_fix_ends_it(path: Path, tmp_path: Path) -> None:
    expect = expectation(path)
    calls = expect.get("calls", 1)
    still = [*expect.get("still_none", ()), *CONSTANT.get(name_of(path), ())]
    leaks = [*expect.get("leaks", ())]
    report = seen_of(with_fix(path, expect, tmp_path), calls, [*leaks, *still]).report
    assert report["raised"] is None
    assert found(report) == REMAINS.get(name_of(path), []), report["verdict"]
    assert report["ok"] == (name_of(path) not in REMAINS)
    state = states(report)
    cured = {*expect["no_grad"], *expect.get("zero", ())} - {*still}
    assert {state[name] for name in cured if name in state} <= {"gradient"}
    assert {state[name] for name in (*leaks, *still)} <= {"none"}
    if "buffers" in expect:
        assert report["buffers"] == []
    if "growth" in expect:
        assert report["growing"] == []
    if expect.get("loss_differs"):
        assert abs(report["loss"] - seen_of(str(path), calls).report["loss"]) > 1e-6
    if leaks:
        told = seen_of(str(path), calls, [*leaks, *still]).report["findings"]
        assert names_in([finding for finding in told if finding["rule"] == "expect_constant"]) == set(leaks)


def with_fix(path: Path, expect: dict[str, Any], folder: Path) -> str:
    """The path of a copy with the one line replaced."""
    number, text = expect["fix"]
    lines = path.read_text().splitlines()
    old = lines[number - 1]
    lines[number - 1] = old[: len(old) - len(old.lstrip())] + text
    assert lines[number - 1] != old
    copy = folder / path.name
    copy.write_text("\n".join(lines) + "\n")
    return str(copy)


def test_there_are_cases() -> None:
    assert len(CASES) >= 61
    known = {name_of(path) for path in CASES}
    advised = {case for texts in ADVICE.values() for case in texts.values()}
    assert {*ALSO, *REMAINS, *CONSTANT, *advised} <= known
