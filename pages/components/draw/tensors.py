"""Tensors as tables whose cells are also a heat map: the number is the text, its size the strength of the colour.

A tensor too large for a table shows its first rows, its figures, and the whole of it as a picture with one dot an
element. Sign is told by the number itself, not by colour alone. Everything is escaped.
"""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from html import escape

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine.text import counted, number_text

_ROWS, _COLUMNS = 6, 12
_WARM, _COOL = (217, 119, 6), (37, 99, 235)
_STRONGEST = 0.42
"""The colour of the largest element, as opacity: text on it stays readable in the light and the dark theme."""


def tensor_html(values: NDArray[np.generic], label: str, *, text: str = "", noise: float = 0.0) -> str:
    """A tensor of any shape as a captioned table, cut to its first rows where it is long.

    Numbers are shown as far as six digits of the largest one reach; up to `noise` they are 0.
    """
    return _made(values.tobytes(), values.dtype.str, values.shape, label, text, noise)


@lru_cache(maxsize=1_000)
def _made(data: bytes, dtype: str, of: tuple[int, ...], label: str, text: str, noise: float) -> str:
    """The table of these numbers. A page draws the same ones again at each of its runs."""
    grid = _as_grid(np.frombuffer(data, dtype).reshape(of))
    grid[np.abs(grid) <= noise] = 0.0
    shape = " x ".join(map(str, of)) or "scalar"
    rows, columns = grid.shape
    largest = _largest(grid)
    body = "".join(
        "<tr>" + "".join(_cell(number, largest) for number in row[:_COLUMNS]) + "</tr>"
        for row in grid[:_ROWS]
    )
    rest = [f"{columns} columns in all: scroll sideways"] if 4 < columns <= _COLUMNS else []
    if rows > _ROWS:
        rest.append(f"and {counted(rows - _ROWS, 'more row')}")
    if columns > _COLUMNS:
        rest.append(f"and {counted(columns - _COLUMNS, 'more column')}")
    more = ""
    if rest:
        more = f"<p><small>{'; '.join(rest)}</small></p>"
    if rows > _ROWS or columns > _COLUMNS:
        more += _picture(grid, f"{label}, {shape}, {_figures(grid)}")
    caption = f"{escape(label)} <small>{shape}{escape(text)}</small>"
    name = escape(label, quote=True)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{name}">'
        f"<table><caption>{caption}</caption><tbody>{body}</tbody></table>{more}</div>"
    )


def _as_grid(values: NDArray[np.generic]) -> NDArray[np.float64]:
    numbers = values.astype(np.float64)
    return numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim > 1 else numbers.reshape(1, -1)


def _largest(grid: NDArray[np.float64]) -> float:
    finite = np.abs(grid[np.isfinite(grid)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _cell(number: float, largest: float) -> str:
    share = min(abs(number) / largest, 1.0) * _STRONGEST if np.isfinite(number) else 0.0
    said = number_text(number, beside=largest)
    red, green, blue = _WARM if number >= 0 else _COOL
    return f'<td style="background: rgba({red}, {green}, {blue}, {share:.2f})">{said}</td>'


def _figures(grid: NDArray[np.float64]) -> str:
    least, mean, most = (number_text(n, beside=_largest(grid)) for n in (grid.min(), grid.mean(), grid.max()))
    return f"smallest {least}, mean {mean}, largest {most}"


def _picture(grid: NDArray[np.float64], label: str) -> str:
    """The whole grid as a small picture, rows across where there are many, one dot an element."""
    dots = grid[:500, :500]
    share = np.clip(np.nan_to_num(np.abs(dots) / _largest(grid), nan=0.0), 0, 1)
    pixels = np.zeros((*dots.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where(dots[..., None] >= 0, _WARM, _COOL)
    pixels[..., 3] = (share * 255).astype(np.uint8)
    turned = dots.shape[0] > dots.shape[1]
    pixels = pixels.transpose(1, 0, 2) if turned else pixels
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="PNG")
    data = base64.b64encode(file.getvalue()).decode()
    height, width = pixels.shape[:2]
    scale = max(1, min(8, 320 // width))
    return (
        f'<img alt="Heat map: {escape(label, quote=True)}" width="{width * scale}" height="{height * scale}" '
        f'src="data:image/png;base64,{data}">'
        f"<small>the whole of it, one dot a number{', its rows side by side' if turned else ''}</small>"
    )
