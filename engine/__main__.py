"""`detach-lab trace my_step.py` where the engine is installed, `python -m engine trace my_step.py` in a clone."""

import sys

from .cli import command

if __name__ == "__main__":
    sys.exit(command())
