"""The questions, one file each, found by being here. To add one, add a file and edit nothing else.

A file is named `q_NUMBER_NAME.py` and sets `QUESTION`, whose `name` is the file's NAME with hyphens. NUMBER is the place
in the quiz: take the next free one, since links keep a reader's answers by place. The script is at most 12 lines of
plain torch (the lesson's own training loop has a few more), starts with `import torch`, draws random numbers from a
generator of its own if from any, prints what it saw, and sets `answer` from values that torch computed. Write four
options with four different answers, each with its own reason. `pytest tests/engine/quiz` walks every file.
"""
