"""What a process has taken so far: memory, processor time, and what it has written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.servers import Server


def resident(process: int) -> float:
    """The resident memory of the process with that id, in MiB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """The processor time of all threads, in the program and in the kernel."""
    after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def written(server: Server) -> str:
    """The server's output until now; read without moving the place at which it writes on."""
    log = server.log.fileno()
    return os.pread(log, os.fstat(log).st_size, 0).decode(errors="replace")
