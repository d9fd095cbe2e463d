"""Records a file in a forked process, since some programs change global state: fast, torch is loaded already."""

import json
import multiprocessing
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch._dynamo  # the first optimizer loads it; here it is paid once and not in every fork

from engine.recorder import record_file


@dataclass(frozen=True)
class Seen:
    """The JSON of one file's report, and what it does not tell."""

    report: dict[str, Any]
    warnings: tuple[str, ...]
    """What torch warned of while the file was recorded."""
    called_backward: bool
    """Whether the recorder called `backward()` on what the step returned."""


def report_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON of one file's report."""
    return seen_of(path, calls, constant).report


def seen_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> Seen:
    """One file's report, and what else was seen while it was made."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=_record, args=(queue, path, calls, tuple(constant)))
    process.start()
    found = queue.get()
    process.join()
    assert not isinstance(found, str), found
    text, warned, called = found
    report = json.loads(text)
    assert isinstance(report, dict)
    return Seen(report, warned, called)


def _record(queue: Any, path: str, calls: int, constant: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            record = record_file(path, calls, expect_constant=constant)
        called = any(sent.location is None for sent in record.backwards)
        queue.put((record.to_json(), tuple(str(warning.message) for warning in warned), called))
    except BaseException:
        queue.put(traceback.format_exc())
