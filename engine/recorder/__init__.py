"""Records one training step: the calls, what came back through them, and where a gradient stopped.

from engine.recorder import record_step

print(record_step(step, optimizer=optimizer))
"""

from engine.recorder.recorder import record_step
from engine.recorder.records import StepRecord

__all__ = ["StepRecord", "record_step"]
