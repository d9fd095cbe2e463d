"""Resident memory after 200 and after 2,000 distinct settings: python -m tests.benchmarks.memory

Each setting is trained and one step of it recorded, as a page does it; what the caches keep is bounded, so the memory
must stay where it is once they are full.
"""

import itertools
import os
from collections.abc import Iterator

import torch

from engine import Settings
from engine.serving.results import CAPACITY, RecordKey, record_of, trace_of, traces
from engine.settings import OPTIMIZERS, places
from tests.benchmarks.process import resident
from tests.benchmarks.table import Row, compared, measured, table


def different_settings() -> Iterator[Settings]:
    """Settings that differ, most of them long runs of the deeper network, as a class of readers would try them."""
    for seed in itertools.count():
        for place, optimizer in itertools.product(places("classifier"), OPTIMIZERS):
            yield Settings("classifier", place, 80, 0.03, optimizer, "random", seed)


def rows() -> list[Row]:
    """The growth from 200 to 2,000 settings, and what the caches hold then."""
    torch.set_num_threads(1)
    after = {}
    for number, settings in enumerate(itertools.islice(different_settings(), 2_000), start=1):
        trace_of(settings)
        record_of(RecordKey(settings, 1, True, "attached"))
        if number in (200, 2_000):
            after[number] = resident(os.getpid())
    kept = traces.info().weight / 2**20
    return [
        compared("memory after 2,000 settings / after 200", after[2_000], after[200], "MiB", at_most=1.05),
        measured("traces kept of 2,000 settings", kept, "MiB", at_most=CAPACITY / 2**20),
    ]


if __name__ == "__main__":
    print(table(rows()))
