"""The engine installed as `detach_lab` in somebody else's project, which has an `engine` of its own.

The wheel is built and installed into a fresh environment. That has torch, numpy, jinja2, pytest and what they need, linked
from the tests' own environment instead of downloaded, and nothing else: no pandas, no streamlit.
"""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.warm import started_warm

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
STEP = """
import torch
from engine import train_one_epoch

net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def step():
    train_one_epoch()
    hidden = net(torch.ones(3, 2)).detach()
    return hidden.sum()

def good_step():
    return net(torch.ones(3, 2)).sum()
"""
TESTS = """
from detach_lab import assert_gradients_flow
from my_step import good_step, optimizer, step

def test_bad():
    assert_gradients_flow(step, optimizer=optimizer)

def test_good():
    assert_gradients_flow(good_step, optimizer=optimizer)
"""
FIXTURE = """
def test_nothing_of_the_plugin_is_loaded():
    import sys
    assert "torch" not in sys.modules

def test_bad(gradients_flow):
    from my_step import optimizer, step
    gradients_flow(step, optimizer=optimizer)

def test_good(gradients_flow):
    from my_step import good_step, optimizer
    with gradients_flow.recording(optimizer=optimizer):
        loss = good_step()
        loss.backward()
"""
BY_IMPORT = """
import sys
from detach_lab import record, recording
from my_step import good_step, optimizer, step
print(record(step, optimizer=optimizer).findings[0].location.line)
print("<table>" in record(step, optimizer=optimizer)._repr_html_())
with recording(optimizer=optimizer) as recorded:
    loss = good_step()
    loss.backward()
print(recorded.report.ok, sorted({"pandas", "streamlit", "altair"} & set(sys.modules)), sys.modules["engine"].__file__)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("installed")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
    ]
    subprocess.run([*build, str(ROOT)], check=True)
    (wheel,) = folder.glob("detach_lab-*.whl")
    environment = folder / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    for name in needed("torch", "numpy", "jinja2", "pytest"):
        link(name, site)
    made = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(made), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True)
    return made


def needed(*names: str) -> set[str]:
    """The distributions of these names and all that they require here."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in found:
            continue
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:  # a CPU build does without its CUDA packages
            continue
        found.add(name)
        wanted = [Requirement(line) for line in requires]
        todo += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def link(name: str, site: Path) -> None:
    """Puts a distribution of the tests' environment into another one, as links."""
    files = importlib.metadata.distribution(name).files or []
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        if not (site / top).exists():
            (site / top).symlink_to(Path(str(importlib.metadata.distribution(name).locate_file(top))))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an engine of its own, which is a module."""
    return made(tmp_path, "engine.py")


@pytest.fixture(params=["engine.py", "engine/__init__.py"])
def either_project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project with an engine of its own: a module, or a package."""
    return made(tmp_path, request.param)


def made(folder: Path, engine: str) -> Path:
    """A project in that folder, whose own `engine` is that file."""
    own = folder / engine
    own.parent.mkdir(exist_ok=True)
    own.write_text("def train_one_epoch():\n    return 1\n")
    (folder / "my_step.py").write_text(STEP)
    (folder / "test_flow.py").write_text(TESTS)
    return folder


CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST", "VIRTUAL_ENV"))}


def run(project: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], cwd=project, env=CLEAN, capture_output=True, text=True)


Quick = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def quick(python: Path) -> Iterator[Quick]:
    """Runs what stands after `python` in a command line, where `detach-lab` is the installed command; torch is loaded."""
    with started_warm(python, CLEAN) as warm:

        def run(project: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
            first = str(python.with_name("detach-lab")) if words[0] == "detach-lab" else str(words[0])
            return warm.run(first, *map(str, words[1:]), folder=project)

        yield run


def test_the_command_names_the_line(python: Path, either_project: Path) -> None:
    done = run(either_project, python.with_name("detach-lab"), "trace", "my_step.py")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("my_step.py:10, `hidden = net(torch.ones(3, 2)).detach()`")


def test_so_does_the_module(quick: Quick, project: Path) -> None:
    done = quick(project, "-m", "detach_lab", "trace", "my_step.py", "--json")
    assert done.returncode == 1, done.stderr
    assert '"line": 10' in done.stdout


@pytest.mark.parametrize("form", ["github", "sarif", "html"])
def test_every_form_is_installed(form: str, quick: Quick, project: Path) -> None:
    shutil.copy(ROOT / "tests/engine/running/scripts/arguments.py", project / "train.py")
    into = project / "report"
    done = quick(project, "detach-lab", "run", "--format", form, "--output", into, "train.py")
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert "return self.head(h.detach())" in into.read_text() or form == "github"
    assert "15" in into.read_text()


def test_the_schema_of_the_json_is_installed(python: Path, project: Path) -> None:
    code = "import detach_lab, json, pathlib; home = pathlib.Path(detach_lab.__file__).parent; print(json.loads((home / 'recorder/render/report.schema.json').read_text())['$schema'])"
    assert run(project, python, "-c", code).stdout.strip().endswith("2020-12/schema")


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("arguments.py", "return self.head(h.detach())"),
        ("trainer_class.py", 'features = self.model["encoder"](x).data'),
    ],
)
def test_a_training_script_is_run_as_it_is(script: str, line: str, quick: Quick, project: Path) -> None:
    shutil.copy(ROOT / "tests/engine/running/scripts" / script, project / "train.py")
    done = quick(project, "detach-lab", "run", "train.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert f", `{line}`: " in done.stdout
    cured = line.replace(".detach()", "").replace(".data", "")
    (project / "train.py").write_text((project / "train.py").read_text().replace(line, cured))
    done = quick(project, "detach-lab", "run", "train.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing is wrong here" in done.stdout


def test_a_tools_form_has_the_standard_output_to_itself(quick: Quick, project: Path) -> None:
    shutil.copy(ROOT / "tests/engine/running/scripts/arguments.py", project / "train.py")
    done = quick(project, "-m", "detach_lab", "run", "--keep-going", "--json", "train.py", "--epochs", "3")
    assert json.loads(done.stdout)["findings"][0]["line"] == 15
    assert [line[:7] for line in done.stderr.splitlines()] == ["epoch 0", "epoch 1", "epoch 2"]


def test_the_scripts_first_line_runs_before_torch_is_loaded(python: Path, project: Path) -> None:
    code = "import sys\nprint('torch' in sys.modules, 'numpy' in sys.modules, sys.argv, __name__)\n"
    (project / "train.py").write_text(code)
    done = run(project, python.with_name("detach-lab"), "run", "train.py", "--lr", "1")
    assert done.stdout == "False False ['train.py', '--lr', '1'] __main__\n"
    assert done.stderr == "train.py ended and never imported torch, so there is no step to record.\n"
    assert done.returncode == 2


def test_so_does_an_import_without_pandas(quick: Quick, either_project: Path) -> None:
    done = quick(either_project, "-c", BY_IMPORT)
    assert done.returncode == 0, done.stderr
    line, shown, rest = done.stdout.splitlines()
    assert (line, shown) == ("10", "True")
    assert rest.startswith("True [] ")
    assert str(either_project) in rest


def test_so_does_a_test_under_pytest(quick: Quick, project: Path) -> None:
    done = quick(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_flow.py")
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "my_step.py:10" in done.stdout


def test_so_does_the_fixture_and_costs_nothing_where_nobody_asks(python: Path, project: Path) -> None:
    (project / "test_flow.py").write_text(FIXTURE)
    done = run(project, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_flow.py")
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "FAILED test_flow.py::test_bad" in done.stdout
    assert "my_step.py:10" in done.stdout
    assert "During handling" not in done.stdout


def test_the_app_s_packages_are_not_needed(python: Path, project: Path) -> None:
    done = run(project, python, "-c", "import pandas")
    assert "ModuleNotFoundError" in done.stderr


def test_the_version_is_told(python: Path, project: Path) -> None:
    from engine import __version__

    assert run(project, python.with_name("detach-lab"), "--version").stdout == f"detach-lab {__version__}\n"


def test_the_extra_is_what_the_app_s_requirements_are() -> None:
    listed = (ROOT / "requirements.txt").read_text().split()
    assert [one for one in listed if not one.startswith("torch==")] == PROJECT["optional-dependencies"]["app"]
    assert PROJECT["dependencies"] == ["torch>=2.4", "numpy", "jinja2"]
