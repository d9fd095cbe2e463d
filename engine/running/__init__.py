"""`detach-lab run`: a training script runs as it always does, and one of its optimizer steps is recorded.

`program` makes `__main__` of a file or a module as Python itself does, `after_import` waits for the script's own
`import torch`, and `run` joins them with the recorder's `StepWatch`. Nothing here brings torch: the script sets its
environment variables before it imports what reads them, as it does without us.
"""
