"""The command line: its three exit statuses, and one clear sentence where a step can't be run.

`tell` is what the process that records a file says, here without its process; the tests that run the whole command
are few, since each of them loads torch anew.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from engine.cli import main
from engine.forms import FORMS, write_report
from engine.recorder.rules import all_rules, rules_of
from engine.subprocess_recording import _COMMAND, _INIT, Told, run_apart, tell
from tests.warm import Warm

ROOT = Path(__file__).parents[2]
Command = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-m", "engine", "trace"]
GOOD = "import torch\nnet = torch.nn.Linear(2, 1)\n\ndef step():\n    print('noise')\n    return net(torch.ones(3, 2)).sum()\n"
NOISY = """
import os, subprocess, sys, torch
net = torch.nn.Linear(2, 1)
assert sys.argv == [__file__]

def step():
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "echoed"])
    return net(torch.ones(3, 2)).sum()
"""
ENDLESS = """
import os, signal

def step():
    print("process", os.getpid())
    while True:
        signal.pause()
"""


def write(folder: Path, text: str) -> str:
    path = folder / "my_step.py"
    path.write_text(text)
    return str(path)


def test_status_0_where_nothing_starves(tmp_path: Path) -> None:
    told = tell(write(tmp_path, GOOD), 1, "text")
    assert (told.status, told.sentence) == (0, "")
    assert b"Nothing is wrong" in told.report


def test_status_1_and_the_line_where_something_does(tmp_path: Path) -> None:
    told = tell(write(tmp_path, GOOD.replace(".sum()", ".detach().sum()")), 1, "text")
    assert (told.status, told.sentence) == (1, "")
    assert b"my_step.py:6" in told.report
    assert b"detach" in told.report


def test_a_fault_of_autograds_is_a_diagnosis(tmp_path: Path) -> None:
    source = (
        "import torch\nh = torch.ones(2, requires_grad=True).exp().sum()\n\ndef step():\n    return h * 2\n"
    )
    told = tell(write(tmp_path, source), 2, "json")
    assert (told.status, told.sentence) == (1, "")
    report = json.loads(told.report)
    assert report["findings"][0]["kind"] == "freed_graph"
    assert "The backward in call 2 raised it." in report["verdict"]


def test_only_the_report_is_on_the_standard_output(tmp_path: Path) -> None:
    command = [*COMMAND, write(tmp_path, NOISY), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["ok"]
    assert [p["name"] for p in report["parameters"]] == ["net.weight", "net.bias"]
    assert done.stderr.split() == ["printed", "written", "echoed"]


def test_the_waiting_process_brings_no_torch_with_it() -> None:
    code = "import engine.cli, sys; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        ("os._exit(0)", "exited with status 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
    ],
)
def test_a_step_that_takes_its_process_down_is_no_success(
    ending: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, f"import os, signal\n\ndef step():\n    {ending}\n")
    assert main(["trace", path, "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"{path} {says} before it could be recorded.\n"
    assert not captured.out


@contextmanager
def interrupted(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command on a step that never ends, once the step runs, with the id of the step's process."""
    command = [*COMMAND, write(folder, ENDLESS)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell starts what runs in its background with ctrl-c ignored, and the child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        try:
            yield process, int(process.stderr.readline().removeprefix("process "))  # seen while the step runs
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (2, "", "Interrupted.\n")


def test_ctrl_c_ends_both_processes_in_one_word(tmp_path: Path) -> None:
    with interrupted(tmp_path) as (process, _):
        os.killpg(process.pid, signal.SIGINT)


def test_who_ends_the_command_ends_the_step(tmp_path: Path) -> None:
    with interrupted(tmp_path) as (process, step):
        process.terminate()
    with pytest.raises(ProcessLookupError):
        os.kill(step, 0)


def test_a_file_that_never_ends_is_given_up_when_its_time_is_up(tmp_path: Path) -> None:
    path = write(tmp_path, ENDLESS)
    told = run_apart(path, 1, "text", output=subprocess.DEVNULL, time_limit=0.5)
    assert told == (2, f"{path} did not end within 0.5 seconds.", b"")


FULL = Path("/dev/full")
SCRIPT = """
import torch

print("first", flush=True)
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    net(torch.ones(3, 2)).sum().backward()
    optimizer.step()
PRINT
"""


@pytest.fixture
def command(warm: Warm, tmp_path: Path) -> Command:
    """Runs the command `run` in a folder; its exit status and what it printed."""

    def run(
        words: str, stdout: int | IO[bytes] | None = None, closed: tuple[int, ...] = ()
    ) -> tuple[int, str, str]:
        # This is what `python -m engine` becomes at once.
        done = warm.run(
            "-c", _COMMAND, _INIT, "run", *words.split(), folder=tmp_path, stdout=stdout, closed=closed
        )
        return done.returncode, done.stdout, done.stderr

    return run


def script(folder: Path, end: str = "", quiet: bool = False) -> str:
    text = SCRIPT.replace('print("first", flush=True)\n', "") if quiet else SCRIPT
    return write(folder, text.replace("PRINT", end))


@pytest.mark.skipif(not FULL.exists(), reason="the system has no full device")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "first\nThe report can't be written: No space left on device.\n"),
        ("--keep-going", "first\nlast\nThe report can't be written: No space left on device.\n"),
        (
            "--output /dev/full",
            "first\n/dev/full can't be written: No space left on device. "
            "The report can't be written: No space left on device.\n",
        ),
    ],
)
def test_a_report_that_nobody_can_keep_is_said_so(
    options: str, said: str, command: Command, tmp_path: Path
) -> None:
    path = script(tmp_path, "print('last')")
    with FULL.open("wb") as full:
        assert command(f"--json {options} {path}", stdout=full) == (2, "", said)


@pytest.mark.parametrize("options", ["", "--keep-going --json"])
def test_who_has_seen_enough_of_the_report_is_no_fault(
    options: str, command: Command, tmp_path: Path
) -> None:
    path = script(tmp_path, quiet=True)
    reader, writer = os.pipe()
    os.close(reader)
    ended = command(f"{options} {path}", stdout=writer)
    os.close(writer)
    assert ended == (0, "", "")


@pytest.mark.parametrize("closed", [(1,), (2,)])
def test_an_output_that_the_shell_has_closed(
    closed: tuple[int, ...], command: Command, tmp_path: Path
) -> None:
    assert command(f"--json --output report.json {script(tmp_path)}", closed=closed)[0] == 0
    assert json.loads((tmp_path / "report.json").read_text())["ok"]


def test_all_that_the_shell_has_closed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "engine", "run", "--json", "--output", "report.json", script(tmp_path)]
    line = f"{shlex.join(words)} >&- 2>&- <&-"
    subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=120,
    )
    assert json.loads((tmp_path / "report.json").read_text())["ok"]


@pytest.mark.parametrize("replaced", ["sys.stdout.close()", "sys.stdout = None"])
def test_a_script_may_replace_its_output(replaced: str, command: Command, tmp_path: Path) -> None:
    path = script(tmp_path, f"import sys\n{replaced}")
    status, out, said = command(f"--keep-going {path}")
    assert (status, said) == (0, "")
    assert "Nothing is wrong here" in out


def test_ctrl_c_in_a_script_that_goes_on_is_its_end(command: Command, tmp_path: Path) -> None:
    path = script(tmp_path, "raise KeyboardInterrupt")
    status, out, said = command(f"--keep-going {path}")
    assert (status, said) == (130, "Interrupted.\n")
    assert "Nothing is wrong here" in out


def test_a_model_that_is_compiled_after_the_start_is_recorded_as_it_was_written(
    command: Command, tmp_path: Path
) -> None:
    text = SCRIPT.replace("Linear(2, 1)", "Linear(2, 1)\ncompiled = torch.compile(net, backend='eager')")
    path = write(
        tmp_path, text.replace("    net(torch", "    compiled(torch").replace("PRINT", "print('last')")
    )
    status, out, said = command(f"--keep-going {path}")
    assert status == 0, said
    assert "every parameter that should learn gets its gradient" in out
    assert "run eagerly" in out
    assert out.endswith("last\n")


def test_two_dashes_before_the_script_end_the_options(command: Command, tmp_path: Path) -> None:
    path = script(tmp_path, "import sys\nprint(sys.argv[1:])")
    status, out, _ = command(f"--keep-going -- {path} --step 3 -- x")
    assert status == 0
    assert "['--step', '3', '--', 'x']" in out


def test_a_module_that_is_not_there_gets_one_sentence(command: Command) -> None:
    assert command("-m nowhere.train") == (
        2, "", "The module nowhere.train can't be found: No module named 'nowhere'.\n",
    )  # fmt: skip


def reporting(monkeypatch: pytest.MonkeyPatch) -> None:
    import engine.cli

    monkeypatch.setattr(engine.cli, "run_apart", lambda *_, **__: Told(1, "", b"the report"))


def test_the_report_goes_to_the_file_and_nowhere_else(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    reporting(monkeypatch)
    path, link = tmp_path / "report.html", tmp_path / "link.html"
    path.write_text("an old and longer report")
    path.chmod(0o640)
    link.symlink_to(path)
    assert main(["trace", "my_step.py", "--format", "html", "--output", str(link)]) == 1
    assert capsysbinary.readouterr() == (b"", b"")
    assert path.read_bytes() == b"the report"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_at_a_terminal_one_sentence_says_where_the_report_is(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    reporting(monkeypatch)
    path = tmp_path / "report.html"
    here, terminal = os.openpty()
    kept = os.dup(2)
    try:
        os.dup2(terminal, 2)
        assert main(["trace", "my_step.py", "--output", str(path)]) == 1
        assert main(["trace", "my_step.py", "--output", "/dev/full"]) == 2
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(terminal)
    assert os.read(here, 10_000) == f"The report is in {path}.\r\n".encode()
    os.close(here)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("/dev/full", "No space left on device"),
        ("{}/none/report.html", "No such file or directory"),
        ("{}", "Is a directory"),
        ("{}/file/report.html", "Not a directory"),
        ("{}/" + "x" * 300, "File name too long"),
    ],
)
def test_a_report_that_its_file_does_not_take_is_printed(
    output: str,
    why: str,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reporting(monkeypatch)
    (tmp_path / "file").write_text("")
    into = output.format(tmp_path)
    assert main(["trace", "my_step.py", "--output", into]) == 2
    out, err = capsysbinary.readouterr()
    assert out == b"the report"
    assert err.decode() == f"{into} can't be written: {why}. The report is on standard output.\n"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_is_full_half_way_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write_report(b"the report", str(path))
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("options", "form"),
    [([], "text"), (["--json"], "json"), *[(["--format", form], form) for form in FORMS]],
)
def test_the_form_is_asked_for(
    options: list[str], form: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    import engine.cli

    monkeypatch.setattr(engine.cli, "run_apart", lambda path, calls, asked, **_: Told(0, "", asked.encode()))
    assert main(["trace", "my_step.py", *options]) == 0
    assert capsysbinary.readouterr().out == form.encode()


def test_a_step_that_changes_its_folder_is_reported_from_where_it_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (tmp_path / "my_step.py").write_text(
        "import os\n" + GOOD.replace(".sum()", ".detach().sum()").replace("print('noise')", "os.chdir('/')")
    )
    told = tell("my_step.py", 1, "github")
    assert told.report.startswith(b"::error file=my_step.py,line=7,")
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "defines no function `step()`"),
        ("def step(:\n", "line 1: not valid Python"),
        ("x = 1\n", "defines no function `step()`"),
        ("def step():\n    return 3.0\n", "returned float, not a tensor"),
        ("def step():\n    pass\n", "returned NoneType, not a tensor"),
        ("def step(x):\n    return x\n", "must take no arguments"),
        ("async def step():\n    pass\n", "is an `async def`"),
        ("def step():\n    yield 1\n", "is a generator"),
        (
            "async def later():\n    pass\ndef step():\n    return later()\n",
            "returned coroutine, not a tensor",
        ),
        (
            "import torch\nraise ValueError('no data')\n",
            "line 2: ValueError while the file was loaded: no data",
        ),
        ("import nothing_of_that_name\n", "ModuleNotFoundError"),
        ("import sys\nsys.exit(0)\n", "exited while it was loaded"),
        ("import sys\ndef step():\n    sys.exit(0)\n", "exited the program"),
        ("def step():\n    raise KeyboardInterrupt\n", "Interrupted."),
        ("class Stop(BaseException):\n    pass\ndef step():\n    raise Stop('mine')\n", "Stop: mine"),
    ],
)
def test_status_2_and_one_sentence(text: str, says: str, tmp_path: Path) -> None:
    told = tell(write(tmp_path, text), 1, "json")
    assert (told.status, told.report) == (2, b"")
    assert says in told.sentence
    assert len(told.sentence.splitlines()) == 1


@pytest.mark.parametrize(
    ("body", "says", "line"),
    [
        ("    raise ValueError('no data')", "the step raised ValueError: no data", 5),
        ("    return net(torch.ones(3, 5)).sum()", "the step raised RuntimeError: mat1 and mat2 shapes", 5),
        ("    assert net is None", "the step raised AssertionError.", 5),
        ("    h = net(torch.ones(3, 2))\n    return h", "loss has shape (3, 1)", 5),
        ("    h = net(torch.ones(3, 2))\n    h.backward()", "return `loss.mean()` or `loss.sum()`.", 5),
    ],
)
def test_status_2_with_the_report_where_the_step_could_not_be_run(
    body: str, says: str, line: int, tmp_path: Path
) -> None:
    source = f"import torch\nnet = torch.nn.Linear(2, 1)\n\ndef step():\n{body}\n"
    told = tell(write(tmp_path, source), 1, "json")
    assert told.status == 2
    assert says in told.sentence
    assert f"my_step.py:{line}, `" in told.sentence
    assert len(told.sentence.splitlines()) == 1
    report = json.loads(told.report)
    assert report["verdict"] == told.sentence
    assert set(report["raised"]) == {"type", "message", "stage", "file", "line"}
    assert not report["ok"]


def test_the_call_that_fails_is_counted(tmp_path: Path) -> None:
    source = GOOD.replace("    print", "    calls.append(1)\n    1 / (2 - len(calls))\n    print")
    told = tell(write(tmp_path, "calls = []\n" + source), 3, "text")
    assert told.status == 2
    assert "the step in call 2 raised ZeroDivisionError: division by zero" in told.sentence
    assert b"step in call 2 raised" in told.report


def test_status_2_for_what_is_no_file(tmp_path: Path) -> None:
    assert tell("", 1, "text").sentence == "The file name is empty."
    assert tell(str(tmp_path), 1, "text").sentence == f"{tmp_path} is a directory, not a Python file."
    missing = tell(str(tmp_path / "none.py"), 1, "text")
    assert missing == (2, f"{tmp_path}/none.py can't be read: No such file or directory.", b"")


def test_a_bad_count_of_calls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["trace", write(tmp_path, GOOD), "--calls", "0"])
    assert refused.value.code == 2


def test_a_step_may_define_dataclasses_and_import_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_step.py").write_text("def cut(h):\n    return h.detach()\n")
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport torch\n"
        "from neighbour_of_step import cut\n@dataclass\nclass Part:\n    scale: float = 2.0\n"
        "enc, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        "def step():\n    return head(cut(enc(torch.ones(3, 2))) * Part().scale).sum()\n"
    )
    from engine.recorder import record_file

    record = record_file(write(tmp_path, text))
    location = record.findings[0].location
    assert location is not None
    assert location.file.endswith("neighbour_of_step.py")
    assert (location.line, location.text) == (2, "return h.detach()")


def test_a_kind_is_explained_by_all_its_rules(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["explain", "no_grad"]) == 0
    said = capsysbinary.readouterr().out.decode()
    for rule in rules_of("no_grad"):
        assert rule.title in said
        for example in (rule.bad, rule.good):
            assert all(line in said for line in example.strip().splitlines())
        for text in (rule.what, rule.why, rule.instead):
            assert text in " ".join(said.split())
    assert "Severity: fault" in said


def test_a_rule_is_explained_by_its_name_alone(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["explain", "sampled"]) == 0
    said = capsysbinary.readouterr().out.decode()
    (rule,) = rules_of("sampled")
    assert said.startswith(rule.title)
    assert rules_of("no_grad")[0].title not in said


def test_an_unknown_kind_gets_one_sentence_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "detatch"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("No rule is called 'detatch'; the nearest are detach")
    assert len(told.err.splitlines()) == 1


def test_every_rule_is_listed_with_its_kind_and_title(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["rules"]) == 0
    head, *lines = capsysbinary.readouterr().out.decode().splitlines()
    assert head.split() == ["name", "kind", "title"]
    assert [line.split(maxsplit=2) for line in lines] == [[r.name, r.kind, r.title] for r in all_rules()]


def test_the_reference_page_is_what_the_rules_say(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["rules", "--markdown"]) == 0
    said = capsysbinary.readouterr().out.decode()
    assert said == (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"), (
        "run: python -m engine rules --markdown > docs/rules.md"
    )
    assert all(f"## {rule.name}\n" in said for rule in all_rules())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "no script given: name a file, or a module after -m."),
        (["run", "-m"], "no script given: name a file, or a module after -m."),
        (
            ["run", "--lr", "1", "train.py"],
            "--lr is not an option of `run`; the script's own arguments go after its name.",
        ),
        (["run", "--step", "0", "train.py"], "'0' is not a whole number from 1 to 1000"),
        (["run", "--step", "two", "train.py"], "'two' is not a whole number from 1 to 1000"),
        (["run", "--format", "yaml", "train.py"], "invalid choice: 'yaml'"),
        (["walk", "train.py"], "invalid choice: 'walk'"),
        ([], "run train.py its arguments"),
    ],
)
def test_a_command_that_is_mixed_up_is_told_in_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err
