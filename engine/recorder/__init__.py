"""Records one training step: the calls, what came back through them, and where a gradient stopped.

from . import record_step, recording

print(record_step(step, optimizer=optimizer))

with recording(optimizer=optimizer) as recorded:
    loss = criterion(model(x), y)
    loss.backward()
print(recorded.report)
"""

from .live import recording
from .recorder import record_step
from .records import StepRecord
from .script import ScriptError, record_file

__all__ = ["ScriptError", "StepRecord", "record_file", "record_step", "recording"]
