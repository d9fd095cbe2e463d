"""Fifty visitors at once on one fresh server: wrong answers, exceptions, the time of a rerun, reruns a second, memory.

    python -m tests.benchmarks.load

A visitor arrives on the home page by a link with settings, goes on to the prediction trace and the training trace, and
there moves the slider of the epochs eight times, with a second's pause before each step. Half of the visitors look at
the same run, each of the others at one of its own (random start weights, its own seed), so a number that belongs to
somebody else shows: each page's texts are compared with `engine.train` on the visitor's own settings, computed here
beforehand. Then all move their sliders among the places they know, without a pause: that is the saturation. A second
wave of new visitors does the first part again; the memory must stay where it was.

The saturation stands beside that of a plain page with charts of the same sizes and no torch (plain/charts.py), under the
same number of visitors and moves in the same run, measured just before and just after ours.

The visitors speak streamlit's websocket protocol (see tests/visitors.py), which is all that a browser has open while a page
lives. Streamlit's agent interface could drive the app as well, but it makes the server collect and translate whole
pages for its answers, work that no reader causes. Not sent: the static files, and the download's fetch after a rerun.
The client is one thread and shares the machine's cores with the server; what it takes is printed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

from engine import Settings, Trace, train
from engine.evidence.observations import summarize
from engine.text import number_text
from tests.benchmarks.process import processor_seconds, resident, written
from tests.benchmarks.table import Row, compared, measured, percentile, table
from tests.servers import Server, started_server
from tests.visitors import Answer, Visitor, visitor

VISITORS = 50
PAUSE = 1.0
ARRIVALS = 0.1
"""Seconds from one visitor to the next."""
EPOCHS = tuple(range(30, 120, 10))
"""What the link says, then the eight places of the slider."""
AT_ONCE = 150
"""Reruns of the saturation, over all visitors."""
PLAIN = "tests/benchmarks/plain/charts.py"

Expected = dict[Settings, Trace]


@dataclass
class Seen:
    """What all visitors of a wave have come across."""

    wrong: int = 0
    exceptions: list[str] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)

    def judge(self, page: str, answer: Answer, trace: Trace) -> None:
        """Counts an answer that does not tell this very trace's numbers."""
        self.exceptions += answer.exceptions
        texts = "\n".join(answer.texts)
        self.wrong += not answer.exceptions and not all(said in texts for said in told(page, trace))


def told(page: str, trace: Trace) -> list[str]:
    """What a page must say of a trace, losses included."""
    if page != "prediction_trace":
        return list(summarize(trace))
    epoch = min(trace.settings.described().shown_epoch, trace.settings.epochs)
    return [
        f"The loss of all samples together is **{number_text(run.losses[epoch - 1])}**" for run in trace.runs
    ]


def settings_of(number: int) -> list[Settings]:
    """The settings that a visitor comes by: every second one has a seed to itself."""
    own = {"start": "random", "seed": number} if number % 2 else {}
    return [Settings(epochs=epochs).changed(**own) for epochs in EPOCHS]


def link(settings: Settings) -> dict[str, str]:
    """The link to these settings."""
    return {"epochs": str(settings.epochs), "start": settings.start, "seed": str(settings.seed)}


async def visit(someone: Visitor, number: int, expected: Expected, seen: Seen) -> None:
    """One visitor's way, up to the last move of the slider."""
    first, *others = settings_of(number)
    await asyncio.sleep(number * ARRIVALS)
    for page in ("", "prediction_trace", "training_trace"):
        answer = await (someone.go(page) if page else someone.arrive(page, link(first)))
        seen.judge(page, answer, expected[first])
        seen.opened.append(answer.seconds)
        await asyncio.sleep(PAUSE)
    for settings in others:
        answer = await someone.move("epochs", settings.epochs)
        seen.judge("training_trace", answer, expected[settings])
        seen.moved.append(answer.seconds)
        await asyncio.sleep(PAUSE)


async def saturate(
    someone: Visitor, number: int, expected: Expected, seen: Seen, turns: Iterator[int]
) -> None:
    """Moves the slider among the known places, as often as this visitor gets a turn."""
    places = settings_of(number)
    for turn in turns:
        settings = places[turn % len(places)]
        answer = await someone.move("epochs", settings.epochs)
        seen.judge("training_trace", answer, expected[settings])
        seen.moved.append(answer.seconds)


@dataclass
class Wave:
    """What one wave of visitors met on its ways and in its rush, and what that took."""

    walked: Seen
    rushed: Seen
    server: float
    client: float
    rate: float

    @property
    def wrong(self) -> int:
        return self.walked.wrong + self.rushed.wrong

    @property
    def exceptions(self) -> list[str]:
        return self.walked.exceptions + self.rushed.exceptions

    def rows(self, who: str) -> list[Row]:
        """The times of a page's opening and of a slider's move."""
        opened, moved = self.walked.opened, self.walked.moved
        return [
            measured(f"{who}, opening a page, p50", percentile(opened, 50), "s"),
            measured(f"{who}, opening a page, p95", percentile(opened, 95), "s"),
            measured(f"{who}, rerun by the slider, p50", percentile(moved, 50), "s"),
            measured(f"{who}, rerun by the slider, p95", percentile(moved, 95), "s", at_most=0.5),
            measured(f"{who}, processor of the server", self.server, "cores"),
            measured(f"{who}, processor of the client", self.client, "cores"),
        ]


async def wave(server: Server, expected: Expected, at_once: int) -> Wave:
    """The visitors' ways, then, with all of them still there, so many reruns at once."""
    walked, rushed, turns = Seen(), Seen(), iter(range(at_once))
    gathered = asyncio.Barrier(VISITORS + 1)

    async def one(number: int) -> None:
        async with visitor(server.address) as someone:
            await visit(someone, number, expected, walked)
            await gathered.wait()
            await saturate(someone, number, expected, rushed, turns)

    begun, theirs, mine = time.perf_counter(), processor_seconds(server.process), time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for number in range(VISITORS):
            tasks.create_task(one(number))
        await gathered.wait()
        middle = time.perf_counter()
        theirs, mine = processor_seconds(server.process) - theirs, time.process_time() - mine
    walk, rush = middle - begun, time.perf_counter() - middle
    return Wave(walked, rushed, theirs / walk, mine / walk, at_once / rush)


@dataclass
class Rush:
    """What a page without torch gave to as many visitors at once."""

    moved: list[float]
    rate: float


async def plain_rush() -> Rush:
    """The saturation of the plain page: as many visitors, as many moves of its slider."""
    moved: list[float] = []
    turns = iter(range(AT_ONCE))
    with started_server(script=PLAIN) as server:
        gathered = asyncio.Barrier(VISITORS + 1)

        async def one(number: int) -> None:
            async with visitor(server.address) as someone:
                await someone.arrive("", {})
                await gathered.wait()
                for turn in turns:
                    moved.append((await someone.move("epochs", EPOCHS[turn % len(EPOCHS)])).seconds)

        async with asyncio.TaskGroup() as tasks:
            for number in range(VISITORS):
                tasks.create_task(one(number))
            await gathered.wait()
            begun = time.perf_counter()
        return Rush(moved, AT_ONCE / (time.perf_counter() - begun))


async def wake(server: Server) -> None:
    """A first visitor, for whom torch is loaded: what that takes is the cold start's to measure."""
    async with visitor(server.address) as first:
        await first.arrive("training_trace", {})


def beside_the_plain_page(ours: Wave, plain: list[Rush]) -> list[Row]:
    """The saturation: reruns a second, and the slow end of a rerun."""
    what = f"{VISITORS} visitors without pauses"
    theirs = sum(rush.rate for rush in plain) / len(plain)
    slow = percentile([each for rush in plain for each in rush.moved], 95)
    return [
        compared(f"{what}, reruns a second / of the charts alone", ours.rate, theirs, "/s", at_least=0.7),
        compared(
            f"{what}, rerun, p95 / of the charts alone",
            percentile(ours.rushed.moved, 95),
            slow,
            "s",
            at_most=2,
        ),
    ]


def rows() -> list[Row]:
    """Both waves; the first ends in the saturation."""
    torch.set_num_threads(1)
    wanted = {settings for number in range(VISITORS) for settings in settings_of(number)}
    expected = {settings: train(settings) for settings in wanted}
    assert len({tuple(told("", trace)) for trace in expected.values()}) == len(wanted), (
        "mix-ups would not show"
    )
    with started_server() as server:
        asyncio.run(wake(server))
        plain = [asyncio.run(plain_rush())]
        memory = [resident(server.process.pid)]
        waves = []
        for at_once in (AT_ONCE, 0):
            waves.append(asyncio.run(wave(server, expected, at_once)))
            memory.append(resident(server.process.pid))
            plain.append(asyncio.run(plain_rush()))
        failures = ["in the log"] * written(server).count("Traceback")
    first, second = waves
    failures += first.exceptions + second.exceptions
    for failure in sorted(set(failures)):
        print(failure, file=sys.stderr)
    return [
        measured(f"{2 * VISITORS} visitors, wrong answers", first.wrong + second.wrong, at_most=0),
        measured(f"{2 * VISITORS} visitors, exceptions", len(failures), at_most=0),
        *first.rows(f"{VISITORS} visitors"),
        *beside_the_plain_page(first, plain[:2]),
        *second.rows(f"{VISITORS} visitors more"),
        measured("memory of the server before the first wave", memory[0], "MiB"),
        compared(
            "memory of the server after the second wave / after the first",
            memory[2],
            memory[1],
            "MiB",
            at_most=1.05,
        ),
    ]


if __name__ == "__main__":
    print(table(rows()))
