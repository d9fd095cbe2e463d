"""Records a file in a process of its own, so that nothing the file does to torch's global state stays.

A step may switch gradients off, set a default type, or never end. A fresh interpreter bears that, and is ended when
the time is up. It is started as `python -m engine.isolated FILE CALLS`, gives its record pickled on its standard
output, and sends whatever the file prints to the error output instead. (A spawned `multiprocessing` process would
run the server's own main script first.)
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

from engine.recorder import StepRecord
from engine.recorder.script import ScriptError, record_file

TIME_LIMIT = 120.0
"""Seconds after which a file that has not ended is given up."""

_ROOT = Path(__file__).parents[1]


def record_apart(path: str, calls: int = 1, time_limit: float = TIME_LIMIT) -> StepRecord:
    """What `record_file` says of a file, found out in a process of its own. Raises `ScriptError` likewise."""
    command = [sys.executable, "-m", "engine.isolated", os.path.abspath(path), str(calls)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=time_limit
        )
    except subprocess.TimeoutExpired:
        raise ScriptError(f"{path} has not ended after {time_limit:g} seconds.") from None
    if done.returncode != 0 or not done.stdout:
        raise ScriptError(f"{path} ended its process before it could be recorded.")
    found = pickle.loads(done.stdout)
    if isinstance(found, str):
        raise ScriptError(found)
    assert isinstance(found, StepRecord)
    return found


def _main(path: str, calls: int) -> None:
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    found: StepRecord | str
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own hints; the report says what they mean
            found = record_file(path, calls)
    except ScriptError as error:
        found = str(error)
    with answer:
        pickle.dump(found, answer)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
