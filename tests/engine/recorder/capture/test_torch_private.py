"""What torch doesn't promise: named in one module, and without those names the reports are the same."""

import ast
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import Tensor, nn

import engine
from engine import record
from engine.recorder.capture import torch_private
from engine.recorder.capture.data_flow import Storages
from engine.recorder.capture.tensors import read_only
from tests.engine.recorder.forked import report_of
from tests.engine.recorder.test_cases import CASES

ENGINE = Path(engine.__file__).parent
OURS = {"_getframe", "_asdict", "_make", "_replace"}
KEPT_BY_PICKLE = {"_modules", "_parameters", "_buffers"}
"""Parts of every module that was ever saved: torch can't drop them."""
WITHOUT_NAMES = {
    "next_number": torch_private.next_number_by_a_node,
    "is_wrapped": torch_private.has_no_memory,
    "version_of": torch_private.version_by_content,
    "saved_by": torch_private.saved_by_unpacking,
    "eager_stance": torch_private.eager_without_stance,
}


def private_names(path: Path) -> list[str]:
    """The private names of others in a file: imports out of torch's private modules, and private attributes."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            if names[0] == "torch" and any(name.startswith("_") for name in names):
                found.append(f"{path.name}:{node.lineno}: {node.module}")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__"):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not own and node.attr not in OURS | KEPT_BY_PICKLE:
                found.append(f"{path.name}:{node.lineno}: {node.attr}")
    return found


def test_private_names_stand_in_one_module() -> None:
    files = [
        *(ENGINE / "recorder").rglob("*.py"),
        ENGINE / "twins" / "recorded_step.py",
        ENGINE / "testing.py",
    ]
    private = [name for path in files if path.name != "torch_private.py" for name in private_names(path)]
    assert private == []
    assert private_names(ENGINE / "recorder" / "capture" / "torch_private.py")


@pytest.fixture
def without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder as it is where torch has none of the private names that have a stand-in."""
    modules = [m for name, m in sys.modules.items() if name.startswith("engine.recorder")]
    profiler = {torch_private.PROFILER_ENTER, torch_private.PROFILER_EXIT}
    for name, instead in WITHOUT_NAMES.items():
        known = getattr(torch_private, name)
        for module in modules:
            if vars(module).get(name) is known:
                monkeypatch.setattr(module, name, instead)
    for module in modules:
        if "PROFILER_ENTER" in vars(module):
            monkeypatch.setattr(module, "PROFILER_ENTER", "_named_otherwise")
        if "NO_VALUES" in vars(module):
            monkeypatch.setattr(module, "NO_VALUES", vars(module)["NO_VALUES"] - profiler)


TOUCHED = [
    "no_grad_decorator",
    "function_returns_none",
    "function_closes_over_weight",
    "checkpoint",
    "whole_training_step",
    "lbfgs",
    "layer_drop_random",
    "compiled",
    "never_stepped",
    "zero_grad_wrong",
    "dpsgd",
    "hook_on_a_hidden",
    "buffer_filled",
    "running_mean",
    "gradient_penalty",
    "amp_scaler",
    "statistics_move",
    "zero_grad_between",
    "functional_call",
    "sent_back",
    "inference_mode",
]
"""Parts of the names of cases that lean on what is stood in for."""


@pytest.fixture(scope="module")
def with_names() -> dict[Path, dict[str, Any]]:
    return {path: report_of(str(path), 2) for path in CASES if any(part in path.name for part in TOUCHED)}


def test_the_reports_are_the_same_without_the_names(
    with_names: dict[Path, dict[str, Any]], without_names: None
) -> None:
    assert len(with_names) > len(TOUCHED)
    assert {path: report_of(str(path), 2) for path in with_names} == with_names


@pytest.mark.parametrize("ask", [torch_private.next_number, torch_private.next_number_by_a_node])
@pytest.mark.parametrize("around", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_the_next_node_gets_the_next_number(ask: Callable[[], int], around: Callable[[], Any]) -> None:
    leaf = torch.ones((), requires_grad=True)
    with around():
        number = ask()
    assert torch_private.number_of(leaf.exp().grad_fn) == number


@pytest.mark.parametrize("is_wrapped", [torch_private.is_wrapped, torch_private.has_no_memory])
def test_what_torch_func_wraps_has_no_numbers(is_wrapped: Callable[[Tensor], bool]) -> None:
    seen: list[bool] = []

    def look(x: Tensor) -> Tensor:
        seen.append(is_wrapped(x))
        assert read_only(x, 100) is None
        return x.sum()

    torch.func.vmap(look)(torch.ones(2, 3))
    torch.func.grad(look)(torch.ones(3))
    assert seen == [True, True]
    assert not any(
        map(is_wrapped, (torch.ones(2), torch.ones(2, requires_grad=True).exp(), nn.Parameter(torch.ones(1))))
    )


@pytest.mark.parametrize("version_of", [torch_private.version_of, torch_private.version_by_content])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64, torch.int64, torch.bool])
def test_a_change_in_place_is_a_new_version(version_of: Callable[[Tensor], int], dtype: torch.dtype) -> None:
    tensor = torch.ones(2, 3, dtype=dtype).t()
    before = version_of(tensor)
    assert version_of(tensor) == before
    tensor[0, 0] = 0
    assert version_of(tensor) != before


def test_a_buffer_made_under_inference_mode_counts_no_versions() -> None:
    net, x = nn.Linear(2, 1), torch.ones(3, 2)
    with torch.inference_mode():
        net.register_buffer("seen", torch.zeros(40_000))
    assert record(lambda: net(x).sum()).ok


def test_torch_that_tells_of_no_hooks_has_none() -> None:
    untold: Any = object()
    assert not torch_private.has_hook_after(untold)
    assert not torch_private.has_hook_before(untold)
    leaf = torch.ones(1, requires_grad=True)
    assert not torch_private.has_hook_after(leaf)
    leaf.register_post_accumulate_grad_hook(lambda _: None)
    assert torch_private.has_hook_after(leaf)


def compiled() -> tuple[Callable[[Tensor], Tensor], list[object]]:
    """A function under `torch.compile`, and what was compiled of it."""
    torch._dynamo.reset()
    graphs: list[object] = []

    def backend(graph: Any, _: object) -> Any:
        graphs.append(graph)
        return graph.forward

    function: Callable[[Tensor], Tensor] = torch.compile(lambda x: x.exp() * 2, backend=backend)
    return function, graphs


STANCES = [torch_private.eager_without_stance]
if hasattr(torch.compiler, "set_stance"):
    STANCES.append(torch_private.eager_stance)


@pytest.mark.parametrize("stance", STANCES)
def test_compiled_code_runs_eagerly_inside(stance: Callable[[], Any]) -> None:
    function, graphs = compiled()
    with stance():
        function(torch.ones(2))
    assert graphs == []
    function(torch.ones(2))
    assert len(graphs) == 1


@pytest.mark.parametrize("stance", STANCES)
def test_what_is_compiled_already_is_seen_call_by_call(
    stance: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_private, "eager_stance", stance)
    function, graphs = compiled()
    x = torch.ones(2, requires_grad=True)
    function(x)
    report = record(lambda: function(x).detach().sum(), names={"x": x})
    assert len(graphs) == 1
    assert [stage.operation for stage in report.stages if "exp" in stage.operation] == ["exp"]
    assert [cut.kind for cut in report.cuts] == ["detach"]


def test_of_overlapping_recordings_the_last_one_lets_torch_compile_again() -> None:
    function, graphs = compiled()
    eager = torch_private.run_eagerly
    eager.__enter__()
    eager.__enter__()
    eager.__exit__()
    function(torch.ones(2))
    assert graphs == []
    eager.__exit__()
    function(torch.ones(2))
    assert len(graphs) == 1


def test_memory_has_one_number_and_goes_when_its_tensors_go() -> None:
    storages, x, y = Storages(), torch.ones(3), torch.ones(3)
    number = storages.number(x.untyped_storage())
    view, memory = x.view(3, 1), weakref.ref(x.untyped_storage())
    del x
    assert storages.number(view.untyped_storage()) == number != storages.number(y.untyped_storage())
    assert storages.forget_the_dead() == []
    del view
    assert memory() is None
    assert storages.forget_the_dead() == [number]
    assert storages.forget_the_dead() == []
    assert storages.number(torch.ones(3).untyped_storage()) not in (
        number,
        storages.number(y.untyped_storage()),
    )


def test_what_a_node_saved_is_looked_at_without_unpacking_it() -> None:
    if torch_private.saved_by is torch_private.saved_by_unpacking:
        pytest.skip("this torch shows it unpacked only")
    unpacked: list[Tensor] = []

    def unpack(tensor: Tensor) -> Tensor:
        unpacked.append(tensor)
        return tensor

    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        packed = x * x
    plain = x * x
    assert list(torch_private.saved_by(packed.grad_fn)) == []
    assert [saved is x for saved in torch_private.saved_by(plain.grad_fn)] == [True, True]
    assert unpacked == []
    plain.sum().backward()
    assert list(torch_private.saved_by(plain.grad_fn)) == []
    assert [saved is x for saved in torch_private.saved_by_unpacking((x * x).grad_fn)] == [True, True]
    assert list(torch_private.saved_by_unpacking(plain.grad_fn)) == []
