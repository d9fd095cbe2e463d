"""Detach Lab's engine: records a step, trains the twins, says where a gradient stops.

    from . import Settings, record, train

    print(train(Settings()))                 # the reference lesson, without and with its detach
    print(record(Settings(), epoch=4))       # one step of it, forward and back

It knows no screen: pages import it, and it imports neither streamlit nor altair. Torch comes with the first of these
names and not with the package: the command line leaves it to the process that records.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recording import record
    from .settings import Settings, SettingsError
    from .trace import Run, Trace
    from .training import train

__all__ = ["Run", "Settings", "SettingsError", "Trace", "record", "train"]

_HOMES = {
    "Run": "trace",
    "Settings": "settings",
    "SettingsError": "settings",
    "Trace": "trace",
    "record": "recording",
    "train": "training",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
