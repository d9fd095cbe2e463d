"""What whoever started the server said after `--`: `--trace FILE`, or `--run SCRIPT ITS ARGUMENTS`. Brings no torch."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser
from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A file to trace, or a script to run with its arguments."""

    words: tuple[str, ...]
    """The file alone, or what stands after `run` on a command line."""
    is_run: bool

    @property
    def title(self) -> str:
        """As it was typed."""
        return " ".join(self.words)

    @property
    def file(self) -> str:
        """The file or the module that is named."""
        return self.words[1] if self.words[0] == "-m" and len(self.words) > 1 else self.words[0]


def named_file() -> Named | None:
    """What is named on the server's command line; of both the script that runs."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--trace", nargs="?")
    parser.add_argument("--run", nargs=REMAINDER)
    found = parser.parse_known_args(sys.argv[1:])[0]
    words = tuple(found.run or ((found.trace,) if found.trace else ()))
    return Named(words, bool(found.run)) if any(words) else None
