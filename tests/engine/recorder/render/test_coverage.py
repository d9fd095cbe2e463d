"""Gradient coverage: each line is marked by what the gradient did there, and with the parameters that it feeds."""

import linecache
from pathlib import Path

import pytest

from engine.recorder import StepRecord
from engine.recorder.render.coverage import KINDS, MEANING, SHORT, Coverage, CoveredLine, coverage_of, spans
from engine.recorder.render.source_lines import colored, read_source
from engine.recorder.render.words import standing
from engine.recorder.rule import MARK, Rule
from engine.recorder.rules import all_rules
from tests.engine.recorder.forked import record_of

CUT = """
import torch
from torch import nn
encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*encoder.parameters(), *head.parameters()], 0.1)
x = torch.randn(6, 4)

def step():
    h = encoder(x)
    h = h.detach()
    p = head(h)
    target = (p * 2).detach()
    size = p.norm()
    print(size.item())
    return (
        (p - 1).pow(2).mean()
        + (p - target).abs().mean()
    )
"""
LOOP = """
import torch
from torch import nn
nets = nn.ModuleList(nn.Linear(3, 3) for _ in range(6))
opt = torch.optim.SGD(nets.parameters(), 0.1)

def step():
    h = torch.ones(2, 3)
    for i, net in enumerate(nets):
        h = net(h)
        if i == 1:
            h = h.detach()
    return h.mean()
"""


def recorded(text: str, folder: Path, name: str = "my_step.py", calls: int = 1) -> StepRecord:
    path = folder / name
    path.write_text(text)
    return record_of(str(path), calls)


def lines(coverage: Coverage, name: str = "my_step.py") -> dict[int, CoveredLine]:
    (file,) = [file for file in coverage.files if file.file.endswith(name)]
    return {line.number: line for line in file.lines}


def test_every_line_says_what_the_gradient_does_there(tmp_path: Path) -> None:
    coverage = coverage_of(recorded(CUT, tmp_path))
    found = lines(coverage)
    marked = {n: line.kind for n, line in found.items() if line.marked}
    assert marked == {
        9: "lost", 10: "cut", 11: "passes", 12: "meant", 13: "values", 14: "meant", 16: "passes", 17: "passes", 18: "passes",
    }  # fmt: skip
    assert [n for n, line in found.items() if line.continues] == [18]
    assert coverage.names(found[10].starves) == ("encoder.weight", "encoder.bias")
    assert coverage.names(found[11].feeds) == ("head.weight", "head.bias")
    assert found[10].findings == (1,)
    assert not found[12].starves


def test_a_parameter_has_all_its_lines_and_not_only_the_shortest_way(tmp_path: Path) -> None:
    record = recorded(CUT, tmp_path)
    (path,) = next(p.paths for p in record.parameters if p.name == "head.weight")
    assert [at.line for at in path.lines] == [11, 16]
    coverage = coverage_of(record)
    assert [file.file for file in coverage.files] == [record.file]
    for name, numbers in (("head.weight", [11, 16, 17]), ("encoder.weight", [9, 10])):
        assert [line for _, line in coverage.lines_of(name)] == numbers


def test_a_line_of_a_loop_counts_the_calls_that_came_back(tmp_path: Path) -> None:
    coverage = coverage_of(recorded(LOOP, tmp_path))
    line = lines(coverage)[10]
    assert (line.kind, line.words) == ("lost", "passes back from 4 of 6 calls")
    assert coverage.names(line.starves) == coverage.parameters[:4]
    assert coverage.names(line.feeds) == coverage.parameters[4:]
    assert lines(coverage)[12].kind == "cut"


def test_the_gradient_starts_at_the_step_s_own_backward(tmp_path: Path) -> None:
    text = CUT.replace("    return (", "    loss = (").rstrip() + "\n    loss.backward()\n    return loss\n"
    found = lines(coverage_of(recorded(text, tmp_path)))
    assert found[19].kind == "starts"
    assert not any(line.kind == "starts" for line in lines(coverage_of(recorded(CUT, tmp_path))).values())


def test_a_step_that_raises_is_marked_where_it_did(tmp_path: Path) -> None:
    text = CUT.replace("h = h.detach()", "raise ValueError('no')")
    found = lines(coverage_of(recorded(text, tmp_path)))
    assert found[10].kind == "fault"
    assert found[9].kind == "lost"


def test_a_second_file_is_covered_after_the_first(tmp_path: Path) -> None:
    (tmp_path / "helper_of_coverage.py").write_text("def cut(h):\n    return h.detach()\n")
    text = CUT.replace("h = h.detach()", "h = cut(h)").replace(
        "import torch\n", "import torch\nfrom helper_of_coverage import cut\n", 1
    )
    coverage = coverage_of(recorded(text, tmp_path))
    assert [Path(file.file).name for file in coverage.files] == ["my_step.py", "helper_of_coverage.py"]
    assert lines(coverage, "helper_of_coverage.py")[2].kind == "cut"
    assert coverage.count("cut") == 1


@pytest.mark.parametrize("change", ["gone", "changed"])
def test_of_a_file_that_is_not_as_it_was_only_the_recorded_lines_are_shown(
    change: str, tmp_path: Path
) -> None:
    record = recorded(CUT, tmp_path)
    path = tmp_path / "my_step.py"
    if change == "gone":
        path.unlink()
    else:
        path.write_text("# a line more\n" + CUT)
    file = next(file for file in coverage_of(record).files if file.file == str(path))
    assert not file.whole
    assert {line.number: line.kind for line in file.lines}[10] == "cut"
    assert all(line.marked for line in file.lines)
    assert {line.text for line in file.lines} >= {"h = h.detach()"}


def test_a_cell_of_a_notebook_is_read_where_python_keeps_it() -> None:
    name = "<ipython-input-7-coverage>"
    linecache.cache[name] = (9, None, ["a = 1\n", "b = (\n", "    2)\n"], name)
    found = read_source(name, {1: "a = 1"})
    assert found.whole
    assert dict(found.lines) == {1: "a = 1", 2: "b = (", 3: "    2)"}
    assert dict(found.statements) == {3: 2}


@pytest.mark.parametrize(
    ("bits", "found"),
    [(0, ()), (1, ((0, 0),)), (0b1011, ((0, 1), (3, 3))), ((1 << 900) - 1 << 100, ((100, 999),))],
)
def test_bits_are_written_as_stretches(bits: int, found: tuple[tuple[int, int], ...]) -> None:
    assert spans(bits) == found


def test_colouring_loses_no_character() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        text = dict(enumerate(path.read_text().splitlines(), 1))
        assert {n: "".join(p.text for p in pieces) for n, pieces in colored(text).items()} == text
    broken = {1: "def step(:", 2: "    x = '''no end", 3: "  y ="}
    assert {n: "".join(p.text for p in pieces) for n, pieces in colored(broken).items()} == broken


def test_kinds_are_told_apart_without_colour() -> None:
    for said in ([word.sign for word in KINDS.values()], [w.text for w in KINDS.values()], [*SHORT.values()]):
        assert len(set(said)) == len(KINDS)
    assert KINDS.keys() == MEANING.keys() == SHORT.keys()


def example(text: str, rule: Rule, folder: Path) -> StepRecord:
    path = folder / "example.py"
    path.write_text(text.replace(MARK, ""))
    return record_of(str(path), rule.calls, rule.constant)


each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)


@each_rule
def test_the_marked_line_of_a_bad_example_is_where_it_is_cut(rule: Rule, tmp_path: Path) -> None:
    record = example(rule.bad, rule, tmp_path)
    (finding,) = record.findings
    marked = [n for n, line in enumerate(rule.bad.splitlines(), 1) if line.endswith(MARK)]
    if not marked:
        return
    coverage = coverage_of(record)
    line = lines(coverage, "example.py")[marked[0]]
    starving = {p.name for p in record.parameters if standing(p) in ("none", "zero")} & set(finding.names)
    cuts = any(cut.location == finding.location and not cut.intended for cut in record.cuts)
    assert line.kind == ("cut" if (starving or cuts) and finding.severity == "fault" else "fault")
    assert starving <= set(coverage.names(line.starves))
    assert line.findings == (1,)


@each_rule
def test_a_good_example_has_no_bad_line_and_every_way_is_covered(rule: Rule, tmp_path: Path) -> None:
    record = example(rule.good, rule, tmp_path)
    coverage = coverage_of(record)
    assert coverage.count("cut", "fault", "lost", "zeros") == 0
    for parameter in record.parameters:
        ways = {(at.file, at.line) for path in parameter.paths for at in path.lines}
        if standing(parameter) == "gradient":
            assert ways <= set(coverage.lines_of(parameter.name))
