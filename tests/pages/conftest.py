"""What the tests of the pages share: the work that each would do anew, and that is the same for all."""

import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from types import SimpleNamespace

import pytest
from streamlit.components.v2 import manifest_scanner

from engine import subprocess_recording
from tests.warm import Warm


@pytest.fixture(scope="session", autouse=True)
def packages_are_looked_through_once() -> Iterator[None]:
    """Each run of an `AppTest` looks for components in all packages that are installed, as a server does at its start:
    two thirds of the time that a page takes."""
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture
def forks(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are recorded in a process of their own as ever, but none that has to load torch first."""

    class Forked:
        """As much of `Popen` as is used of it."""

        def __init__(self, command: Sequence[str], **_: object) -> None:
            unbuffered, *words = command[1:]
            assert unbuffered == "-u"  # the standard files tell nothing here
            self.returncode = warm.run(*words).returncode

        def wait(self, timeout: float | None = None) -> int:
            return self.returncode

        def kill(self) -> None:
            """It has ended."""

    known = {"DEVNULL": subprocess.DEVNULL, "TimeoutExpired": subprocess.TimeoutExpired}
    monkeypatch.setattr(subprocess_recording, "subprocess", SimpleNamespace(Popen=Forked, **known))
