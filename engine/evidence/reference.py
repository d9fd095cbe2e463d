"""A reference table of the ways to take values out of a graph, each cell measured by running a short script.

    from .reference import reference_table

    for row in reference_table():
        print(row.name, row.shares_memory, row.edit.text)

The ten scripts differ in the line that takes the values, and freezing in one more, since only a leaf can be frozen.
Nothing about an operation is written down here: a script is run as it is shown, and its variables are the cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from ..text import first_line, number_text
from ..twins.training import plain_torch

_SCRIPT = '''\
import torch


def start():
    """A leaf, and y, from which the values are taken."""
    leaf = torch.tensor(1.5, requires_grad=True)
    y = {made}
    return leaf, y


def take(y):
    {line}


def gradient(loss, leaf):
    """The gradient that comes back to the leaf, or what backward() raises."""
    try:
        loss.backward()
    except RuntimeError as refusal:
        return str(refusal)
    return None if leaf.grad is None else leaf.grad.item()


leaf, y = start()
value, right = y.item(), gradient(y**2, leaf)

# What comes out.
leaf, y = start()
result = take(y)
tensor = torch.as_tensor(result)
values_same = tensor.item() == value
shares_memory = tensor.data_ptr() == y.data_ptr()
requires_grad = getattr(result, "requires_grad", None)
grad_fn = getattr(result, "grad_fn", None)

# The original's own gradient, by a loss that is made of it afterwards, and by one that was made before.
after = gradient(y**2, leaf)
leaf, y = start()
loss = y**2
take(y)
before = gradient(loss, leaf)

# A gradient through the result.
leaf, y = start()
through = gradient(5 * torch.as_tensor(take(y)), leaf)

# The result is edited in place, while autograd keeps y for the derivative of y**2.
leaf, y = start()
loss = y**2
result = take(y)
try:
    result *= 10
    edit_raised = None
except RuntimeError as refusal:
    edit_raised = str(refusal)
edited = gradient(loss, leaf)
touched = y.item() != value

print("values the same:", values_same, "; memory shared:", shares_memory)
print("requires_grad:", requires_grad, "; grad_fn:", grad_fn)
print("y's own right gradient:", right, "; by a loss made after:", after, "; made before:", before)
print("gradient through the result:", through)
print("after the edit:", edit_raised or edited, "; y is touched:", touched)
'''

_LINES = {
    "detach": "return y.detach()",
    "detach_": "return y.detach_()",
    ".data": "return y.data",
    "no_grad": "with torch.no_grad():\n        return y * 1",
    "inference_mode": "with torch.inference_mode():\n        return y * 1",
    "requires_grad_(False)": "return y.requires_grad_(False)",
    "clone": "return y.clone()",
    "clone().detach()": "return y.clone().detach()",
    "item": "return y.item()",
    "numpy": "return y.detach().numpy()",
}
_MADE = {"requires_grad_(False)": "leaf  # only a leaf can be frozen"}


NOTES = (
    "Under `no_grad` and `inference_mode` the rows compute `y * 1`: it is the product that has its own memory. A view that "
    "is taken there, such as `y.view(1)`, shares that of `y`.",
    "A tensor made under `inference_mode` can be used in a later computation, such as `w + result`, but not where autograd has to save "
    "it for the backward pass, such as `w * result`: that raises. A `clone()` of it can.",
)
"""What the rows alone would let a reader take wrongly, in Markdown."""


@dataclass(frozen=True)
class Came:
    """What `backward()` did: the gradient that came to the leaf, None where none came, or what was raised."""

    gradient: float | None
    refusal: str | None = None
    """The first line of what it raised, word for word."""

    @property
    def text(self) -> str:
        """In a word or a number."""
        if self.refusal is not None:
            return "raises"
        return "None" if self.gradient is None else number_text(self.gradient, short=True)


EditKind = Literal[
    "raises when edited", "raises anyway", "raises at backward", "silently wrong", "does not touch it"
]


@dataclass(frozen=True)
class Edit:
    """What comes of editing the result in place while autograd still needs the original."""

    kind: EditKind
    came: Came
    """The gradient that came after it, or what was raised, by the edit or by `backward()`."""
    text: str
    """A sentence with the gradients, or with what was raised, word for word."""


@dataclass(frozen=True)
class Row:
    """One way to take values out of a graph, and what it does."""

    name: str
    line: str
    """The line that takes the values."""
    code: str
    """The script behind this row, as it was run."""
    values_same: bool
    shares_memory: bool
    requires_grad: bool | None
    """None where the result is no tensor."""
    grad_fn: str | None
    right: float
    """The gradient of the original's own loss where nothing is taken out."""
    after: Came
    """The original's own gradient, by a loss made of it after the values were taken."""
    before: Came
    """The same by a loss that was made before."""
    gradient_through: Came
    """The gradient through the result."""
    edit: Edit


@cache
def reference_table() -> tuple[Row, ...]:
    """The ten rows, each script run once."""
    with plain_torch():
        return tuple(_row(name, line) for name, line in _LINES.items())


def _row(name: str, line: str) -> Row:
    code = _SCRIPT.format(made=_MADE.get(name, "2 * leaf"), line=line)
    seen: dict[str, Any] = {"__name__": "__main__", "print": lambda *_: None}
    exec(compile(code, f"<{name}>", "exec", dont_inherit=True), seen)
    return Row(
        name=name,
        line=" ".join(line.replace("return ", "").split()),
        code=code,
        values_same=seen["values_same"],
        shares_memory=seen["shares_memory"],
        requires_grad=seen["requires_grad"],
        grad_fn=None if seen["grad_fn"] is None else seen["grad_fn"].name(),
        right=seen["right"],
        after=_came(seen["after"]),
        before=_came(seen["before"]),
        gradient_through=_came(seen["through"]),
        edit=_edit(seen),
    )


def _came(outcome: float | str | None) -> Came:
    return Came(None, first_line(outcome)) if isinstance(outcome, str) else Came(outcome)


def _edit(seen: dict[str, Any]) -> Edit:
    before, edited, right = _came(seen["before"]), _came(seen["edited"]), seen["right"]
    if seen["edit_raised"] is not None:
        refused = _came(seen["edit_raised"])
        return Edit("raises when edited", refused, f"The edit itself raises: “{refused.refusal}”")
    if edited.refusal is not None and edited.refusal == before.refusal:
        said = f"`backward()` raises with the edit and without it: “{edited.refusal}”"
        return Edit("raises anyway", edited, said)
    if edited.refusal is not None:
        return Edit("raises at backward", edited, f"Noticed, `backward()` raises: “{edited.refusal}”")
    if edited.gradient != right:
        said = f"Nothing is noticed, and the gradient is silently wrong: {edited.text} instead of {number_text(right, short=True)}."
        return Edit("silently wrong", edited, said)
    kept = "changes" if seen["touched"] else "keeps its value"
    return Edit(
        "does not touch it", edited, f"The original {kept}, and its gradient is right: {edited.text}."
    )
