"""A real server of the app on a free port."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Server:
    """A server that answers: where, which process it is, and the file that all its output goes to."""

    address: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]


@contextmanager
def running_server(*arguments: str) -> Iterator[str]:
    """The address of a fresh server of the app, ended afterwards."""
    with started_server(*arguments) as server:
        yield server.address


@contextmanager
def started_server(
    *arguments: str, script: str = "streamlit_app.py", python: Sequence[str] = ()
) -> Iterator[Server]:
    """A fresh server of a script, under python with these options, ended afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, *python, "-m", "streamlit", "run", script, "--server.headless", "true"),
        *("--server.address", "127.0.0.1", "--server.port", str(port)),
        *arguments,
    ]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as log:  # not a pipe, which nobody would empty
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(address + "/_stcore/health", process, log)
            yield Server(address, process, log)
        finally:
            process.terminate()
            process.wait(20)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except (urllib.error.URLError, OSError):
            continue
    log.seek(0)
    raise RuntimeError(f"the server ended: {log.read()!r}")
