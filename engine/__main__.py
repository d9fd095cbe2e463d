"""`detach-lab trace my_step.py` where the engine is installed, `python -m engine trace my_step.py` in a clone."""

import sys

if __name__ == "__main__":
    try:
        from .cli import command

        status = command()
    except KeyboardInterrupt:  # so early that no command was there to say so
        print("Interrupted.", file=sys.stderr)
        status = 2
    sys.exit(status)
