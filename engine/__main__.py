"""`python -m engine trace my_step.py`."""

import signal
import sys

from .cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the file's process ends too
    sys.exit(main(sys.argv[1:]))
