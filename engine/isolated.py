"""Records a file in a process of its own, so that nothing the file does to torch's global state stays.

A step may switch gradients off, set a default type, or never end. A fresh process bears that, and is ended when the
time is up.
"""

from __future__ import annotations

import multiprocessing
import warnings
from multiprocessing.connection import Connection

from engine.recorder import StepRecord
from engine.recorder.script import ScriptError, record_file

TIME_LIMIT = 120.0
"""Seconds after which a file that has not ended is given up."""


def record_apart(path: str, calls: int = 1, time_limit: float = TIME_LIMIT) -> StepRecord:
    """What `record_file` says of a file, found out in a process of its own. Raises `ScriptError` likewise."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_record, args=(sender, path, calls), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(time_limit):
            raise ScriptError(f"{path} has not ended after {time_limit:g} seconds.")
        found = receiver.recv()
    except EOFError:
        raise ScriptError(f"{path} ended its process before it could be recorded.") from None
    finally:
        process.kill()
        process.join()
    if isinstance(found, str):
        raise ScriptError(found)
    assert isinstance(found, StepRecord)
    return found


def _record(sender: Connection, path: str, calls: int) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own hints; the report says what they mean
            sender.send(record_file(path, calls))
    except ScriptError as error:
        sender.send(str(error))
