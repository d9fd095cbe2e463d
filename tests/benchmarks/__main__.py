"""Every benchmark, one after the other, and one table of what they measured: python -m tests.benchmarks

Each runs in a fresh process, since what one leaves behind (imported modules, memory, warm caches) would count for
the next. A benchmark says on the error output when it starts; the table comes at the end.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.benchmarks.table import Row, machine, rows_of, table

BENCHMARKS = (
    *("bench_recorder", "growth", "training", "sweep", "memory"),
    *("picture", "browser", "cold_start", "load", "weight"),
)


def main() -> None:
    """Runs them and prints the table."""
    rows: list[Row] = []
    begun = time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn, max_tasks_per_child=1) as fresh:
        for name in BENCHMARKS:
            print(f"{time.monotonic() - begun:4.0f} s: {name}", file=sys.stderr, flush=True)
            try:
                rows += fresh.submit(rows_of, name).result()
            except Exception as error:  # the others' numbers stand without it
                rows.append(Row(name, f"raised {error!r}"))
    print(f"Measured on {machine()}, in {time.monotonic() - begun:.0f} s.\n\n{table(rows)}")


if __name__ == "__main__":
    main()
