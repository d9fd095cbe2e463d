"""How numbers are written: no rounding noise turns a digit of a number that is round."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import counted, number_text, percent_text

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.8522500991821289, "0.8523"),
        (0.8522499799728394, "0.8523"),
        (-0.85225, "-0.8523"),
        (0.147, "0.1470"),
        (1.5, "1.500"),
        (12, "12"),
        (0.99999997, "1"),
        (-0.0, "0"),
        (9.99996, "10.00"),
        (12345.6, "12346"),
        (99999.6, "100000"),
        (123456.7, "123457"),
        (1234567.0, "1.235e+6"),
        (0.00012345, "0.0001235"),
        (0.000012345, "1.235e-5"),
        (3.4e38, "3.400e+38"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_as_they_are_written(number: float, text: str) -> None:
    assert number_text(number) == text


def test_short_ones_have_no_zeros_at_the_end() -> None:
    assert [number_text(n, short=True) for n in (0.147, 1.5, 1e-6, 20.0)] == ["0.147", "1.5", "1e-6", "20"]


def test_a_small_difference_of_large_numbers_is_written_as_far_as_these_are_known() -> None:
    assert number_text(0.00123456, beside=1.0) == "0.0012"
    assert number_text(3e-8, beside=1.0) == "0"
    assert number_text(0.123456, beside=0.99999997) == number_text(0.123456, beside=1.0)
    assert number_text(0.5, beside=math.inf) == "0.5000"


def test_shares_are_written_in_percent() -> None:
    assert [percent_text(share) for share in (1.0, 25 / 60, 0.0)] == ["100%", "41.67%", "0%"]


@given(st.integers(1, 99_999), st.integers(-8, 8), st.sampled_from([-3, -1, 1, 3]))
def test_a_number_of_five_digits_is_written_the_same_with_noise(
    digits: int, exponent: int, noise: int
) -> None:
    """Ties at four digits included, rounded half up."""
    exact = digits * Fraction(10) ** exponent
    number = np.float32(float(exact))
    for _ in range(abs(noise)):
        number = np.nextafter(number, np.float32(noise * np.inf))
    assert number_text(float(number)) == number_text(float(exact))
    assert float(number_text(float(number))) == pytest.approx(float(exact), rel=5.1e-4)


@given(FLOATS)
def test_a_number_can_be_read_back_to_four_digits(number: float) -> None:
    assert float(number_text(number)) == pytest.approx(number, rel=5.1e-4)
    assert float(number_text(number, short=True)) == float(number_text(number))
    assert number_text(-number) == number_text(number).removeprefix("-") or number > 0


def test_one_is_singular_and_what_is_rounded_to_one_as_well() -> None:
    said = [counted(number, "byte") for number in (0, 1, 2, 0.99, 1.4, 1.6, 4544.0)]
    assert said == ["0 bytes", "1 byte", "2 bytes", "1 byte", "1 byte", "2 bytes", "4,544 bytes"]
