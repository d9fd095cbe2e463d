"""A real server among visitors who mean it ill, vanish, hold keys down, or ask for more than their share."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from engine import Settings, train
from engine.evidence.observations import summarize
from pages.components.shell.menu import PAGES
from pages.components.shell.view import View
from tests.servers import Server, started_server
from tests.visitors import Answer, together, visitor

ADDRESSES = [page.address for page in PAGES]
KEYS = (
    *View.of(Settings()).query(),
    "sample",
    "controls",
    "round",
    "answers",
    "sweep",
    "reference",
    "traced",
)
SURPRISES = ("trace", "--trace", "file", "path", "code", "page", "upload", "url", "import")
HELD = 12
"""Sessions that hold down an arrow key at the same time."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started_server() as started:
        yield started


@cache
def told(settings: Settings) -> Sequence[str]:
    """What a page says of this very run's numbers."""
    return summarize(train(settings))


def tells(settings: Settings, answer: Answer) -> bool:
    """Whether a page tells this very run's numbers, and nothing went wrong."""
    said = "\n".join(answer.texts)
    return not answer.exceptions and all(sentence in said for sentence in told(settings))


async def looked_at(server: Server, **query: str) -> Answer:
    """The training trace of a newcomer."""
    async with visitor(server.address) as someone:
        return await someone.arrive("training_trace", query)


def test_no_file_that_a_visitor_names_is_read_or_run(server: Server, tmp_path: Path) -> None:
    canary = tmp_path / "canary.py"
    ran = tmp_path / "ran"
    canary.write_text(f"SECRET = 'nightingale'\nopen({str(ran)!r}, 'w').close()\n\ndef step():\n    pass\n")
    overheard: list[bytes] = []

    async def snoop() -> list[Answer]:
        async with visitor(server.address) as someone:
            someone.overhears = overheard.append
            named = [str(canary), canary.as_uri(), f"{canary.parent}/canary", "../" * 12 + str(canary)]
            queries = [dict.fromkeys((*KEYS, *SURPRISES), value) for value in named]
            return [await someone.arrive(page, query) for query in queries for page in ADDRESSES]

    answers = together(snoop())
    assert not [answer.exceptions for answer in answers if answer.exceptions]
    assert b"nightingale" not in b"".join(overheard)
    assert not ran.exists()


def test_no_markup_that_a_visitor_sends_comes_back_as_markup(server: Server) -> None:
    overheard: list[bytes] = []

    async def inject() -> list[Answer]:
        async with visitor(server.address) as someone:
            someone.overhears = overheard.append
            query = dict.fromkeys((*KEYS, "<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>")
            return [await someone.arrive(page, query) for page in ADDRESSES]

    answers = together(inject())
    assert not [answer.exceptions for answer in answers if answer.exceptions]
    assert any("Ignored in the link" in text for text in answers[0].texts)
    assert b"<img src=x" not in b"".join(overheard)


@pytest.mark.parametrize(
    "query",
    [
        "epochs=7&" * 20_000,
        "x" * 1_000_000,
        "epochs=" + "9" * 100_000,
        "epochs=%00&seed=%ff%fe&detach=%f0%9f",
        "=&=&&&==&epochs",
        "epochs=5&epochs=6&epochs=x",
        "epochs=１２&lr=١&seed=−3",
        "&".join(f"k{n}=v" for n in range(5_000)),
    ],
    ids=["long", "no pairs", "digits", "bytes", "empty", "repeated", "other digits", "many"],
)
def test_any_query_string_opens_the_page(server: Server, query: str) -> None:
    async def open_it() -> tuple[Answer, Answer]:
        async with visitor(server.address) as someone:
            return await someone.arrive("training_trace", query), await looked_at(server)

    answer, next_one = together(open_it())
    assert not answer.exceptions
    assert any("both twins" in text or "The twins" in text for text in answer.texts)
    assert tells(Settings(), next_one)


def test_a_url_of_any_length_leaves_the_server_up(server: Server) -> None:
    for length in (5_000, 60_000, 2_000_000):
        with suppress(urllib.error.HTTPError, ConnectionError):  # a server may refuse such a line
            urllib.request.urlopen(f"{server.address}/quiz?x={'a' * length}", timeout=60).close()
    assert tells(Settings(), together(looked_at(server)))


def threads(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))


def test_clients_that_vanish_or_never_read_cost_the_others_nothing(server: Server) -> None:
    async def crowd() -> tuple[Answer, int]:
        async with visitor(server.address) as someone:
            await someone.arrive("training_trace", {})
            before = threads(server)
            for number in range(20):
                async with visitor(server.address) as gone:
                    await gone.arrive("", {"start": "random", "seed": str(number)})
                    await gone.leave_unread()
            async with asyncio.TaskGroup() as tasks, visitor(server.address) as deaf:
                await deaf.arrive("training_trace", {})
                for _ in range(30):
                    await deaf.leave_unread()
                meanwhile = tasks.create_task(someone.move("epochs", 9))
            answer = await meanwhile
            for _ in range(200):  # until the runs of those who are gone have ended
                if threads(server) <= before + 2:
                    break
                await someone.move("", 0)
            return answer, threads(server) - before

    answer, left = together(crowd())
    assert tells(Settings(epochs=9), answer)
    assert left <= 2


def test_sessions_that_hold_down_an_arrow_key_end_at_their_own_numbers(server: Server) -> None:
    ends = [Settings("classifier", epochs=61 + number, start="random", seed=number) for number in range(HELD)]

    async def hold(settings: Settings) -> Answer:
        async with visitor(server.address) as someone:
            query = {
                "experiment": "classifier",
                "epochs": "20",
                "start": "random",
                "seed": str(settings.seed),
            }
            await someone.arrive("training_trace", query)
            values = range(21, settings.epochs + 1)
            return await someone.hold("epochs", values, lambda answer: tells(settings, answer))

    async def all_hold() -> list[Answer]:
        return await asyncio.wait_for(asyncio.gather(*map(hold, ends)), 240)

    answers = together(all_hold())
    assert not [answer.exceptions for answer in answers if answer.exceptions]
    assert not [text for answer in answers for text in answer.texts if "gave way" in text]


def test_a_run_that_was_stopped_halfway_leaves_nothing_wrong_behind(server: Server) -> None:
    settings = Settings("simsiam", epochs=500, seed=4_321)
    query = {"experiment": "simsiam", "epochs": "500", "seed": "4321"}

    async def stop_and_look() -> tuple[Answer, Answer, Answer]:
        async with visitor(server.address) as someone:
            await someone.arrive("quiz", query)
            stopped = await someone.stop("training_trace")
            return stopped, await someone.arrive("training_trace", query), await looked_at(server, **query)

    stopped, again, other = together(stop_and_look())
    assert not stopped.exceptions
    assert not tells(settings, stopped)
    assert tells(settings, again)
    assert tells(settings, other)


def test_one_who_always_wants_more_does_not_starve_nine_others(server: Server) -> None:
    async def greedy(enough: asyncio.Event) -> int:
        asked = 0
        async with visitor(server.address) as someone:
            await someone.arrive("training_trace", {"experiment": "classifier", "epochs": "500"})
            while not enough.is_set():
                asked += 1
                await someone.move("epochs", 300 + asked % 200)
        return asked

    async def modest(number: int) -> bool:
        own = {"start": "random", "seed": str(number)}
        async with visitor(server.address) as someone:
            await someone.arrive("training_trace", {"epochs": "30", **own})
            wanted = [Settings(epochs=epochs, start="random", seed=number) for epochs in (40, 50, 60)]
            return all([tells(one, await someone.move("epochs", one.epochs)) for one in wanted])

    async def everybody() -> tuple[list[bool], int]:
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            hog = tasks.create_task(greedy(enough))
            served = await asyncio.gather(*map(modest, range(700, 709)))
            enough.set()
        return served, hog.result()

    served, asked = together(asyncio.wait_for(everybody(), 240))
    assert served == [True] * 9
    assert asked > 0


def test_another_site_can_neither_connect_nor_send_a_file(server: Server) -> None:
    async def connect_from(origin: str) -> None:
        address = server.address.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(address, origin=origin, subprotocols=["streamlit"]):  # type: ignore[arg-type, list-item]
            pass

    together(connect_from(server.address))
    with pytest.raises(InvalidStatus):
        together(connect_from("http://elsewhere.example"))
    upload = urllib.request.Request(
        f"{server.address}/_stcore/upload_file/some-session/some-file", b"x", method="PUT"
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(upload, timeout=60)
    assert refused.value.code in (400, 403)
