"""What the tests of the pages share: the files that they trace are run in forks, which have torch already."""

import subprocess
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from engine import subprocess_recording
from tests.warm import Warm


@pytest.fixture
def forks(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are recorded in a process of their own as ever, but none that has to load torch first."""

    class Forked:
        """As much of `Popen` as is used of it."""

        def __init__(self, command: Sequence[str], **_: object) -> None:
            _, unbuffered, *words = command
            assert unbuffered == "-u"  # the standard files tell nothing here
            self.returncode = warm.run(*words).returncode

        def wait(self, timeout: float | None = None) -> int:
            return self.returncode

        def kill(self) -> None:
            """It has ended."""

    known = {"DEVNULL": subprocess.DEVNULL, "TimeoutExpired": subprocess.TimeoutExpired}
    monkeypatch.setattr(subprocess_recording, "subprocess", SimpleNamespace(Popen=Forked, **known))
