"""Records a file in a forked process, since some programs change global state: fast, torch is loaded already.

Every report is held against the published JSON Schema on its way.
"""

import gc
import json
import multiprocessing
import pickle
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # the first optimizer loads it; here it is paid once and not in every fork
from jsonschema import Draft202012Validator

import engine
from engine.recorder import StepRecord, record_file
from engine.recorder.rules import all_rules

all_rules()  # loads them: here it is paid once, too

SCHEMA = Draft202012Validator(
    json.loads((Path(engine.__file__).parent / "recorder/render/report.schema.json").read_text())
)


@dataclass(frozen=True)
class Seen:
    """The JSON of one file's report, and what it does not tell."""

    record: StepRecord
    report: dict[str, Any]
    warnings: tuple[str, ...]
    """What torch warned of while the file was recorded."""
    called_backward: bool
    """Whether the recorder called `backward()` on what the step returned."""


def report_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON of one file's report."""
    return seen_of(path, calls, constant).report


def record_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> StepRecord:
    """One file's record."""
    return seen_of(path, calls, constant).record


def seen_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> Seen:
    """One file's report, and what else was seen while it was made."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=_record, args=(queue, path, calls, tuple(constant)))
    process.start()
    found = queue.get()
    process.join()
    assert not isinstance(found, str), found
    record, warned, called = pickle.loads(found)
    report = json.loads(record.to_json())
    assert isinstance(report, dict)
    SCHEMA.validate(report)
    return Seen(record, report, warned, called)


def _record(queue: Any, path: str, calls: int, constant: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    gc.freeze()  # what the tests hold is not gone through, nor copied for that
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            record = record_file(path, calls, expect_constant=constant)
        called = any(sent.location is None for sent in record.backwards)
        told = tuple(str(warning.message) for warning in warned)
        queue.put(pickle.dumps((record, told, called)))
    except BaseException:
        queue.put(traceback.format_exc())
