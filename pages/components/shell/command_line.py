"""What whoever started the server said: `streamlit run streamlit_app.py -- --trace FILE`. Brings no torch."""

from __future__ import annotations

import sys
from argparse import ArgumentParser


def named_file() -> str | None:
    """The file after `--trace` on the server's command line, or None."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--trace", nargs="?")
    found: str | None = parser.parse_known_args(sys.argv[1:])[0].trace
    return found or None
