"""Detach Lab's engine: records a step, trains the twins, says where a gradient stops.

    from . import Settings, record, train          # in a clone; installed, the package is detach_lab

    print(train(Settings()))                 # the reference lesson, without and with its detach
    print(record(Settings(), epoch=4))       # one step of it, forward and back

It knows no screen: pages import it, and it imports neither streamlit nor altair. Torch comes with the first of these
names and not with the package: the command line leaves it to the process that records.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .recorder import StepRecord, record_file, record_step, recording
    from .settings import Settings, SettingsError
    from .testing import assert_gradients_flow
    from .twins.recorded_step import record
    from .twins.trace import Run, Trace
    from .twins.training import train

__all__ = [
    "Run",
    "Settings",
    "SettingsError",
    "StepRecord",
    "Trace",
    "assert_gradients_flow",
    "record",
    "record_file",
    "record_step",
    "recording",
    "train",
]

_HOMES = {
    "Run": "twins.trace",
    "Settings": "settings",
    "SettingsError": "settings",
    "StepRecord": "recorder",
    "Trace": "twins.trace",
    "assert_gradients_flow": "testing",
    "record": "twins.recorded_step",
    "record_file": "recorder",
    "record_step": "recorder",
    "recording": "recorder",
    "train": "twins.training",
}


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext detach_lab`: the notebook knows `%%trace` from now on."""
    from .integrations.notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext detach_lab`."""
    from .integrations.notebook import unload

    unload(shell)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
