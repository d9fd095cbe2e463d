"""What the twins of a run are called on a page: by whether the detach stands in them."""

from __future__ import annotations

from engine import Settings
from engine.settings import NOWHERE

WITHOUT, WITH = "without detach", "with detach"


def twin_names(settings: Settings) -> tuple[str, str]:
    """The names of both twins; where no detach stands at all, the second is the first one once more."""
    return WITHOUT, f"{WITHOUT}, once more" if settings.detach == NOWHERE else WITH
