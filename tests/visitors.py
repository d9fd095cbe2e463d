"""A visitor without a browser: streamlit's own websocket protocol, spoken as Chromium speaks it.

What goes to the server is what a browser sends (looked up in its frames): the link, the state of every widget on the
page, the page's hash, and the hashes of the large messages that it still holds, so that the server has the same to do.
What comes back is parsed, but nothing is drawn, and no chart's data are read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeVar
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

Result = TypeVar("Result")


@dataclass
class Answer:
    """What came of one run of a page: its texts, what went wrong, how long it took and how much was sent."""

    texts: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    sizes: list[tuple[str, int]] = field(default_factory=list)
    seconds: float = 0.0


class Visitor:
    """One session: it opens pages, moves sliders, and waits for the end of each run."""

    def __init__(self, connection: ClientConnection, address: str) -> None:
        self._connection = connection
        self._address = address
        self._link = ""
        self._pages: dict[str, str] = {}
        self._page = ""
        self._widgets: dict[str, WidgetState] = {}
        self._kept: dict[str, ForwardMsg] = {}
        self.overhears: Callable[[bytes], None] | None = None
        """Called with all that the server sends."""

    async def arrive(self, page: str, query: dict[str, str] | str) -> Answer:
        """Opens a link to a page; "" is the first one."""
        self._link = query if isinstance(query, str) else urlencode(query)
        self._page = ""
        return await self._run(page_name=page)

    async def go(self, page: str) -> Answer:
        """Follows the menu to a page, which takes the link along."""
        self._page = self._pages[page]
        self._widgets.clear()
        return await self._run()

    async def move(self, slider: str, value: float) -> Answer:
        """Moves a slider to a value; "" moves none and only runs the page again."""
        if slider:
            self._set(slider, value)
        return await self._run()

    async def hold(self, slider: str, values: Iterable[float], until: Callable[[Answer], bool]) -> Answer:
        """Moves a slider from value to value as a held arrow key does, and waits for a run that `until` accepts."""
        begun = perf_counter()
        for value in values:
            self._set(slider, value)
            await self._ask()
        return await self._receive(begun, until)

    async def leave_unread(self) -> None:
        """Asks for the page once more and reads nothing of it."""
        await self._ask()

    async def stop(self, page: str) -> Answer:
        """Goes to a page, presses stop as soon as its run has begun, and waits for the run to end."""
        self._page = self._pages[page]
        begun = perf_counter()
        await self._ask()
        return await self._receive(begun, stopping=True)

    def _set(self, slider: str, value: float) -> None:
        for name, state in self._widgets.items():
            if name.endswith(f"-{slider}"):
                state.double_array_value.data[:] = [value]

    async def _run(self, page_name: str = "") -> Answer:
        begun = perf_counter()
        await self._ask(page_name)
        return await self._receive(begun)

    async def _ask(self, page_name: str = "") -> None:
        asked = BackMsg()
        state = asked.rerun_script
        state.query_string = self._link
        state.page_script_hash = self._page
        state.page_name = page_name
        state.widget_states.widgets.extend(self._widgets.values())
        state.cached_message_hashes.extend(self._kept)
        state.context_info.timezone = "UTC"
        state.context_info.locale = "en-US"
        state.context_info.url = f"{self._address}/{page_name}"
        await self._connection.send(asked.SerializeToString())

    async def _receive(
        self,
        begun: float,
        until: Callable[[Answer], bool] = lambda answer: True,
        stopping: bool = False,
    ) -> Answer:
        answer, shown = Answer(), set[str]()
        async for frame in self._connection:
            assert isinstance(frame, bytes)
            message = ForwardMsg.FromString(frame)
            kind = message.WhichOneof("type")
            if kind == "ref_hash":
                message = self._kept[message.ref_hash]
                kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                element = message.delta.new_element
                kind = element.WhichOneof("type")
                if message.metadata.cacheable:
                    self._kept[message.hash] = message
                _read(element, kind or "", answer)
                self._take_widget(element, kind or "", shown)
            elif kind == "new_session":
                answer.texts.clear()
                shown.clear()
            elif kind == "navigation":
                self._pages = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
                self._page = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self._link = message.page_info_changed.query_string
            answer.sizes.append((kind or "", len(frame)))
            if self.overhears is not None:
                self.overhears(frame)
            if stopping and kind == "new_session":
                await self._connection.send(BackMsg(stop_script=True).SerializeToString())
            if kind == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and until(answer):
                    break
                if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    answer.exceptions.append("the page does not compile")
                    break
        else:
            answer.exceptions.append("the server closed the connection")
        answer.seconds = perf_counter() - begun
        self._widgets = {name: state for name, state in self._widgets.items() if name in shown}
        return answer

    def _take_widget(self, element: Element, kind: str, shown: set[str]) -> None:
        """Keeps a widget's value as the browser does: its own, but what the server sets goes first."""
        name, state = _state(element, kind)
        if state is None:
            return
        shown.add(name)
        if name not in self._widgets or getattr(element, kind).set_value:
            self._widgets[name] = state


def _read(element: Element, kind: str, answer: Answer) -> None:
    if kind == "markdown":
        answer.texts.append(element.markdown.body)
    elif kind in ("alert", "progress"):
        answer.texts.append(element.alert.body if kind == "alert" else element.progress.text)
    elif kind == "exception":
        answer.exceptions.append(f"{element.exception.type}: {element.exception.message}")


def _state(element: Element, kind: str) -> tuple[str, WidgetState | None]:
    """The name of a widget and the value that it is drawn with; None for what is no such widget."""
    if kind == "slider":
        slider = element.slider
        drawn = slider.value if slider.set_value else slider.default
        state = WidgetState(id=slider.id)
        if slider.options:
            raw = slider.raw_value if slider.set_value and slider.raw_value else None
            state.string_array_value.data.extend(raw or [slider.options[int(at)] for at in drawn])
        else:
            state.double_array_value.data.extend(drawn)
        return slider.id, state
    if kind in ("selectbox", "radio"):
        choice = element.selectbox if kind == "selectbox" else element.radio
        value = choice.raw_value if choice.set_value else choice.options[choice.default]
        return choice.id, WidgetState(id=choice.id, string_value=value)
    if kind == "checkbox":
        box = element.checkbox
        return box.id, WidgetState(id=box.id, bool_value=box.value if box.set_value else box.default)
    return "", None


def together(visits: Coroutine[Any, Any, Result]) -> Result:
    """What visits give, run in a thread of their own: a browser's event loop may be running in this one."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, visits).result()


@asynccontextmanager
async def visitor(address: str) -> AsyncIterator[Visitor]:
    """A session of its own on a server, ended afterwards."""
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    # A browser would offer compression, which the server turns down.
    async with connect(stream, subprotocols=["streamlit"], compression=None, max_size=None) as connection:  # type: ignore[list-item]
        yield Visitor(connection, address)
