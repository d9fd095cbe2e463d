"""What the README says is what the repository does."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.subprocess_recording import _COMMAND, _INIT
from tests.imports import ROOT, imports, sources
from tests.warm import Warm

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_two_commands_stand_in_the_first_screen() -> None:
    first_screen = "\n".join(README.splitlines()[:32])
    assert "-r requirements.txt && .venv/bin/streamlit run streamlit_app.py" in first_screen
    assert "-r tests/requirements.txt && .venv/bin/python -m pytest" in first_screen


def test_the_report_that_it_leads_with_is_the_report(warm: Warm, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests/engine/running/scripts/arguments.py", tmp_path / "train.py")
    line = next(line for line in blocks("bash")[0].splitlines() if "detach-lab run" in line)
    arguments = line.partition("#")[0].partition("detach-lab run")[2].split()
    # This is what `detach-lab` becomes at once.
    done = warm.run("-c", _COMMAND, _INIT, "run", *arguments, folder=tmp_path)
    assert done.returncode == 1
    for part in blocks("text")[0].split("...\n"):
        assert part in done.stdout


def test_the_report_it_quotes_is_the_report() -> None:
    command = [sys.executable, "-m", "engine", "trace", "engine/examples/b_silently_wrong.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    for part in blocks("text")[1].split("...\n"):
        assert part in done.stdout


def test_the_python_it_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    first = blocks("python")[0]
    exec(compile(first, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "0.8523 0.5985 0.3977 0.2495 0.1516" in printed
    assert "detach" in printed


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w/.]+)\)", README))))
def test_what_it_links_to_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@dataclass(frozen=True)
class Picture:
    """A flow chart: the boxes with what stands in them, the frames around each, and the arrows."""

    boxes: dict[str, list[Path]]
    frames: dict[str, tuple[str, ...]]
    arrows: set[tuple[str, str]]

    def box_of(self, module: Path) -> str:
        (found,) = [
            name
            for name, inside in self.boxes.items()
            if any(module == one or one in module.parents for one in inside)
        ]
        return found

    def around(self, box: str) -> set[str]:
        """A box and the frames that it stands in."""
        return {box, *self.frames[box]}

    def imported(self) -> list[tuple[set[str], set[str]]]:
        """For each import between two boxes: what stands around the one and not the other, and the reverse."""
        pairs = set()
        for module, others in imports().items():
            for other in others:
                if self.has(module) and self.has(other):
                    pairs.add((self.box_of(module), self.box_of(other)))
        ends = [(self.around(one), self.around(other)) for one, other in pairs if one != other]
        return [(one - other, other - one) for one, other in ends]

    def has(self, module: Path) -> bool:
        return any(module == one or one in module.parents for inside in self.boxes.values() for one in inside)


def read(drawing: str, *folders: str) -> Picture:
    boxes, frames, arrows, around = {}, {}, set(), []
    for line in map(str.strip, drawing.splitlines()):
        if frame := re.match(r"subgraph (\w+)", line):
            around.append(frame[1])
        elif line == "end":
            around.pop()
        elif box := re.match(r'(\w+)\["(.+?)(?:<br>|"\])', line):
            boxes[box[1]] = [at for name in box[2].split(", ") for at in files(name, folders)]
            frames[box[1]] = tuple(around)
        elif arrow := re.match(r"(\w+) --> (.+)", line):
            arrows |= {(arrow[1], end) for end in arrow[2].split(" & ")}
    return Picture(boxes, frames, arrows)


def files(name: str, folders: tuple[str, ...]) -> list[Path]:
    """The module, folder or modules that a box names."""
    for folder in folders:
        found = [*ROOT.glob(f"{folder}{name}"), *ROOT.glob(f"{folder}{name}.py")]
        if found:
            return [path.relative_to(ROOT) for path in found]
    raise AssertionError(f"{name} is nowhere")


PICTURES = [
    read(drawing, *folders)
    for drawing, folders in zip(
        blocks("mermaid"),
        [("", "engine/", "pages/components/"), ("engine/recorder/",)],
        strict=True,
    )
]
WHOLE, RECORDER = PICTURES
each_picture = pytest.mark.parametrize("picture", PICTURES, ids=["architecture", "recorder"])


@each_picture
def test_every_import_between_two_boxes_is_drawn(picture: Picture) -> None:
    missing = [
        (sorted(ours), sorted(theirs))
        for ours, theirs in picture.imported()
        if not any((one, other) in picture.arrows for one in ours for other in theirs)
    ]
    assert missing == []


@each_picture
def test_every_arrow_is_an_import(picture: Picture) -> None:
    true = {(one, other) for ours, theirs in picture.imported() for one in ours for other in theirs}
    assert picture.arrows - true == set()
    assert len(picture.arrows) > 10


def test_every_module_stands_in_one_box() -> None:
    packages = {Path("pages/components/__init__.py")}
    for module in set(sources()) - packages:
        assert WHOLE.box_of(module)
        if module.is_relative_to("engine/recorder"):
            assert RECORDER.box_of(module)
