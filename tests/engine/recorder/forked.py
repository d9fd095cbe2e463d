"""Records a file in a forked process, since some programs change global state: fast, torch is loaded already."""

import json
import multiprocessing
import traceback
import warnings
from collections.abc import Iterable
from typing import Any

import torch
import torch._dynamo  # the first optimizer loads it; here it is paid once and not in every fork

from engine.recorder import record_file


def report_of(path: str, calls: int = 1, constant: Iterable[str] = ()) -> dict[str, Any]:
    """The JSON of one file's report."""
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=_record, args=(queue, path, calls, tuple(constant)))
    process.start()
    text = queue.get()
    process.join()
    assert text.startswith("{"), text
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def _record(queue: Any, path: str, calls: int, constant: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            queue.put(record_file(path, calls, expect_constant=constant).to_json())
    except BaseException:
        queue.put(traceback.format_exc())
