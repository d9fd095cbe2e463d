"""Detach Lab's engine: records a step, trains the twins, says where a gradient stops.

    from engine import Settings, record, train

    print(train(Settings()))                 # the reference lesson, without and with its detach
    print(record(Settings(), epoch=4))       # one step of it, forward and back

It knows no screen: pages import it, and it imports neither streamlit nor altair.
"""

from engine.recording import record
from engine.settings import Settings, SettingsError
from engine.trace import Run, Trace
from engine.training import train

__all__ = ["Run", "Settings", "SettingsError", "Trace", "record", "train"]
