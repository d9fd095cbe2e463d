"""Resident memory after 200 and after 2,000 distinct settings: python -m tests.benchmarks.memory"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import torch

from engine import Settings
from engine.results import CAPACITY, RecordKey, record_of, trace_of, traces
from engine.settings import OPTIMIZERS, places


def resident() -> float:
    """The resident memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def different_settings() -> Iterator[Settings]:
    """Settings that differ, most of them long runs of the deeper network, as a class of readers would try them."""
    for seed in itertools.count():
        for place, optimizer in itertools.product(places("classifier"), OPTIMIZERS):
            yield Settings("classifier", place, 80, 0.03, optimizer, "random", seed)


def main() -> None:
    """Prints the table."""
    torch.set_num_threads(1)
    print(
        f"{'settings':>9} {'resident MiB':>13} {'kept traces':>12} {'kept MiB':>9}  (capacity {CAPACITY / 2**20:.0f} MiB)"
    )
    after = {}
    for number, settings in enumerate(itertools.islice(different_settings(), 2_000), start=1):
        trace_of(settings)
        record_of(RecordKey(settings, 1, True, "attached"))
        if number in (1, 50, 200, 500, 1_000, 2_000):
            after[number] = resident()
            info = traces.info()
            print(f"{number:9} {after[number]:13.1f} {info.size:12} {info.weight / 2**20:9.1f}", flush=True)
    print(f"2,000 settings / 200 settings: {after[2_000] / after[200]:.3f}  (target 1.05)")


if __name__ == "__main__":
    main()
