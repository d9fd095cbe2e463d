"""Records one training step: the calls, what came back through them, and where a gradient stopped.

from engine.recorder import record_step, recording

print(record_step(step, optimizer=optimizer))

with recording(optimizer=optimizer) as recorded:
    loss = criterion(model(x), y)
    loss.backward()
print(recorded.report)
"""

from engine.recorder.live import recording
from engine.recorder.recorder import record_step
from engine.recorder.records import StepRecord
from engine.recorder.script import ScriptError, record_file

__all__ = ["ScriptError", "StepRecord", "record_file", "record_step", "recording"]
