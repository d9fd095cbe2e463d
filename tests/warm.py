"""A Python that has imported torch once, and is forked for each command: a process of its own without torch's seconds.

The fork is given the folder, the environment and the three standard files that a shell would give it, and the command
is the last thing that it runs, so that it ends as every interpreter does: its files are flushed and closed, and its exit
status is its own. What a command finds different is that torch is loaded already. Tests of how a process starts, or of
what is loaded when, need a process that does.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

_FORKS = """
import gc, json, os, runpy, socket, subprocess, sys
import torch, torch._dynamo  # the first optimizer loads the second

gc.freeze()
door = socket.socket(fileno=int(sys.argv[1]))
process, again = 1, b""
while process:
    if not again:
        text, files, *_ = socket.recv_fds(door, 1 << 20, 3)
        if not text:
            os._exit(0)
    asked = json.loads(again or text)
    there, here = os.pipe()
    process = os.fork()
    if process:
        os.close(here)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.set_blocking(there, False)  # who was started by the command may still have the other end
        try:
            again = os.read(there, 1 << 16)
        except BlockingIOError:
            again = b""
        os.close(there)
        if not again:
            for file in files:
                os.close(file)
            door.send(str(status).encode())
door.close()
os.close(there)
execv = os.execv


def become(path, words):
    # A command that has this Python run another one in its place is followed by a fork that does.
    own = [sys.executable, *subprocess._args_from_interpreter_flags(), "-c"]
    if words[: len(own)] != own:
        execv(path, words)
    changed = {"words": words[len(own) - 1 :], "folder": os.getcwd(), "environment": dict(os.environ)}
    os.write(here, json.dumps(asked | changed).encode())
    os._exit(0)


os.execv = become
for number, name in enumerate(("stdin", "stdout", "stderr")):
    setattr(sys, name, None)
    if number in asked["closed"]:
        os.close(number)
    else:
        given = files.pop(0)
        os.dup2(given, number)
        os.close(given)
        errors = "backslashreplace" if name == "stderr" else "strict"
        setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", errors=errors, closefd=False))
        setattr(sys, f"__{name}__", getattr(sys, name))
os.chdir(asked["folder"])
os.environ.clear()
os.environ.update(asked["environment"])
option, *sys.argv[:] = asked["words"] if asked["words"][0] in ("-c", "-m") else ["", *asked["words"]]
command = sys.argv[0]
if option == "-c":
    sys.argv[0], sys.path[0] = "-c", ""
    del door, text, files, process, number, name
    exec(command)
elif option == "-m":
    sys.path[0] = os.getcwd()
    runpy.run_module(command, run_name="__main__", alter_sys=True)
else:
    sys.path[0] = os.path.dirname(os.path.abspath(command))
    runpy.run_path(command, run_name="__main__")
"""


class Warm:
    """The Python that is forked. It does one thing at a time."""

    def __init__(self, door: socket.socket, environment: Mapping[str, str]) -> None:
        self._door = door
        self._environment = environment

    def run(
        self,
        *words: str,
        folder: Path | None = None,
        stdout: int | IO[bytes] | None = None,
        closed: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Runs what stands after `python` in a command line: a script, or `-m` and a module, or `-c` and code, with its
        arguments; `stdout` is a file to print to, and the standard files in `closed` are not open."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull) as nothing:
            files = [nothing, out if stdout is None else stdout, err]
            given = [file if isinstance(file, int) else file.fileno() for file in files]
            asked = {
                "words": words,
                "folder": str(folder or Path.cwd()),
                "environment": dict(self._environment),
                "closed": closed,
            }
            open_ = [file for number, file in enumerate(given) if number not in closed]
            socket.send_fds(self._door, [json.dumps(asked).encode()], open_)
            status = int(self._door.recv(100))
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(words, status, out.read().decode(), err.read().decode())


@contextmanager
def started_warm(
    python: str | Path = sys.executable, environment: Mapping[str, str] = os.environ
) -> Iterator[Warm]:
    """A fresh one of this interpreter, ended afterwards."""
    alone = {**environment, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(end) for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        )
        command = [str(python), "-c", _FORKS, str(theirs.fileno())]
        process = stack.enter_context(subprocess.Popen(command, env=alone, pass_fds=[theirs.fileno()]))
        theirs.close()
        try:
            yield Warm(ours, alone)
        finally:
            ours.close()
            process.wait(20)
