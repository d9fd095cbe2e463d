"""Records one training step: the calls, the gradients that passed back through them, and where one stopped.

from detach_lab import record_step, recording

print(record_step(step, optimizer=optimizer))

with recording(optimizer=optimizer) as recorded:
    loss = criterion(model(x), y)
    loss.backward()
print(recorded.report)

A step goes through five rooms, and no arrow runs back: `capture` writes down what torch did, `analysis` works out
what that means, each of `rules` looks for one kind of fault, `diagnosis` orders what they find, `render` tells it.
The doors are three: `record_step` for a function, `recording` for a block of code, `record_file` for a whole file.
"""

from .record_file import ScriptError, record_file
from .record_step import record_step
from .recording import recording
from .report import StepRecord

__all__ = ["ScriptError", "StepRecord", "record_file", "record_step", "recording"]
