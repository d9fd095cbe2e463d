"""Records one training step: the calls, what came back through them, and where a gradient stopped.

from . import record_step, recording

print(record_step(step, optimizer=optimizer))

with recording(optimizer=optimizer) as recorded:
    loss = criterion(model(x), y)
    loss.backward()
print(recorded.report)
"""

from .capture.session import record_step
from .record import StepRecord
from .record_file import ScriptError, record_file
from .recording import recording

__all__ = ["ScriptError", "StepRecord", "record_file", "record_step", "recording"]
