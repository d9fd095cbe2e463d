"""Lines of code that no person wrote are no lines of the reader's; cells of a notebook are."""

import dataclasses
import functools
import importlib.util
import linecache
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step, recording
from tests.engine.recorder.packages import imported, installed


def blamed(between: Callable[[Tensor], Tensor]) -> StepRecord:
    """The record of a step that loses its gradient in `between`."""
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(5, 3)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

    def step() -> Tensor:
        features = net(x)
        cut = between(features)  # the reader's line
        loss: Tensor = head(cut).pow(2).mean()
        return loss

    report = record_step(step, names={"net": net, "head": head, "x": x, "optimizer": optimizer})
    assert [finding.kind for finding in report.findings] == ["detach"]
    return report


def text_of(report: StepRecord) -> str:
    location = report.findings[0].location
    assert location is not None
    assert report.verdict.startswith(f"{location}, `{location.text}`: ")
    assert location in {stage.location for stage in report.stages if stage.operation == "detach"}
    return location.text


def loaded(name: str, file: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A file that is written and imported under a name, as libraries do with their templates."""
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


DETACH: Any = Tensor.detach


def a_dataclass(h: Tensor) -> Tensor:
    @dataclasses.dataclass
    class Batch:
        features: Tensor = dataclasses.field(default_factory=functools.partial(Tensor.detach, h))

    return Batch().features


def an_attrs_class(h: Tensor) -> Tensor:
    @attrs.define
    class Batch:
        features: Tensor = attrs.field(converter=DETACH)  # type: ignore[misc]

    return Batch(h).features


def code_without_lines(h: Tensor) -> Tensor:
    names: dict[str, Any] = {"h": h}
    exec("out = h.detach()", names)
    out: Tensor = names["out"]
    return out


def a_traced_graph(h: Tensor) -> Tensor:
    class Cut(nn.Module):
        def forward(self, h: Tensor) -> Tensor:
            return h.detach()

    graph: Callable[[Tensor], Tensor] = torch.fx.symbolic_trace(Cut())
    return graph(h)


GENERATED: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "dataclass": (a_dataclass, "return Batch().features"),
    "attrs": (an_attrs_class, "return Batch(h).features"),
    "exec": (code_without_lines, 'exec("out = h.detach()", names)'),
    "torch.fx": (a_traced_graph, "return graph(h)"),
}


@pytest.mark.parametrize(("between", "line"), GENERATED.values(), ids=GENERATED.keys())
def test_generated_code_is_no_line_of_the_readers(between: Callable[[Tensor], Tensor], line: str) -> None:
    assert text_of(blamed(between)) == line


CUT = "def cut(h):\n    return h.detach()\n"


@pytest.mark.parametrize("name", ["a_library.layers.made_by_it", "made_for_the_reader"])
def test_a_module_that_a_library_writes_into_a_temporary_folder_is_no_code_of_the_readers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    installed("a_library", "", tmp_path, monkeypatch)
    monkeypatch.syspath_prepend(tmp_path)  # where a script in the same folder puts it
    module: Any = loaded(name, tmp_path / f"{name}_x7b2.py", CUT, monkeypatch)
    assert text_of(blamed(module.cut)) == "cut = between(features)  # the reader's line"


@pytest.mark.parametrize("temporary", [True, False])
def test_the_readers_own_module_is_the_readers_wherever_it_lies(
    temporary: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if temporary:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module: Any = imported("own_helper", CUT, tmp_path, monkeypatch)
    assert text_of(blamed(module.cut)) == "return h.detach()"


def test_an_installed_packages_module_is_not_the_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = installed("a_library_of_cuts", CUT, tmp_path, monkeypatch)
    assert text_of(blamed(module.cut)) == "cut = between(features)  # the reader's line"


CELLS = [
    "<ipython-input-3-0a1b2c>",
    "<stdin>",
    "<python-input-2>",
    "<lesson.py, detach linear>",
    "{}/ipykernel_7/12.py",
]


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_the_readers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = name.format(tmp_path)
    monkeypatch.setitem(linecache.cache, file, (len(CUT), None, CUT.splitlines(keepends=True), file))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CUT, file, "exec"), names)
    assert text_of(blamed(names["cut"])) == "return h.detach()"


def test_where_no_line_is_the_readers_there_is_what_there_is() -> None:
    net, x = nn.Linear(3, 1), torch.randn(4, 3)
    names: dict[str, Any] = {"net": net, "x": x}
    exec("def step():\n    return net(x).detach().sum()\n", names)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with recording(names={"net": net, "x": x}, optimizer=optimizer) as recorded:
        loss = names["step"]()
    assert loss.grad_fn is None
    assert not recorded.report.ok
    report = record_step(names["step"], names={"net": net, "x": x}, optimizer=optimizer)
    assert report.findings[0].kind == "detach"
    assert report.findings[0].names == ("net.weight", "net.bias")
