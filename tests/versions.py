"""Runs the recorder's tests on other versions of Python and torch: `python -m tests.versions`.

For each interpreter that the machine has and each torch asked for it makes a virtual environment, installs the tests'
requirements with that torch, runs the tests and prints one line. An environment takes up to 6 GB where the package
index's torch brings CUDA, and is deleted again unless `--folder` names a place to keep it for the next time.
Exit status 0: every combination passed; 1: one failed or could not be installed, or there was none.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("python3.11", "python3.12", "python3.13")
TORCHES = ("2.13.0", "2.8.0", "2.6.0", "2.4.1")
RECORDER = ("tests/engine/recorder",)
FIRST_TORCH = {(3, 13): (2, 5)}
"""By Python: the first torch that was ever built for it."""


def pins(path: Path) -> list[str]:
    """The requirements in a file and in those that it names."""
    found: list[str] = []
    for line in path.read_text().split("\n"):
        if line.startswith("-r "):
            found += pins(path.parent / line.removeprefix("-r ").strip())
        elif line.strip() and not line.startswith("#"):
            found.append(line.strip())
    return found


def requirements(torch: str) -> str:
    """The tests' requirements as a file's text, with another torch."""
    lines = [line for line in pins(ROOT / "tests" / "requirements.txt") if not line.startswith("torch==")]
    return "\n".join([f"torch=={torch}", *lines, ""])


def interpreter(name: str) -> tuple[str, tuple[int, int]] | None:
    """An interpreter's file and version, found by name or path, or as pyenv keeps it; None where none starts."""
    number = name.removeprefix("python")
    kept = sorted(Path.home().glob(f".pyenv/versions/{number}.*/bin/{name}")) if "/" not in name else []
    for path in filter(None, (shutil.which(name), *map(str, reversed(kept)))):
        code = "import sys; print(sys.executable, *sys.version_info[:2], sep='\\n')"
        asked = subprocess.run([path, "-c", code], capture_output=True, text=True)
        if asked.returncode == 0:
            file, major, minor = asked.stdout.split("\n")[:3]
            return file, (int(major), int(minor))
    return None


def last_line(text: str) -> str:
    """What a tool said last."""
    return next((line.strip(" =") for line in reversed(text.split("\n")) if line.strip()), "no word")


def run(python: str, torch: str, folder: Path, tests: Sequence[str], workers: int) -> tuple[bool, str]:
    """Runs the tests in an environment in `folder`, made if it isn't there: whether they pass, and what pytest said."""
    inside, wanted, given = str(folder / "bin" / "python"), folder / "wanted.txt", folder / "installed.txt"
    text = requirements(torch)
    if not given.exists() or given.read_text() != text:
        made = subprocess.run([python, "-m", "venv", "--clear", folder], capture_output=True, text=True)
        if made.returncode:
            return False, f"no environment: {last_line(made.stderr)}"
        wanted.write_text(text)
        pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(wanted)]
        installed = subprocess.run(pip, capture_output=True, text=True)
        if installed.returncode:
            return False, f"could not be installed: {last_line(installed.stderr)}"
        wanted.rename(given)
    several = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else []
    command = [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *several, *tests]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (folder / "pytest.log").write_text(done.stdout)
    failures = [line for line in done.stdout.split("\n") if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, "\n".join([last_line(done.stdout), *(f"    {line}" for line in failures)])


@contextmanager
def place(folder: Path | None, name: str) -> Iterator[Path]:
    """Where an environment lies: in the folder that keeps it, or in a temporary one."""
    if folder is not None:
        yield folder.resolve() / name
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary) / name


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__.split("\n\n")[0])
    parser.add_argument("--python", nargs="+", default=PYTHONS, help="interpreters, by name or path")
    parser.add_argument("--torch", nargs="+", default=TORCHES, help="versions of torch")
    parser.add_argument(
        "--whole", action="store_true", help="the whole suite, not the recorder's tests alone"
    )
    parser.add_argument("--folder", type=Path, help="keep the environments here for the next time")
    parser.add_argument("-n", type=int, default=1, dest="workers", help="processes that share the tests")
    asked = parser.parse_args(arguments)
    passed: list[bool] = []
    for python in asked.python:
        found = interpreter(python)
        if found is None:
            print(f"{python}: not on this machine", flush=True)
            continue
        file, version = found
        for torch in asked.torch:
            name = f"python{version[0]}.{version[1]}-torch{torch}"
            if tuple(map(int, torch.split(".")[:2])) < FIRST_TORCH.get(version, (0, 0)):
                print(f"{name}: was never built", flush=True)
                continue
            with place(asked.folder, name) as folder:
                ok, said = run(file, torch, folder, () if asked.whole else RECORDER, asked.workers)
            passed.append(ok)
            print(f"{name}: {said}", flush=True)
    return 0 if passed and all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main())
