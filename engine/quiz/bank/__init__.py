"""The questions, one file each, found by being here. To add one, add a file and edit nothing else.

A file is named `q_NUMBER_NAME.py` and sets `QUESTION`, whose `name` is the file's NAME with hyphens. NUMBER is the place
of a reader's answer in a link: take the next free one. Where the question is asked follows from its topic and its step.

The script is plain torch, about 12 lines, and starts with `import torch`; `weakref` may be the second import. It draws
random numbers from a generator of its own if from any, prints what it saw, and sets `answer` from values that torch
computed. A print does nothing else, and a line that sets `answer` sets nothing else: a reader sees the script without
both before the prediction, so no other line may tell. The prompt stands above that script and need not repeat it.

Write four options with four different answers. The right one's explanation says why; a wrong one's says what somebody
who believes it has mixed up. What an explanation states beyond what the script shows has a test of the question's name
in `tests/engine/quiz/test_explanations.py`. `pytest tests/engine/quiz` walks every file.
"""
