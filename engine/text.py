"""Numbers and words of a sentence, written the same way on every page: four digits that rounding noise cannot turn.

A float32 result is right to about seven digits, and its last bits differ from processor to processor. The reference
lesson's first loss is exactly 0.85225, a tie at four digits: one processor computes 0.85225010, another 0.85224998, and
plain formatting shows 0.8523 here and 0.8522 there. So a number is first rounded to six digits, which takes the noise
away, and then half up to those that are shown. Such round numbers as a lesson is made of lie far from where that turns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

KEPT = 6
"""Digits that are right on every processor."""
SHOWN = 4
_WHOLE = 6
"""Numbers of as many digits before the point are written in full, larger ones with an exponent."""
_KEEP = Context(prec=KEPT, rounding=ROUND_HALF_EVEN)


def number_text(number: float, *, beside: float = 0.0, digits: int = SHOWN, short: bool = False) -> str:
    """A number with so many digits; whole ones as they are, `short` ones without zeros at the end.

    A small difference of large numbers has the noise of the large ones. `beside` is their size: a number is shown only
    so far as six digits of that size reach, and is 0 where it lies below them.
    """
    if not math.isfinite(number):
        return str(float(number))
    sizes = [abs(number), abs(beside) if math.isfinite(beside) else 0.0]
    size = _KEEP.create_decimal_from_float(float(max(sizes)))
    last = size.adjusted() - KEPT + 1
    kept = Decimal(float(number)).quantize(_unit(last), ROUND_HALF_EVEN)
    if not kept:
        return "0"
    top = kept.adjusted()
    if top < _WHOLE and kept == kept.to_integral_value():
        return str(int(kept))
    place = max(top - digits + 1, last + 1 if beside else last)
    if top < _WHOLE:
        place = min(place, 0)
    shown = kept.quantize(_unit(place), ROUND_HALF_UP)
    if not shown:
        return "0"
    if shown.adjusted() > top:  # 9.9996 has become 10.000
        shown = shown.quantize(_unit(place + 1))
    if short:
        shown = shown.normalize()
    return f"{shown:f}" if -5 < top < _WHOLE else f"{shown:e}"


def percent_text(share: float, *, beside: float = 0.0) -> str:
    """A share of 1 in percent."""
    return f"{number_text(100 * share, beside=100 * beside)}%"


def _unit(place: int) -> Decimal:
    """Ten to that power."""
    return Decimal((0, (1,), place))


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names for a sentence: "`a`, `b` and 3 more"."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def counted(number: float, one: str) -> str:
    """ "1 call", "3 calls", "1,000 calls": a whole number, or one that is rounded to be."""
    shown = f"{number:,.0f}"
    return f"{shown} {one}{'' if shown == '1' else 's'}"


def verb(names: Sized, one: str, many: str) -> str:
    """The verb's form for that many names."""
    return one if len(names) == 1 else many


def first_line(text: object, otherwise: str = "") -> str:
    """The first line of a message, or something else where it is empty."""
    return (str(text).strip().splitlines() or [otherwise])[0].rstrip()
