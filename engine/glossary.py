"""The words that the app uses, each in a sentence or two, and each with a short program that proves the sentence.

A program is plain torch and ends in a variable named `holds`, computed from what torch did: True where the sentence is
right. `holds(term)` runs it. `words_in(text)` finds the words that a text uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch


@dataclass(frozen=True)
class Term:
    """A word, what it means (Markdown), the program that proves it, and how it is written, as a regular expression."""

    name: str
    meaning: str
    proof: str
    written: str


GLOSSARY = (
    Term(
        "computation graph",
        "Autograd's record of how a tensor was computed, built while the operations run. `backward()` walks it from the "
        "loss to the leaves.",
        """\
w = torch.tensor(2.0, requires_grad=True)
loss = (3 * w) ** 2
product = loss.grad_fn.next_functions[0][0]
holds = (loss.grad_fn.name(), product.name()) == ("PowBackward0", "MulBackward0")""",
        r"\bgraphs?\b",
    ),
    Term(
        "node",
        "One operation in the graph: it knows how to compute the gradients of its inputs from the gradient of its output.",
        """\
w = torch.tensor(2.0, requires_grad=True)
node = (w * w).grad_fn
holds = [g.item() for g in node(torch.tensor(1.0))] == [2.0, 2.0]""",
        r"\bnodes?\b",
    ),
    Term(
        "leaf",
        "A tensor that no recorded operation made, such as a parameter or the data. `backward()` writes `.grad` only into "
        "leaves that require a gradient.",
        """\
w = torch.tensor(2.0, requires_grad=True)
result = 3 * w
result.backward()
holds = w.is_leaf and not result.is_leaf and w.grad == 3""",
        r"\b(leaf|leaves|is_leaf)\b",
    ),
    Term(
        "parameter",
        "A tensor that a module registers as its own and that training changes. It is a leaf and requires a gradient "
        "unless you say otherwise.",
        """\
layer = torch.nn.Linear(3, 2)
weight, bias = layer.parameters()
holds = weight is layer.weight and weight.is_leaf and weight.requires_grad""",
        r"\bparameters?\b",
    ),
    Term(
        "requires_grad",
        "The flag that makes autograd record what is computed from a tensor. A result has it as soon as one input has it.",
        """\
w, x = torch.ones(2, requires_grad=True), torch.ones(2)
holds = (w * x).requires_grad and not (x * x).requires_grad""",
        r"\brequires_grad\b",
    ),
    Term(
        "grad_fn",
        "The graph's node for the operation that made a tensor. It is None for a leaf and for whatever is not tracked.",
        """\
w = torch.ones(2, requires_grad=True)
result = w.exp()
holds = result.grad_fn is not None and w.grad_fn is None and result.detach().grad_fn is None""",
        r"\bgrad_fn\b",
    ),
    Term(
        "gradient",
        "How fast the loss changes with each number of a tensor. It has the tensor's shape, and a step against it lowers "
        "the loss if the step is small enough.",
        """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
lower = ((w - 0.1 * w.grad) ** 2).sum()
holds = w.grad.tolist() == [2.0, 4.0] and bool(lower < loss)""",
        r"\bgradients?\b",
    ),
    Term(
        "gradient norm",
        "The length of a gradient: the square root of the sum of its squares. It says how strong the gradient is, not "
        "where it points.",
        """\
w = torch.zeros(2, requires_grad=True)
(3 * w[0] + 4 * w[1]).backward()
holds = round(w.grad.norm().item(), 3) == 5.0""",
        r"\b([Gg]radient|Euclidean) norms?\b|\bnorm of\b",
    ),
    Term(
        "None or zeros",
        "`.grad` is None where no gradient came, and zeros where one came and is zero. An optimizer skips None; with zeros, "
        "weight decay or momentum can still move the weight.",
        """\
moved = []
for grad in (None, torch.zeros(1)):
    w = torch.ones(1, requires_grad=True)
    w.grad = grad
    torch.optim.SGD([w], lr=0.1, weight_decay=0.5).step()
    moved.append(w.item() != 1)
holds = moved == [False, True]""",
        r"\bNone\b",
    ),
    Term(
        "backward()",
        "Walks the graph from a tensor back to its leaves and adds each leaf's gradient to its `.grad`. It changes no "
        "weight.",
        """\
w = torch.tensor(2.0, requires_grad=True)
(5 * w).backward()
(5 * w).backward()
holds = w.grad == 10 and w == 2""",
        r"\bbackward\(\)",
    ),
    Term(
        "backward() refuses",
        "It raises a RuntimeError where the loss has no graph behind it: there is nothing that it could walk through.",
        """\
loss = torch.ones(2, requires_grad=True).detach().sum()
try:
    loss.backward()
    holds = False
except RuntimeError as error:
    holds = "does not require grad" in str(error)""",
        r"\brefuse[sd]?\b|does not require grad",
    ),
    Term(
        "detach",
        "`x.detach()` gives the same values, in the same memory, without the graph behind them. No gradient passes back "
        "through the result; `x` itself keeps its graph.",
        """\
w = torch.ones(2, requires_grad=True)
x = 3 * w
d = x.detach()
holds = torch.equal(d, x) and d.data_ptr() == x.data_ptr() and not d.requires_grad and x.requires_grad""",
        r"\b[Dd]etach(es|ed)?\b",
    ),
    Term(
        "no_grad",
        "Inside `with torch.no_grad():` nothing is recorded, so what is computed there has no graph at all. A detach drops "
        "a graph that was already built.",
        """\
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    inside = 3 * w
holds = not inside.requires_grad and (3 * w).requires_grad""",
        r"\bno_grad\b",
    ),
    Term(
        "starved",
        "A parameter that should learn and gets no gradient, because every path from the loss to it is cut.",
        """\
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
second(first(torch.ones(1, 2)).detach()).sum().backward()
holds = first.weight.grad is None and second.weight.grad is not None""",
        r"\b[Ss]tarve[sd]?\b",
    ),
    Term(
        "twin",
        "One of two copies of a model with the same start and the same data. One is trained with the detach and one without, "
        "so whatever differs later comes from the detach.",
        """\
import copy
one = torch.nn.Linear(2, 1)
other = copy.deepcopy(one)
x = torch.ones(1, 2)
holds = torch.equal(one(x), other(x).detach())""",
        r"\btwins?\b",
    ),
    Term(
        "epoch",
        "One pass over the training data. Where a step takes all samples at once, an epoch is one step.",
        """\
from torch.utils.data import DataLoader
samples = torch.arange(6)
whole, parts = list(DataLoader(samples, batch_size=6)), list(DataLoader(samples, batch_size=2))
holds = len(whole) == 1 and len(parts) == 3 and torch.equal(torch.cat(parts), samples)""",
        r"\b[Ee]pochs?\b",
    ),
    Term(
        "learning rate",
        "The factor between a gradient and the step. Too small a rate learns slowly; too large a rate overshoots, and the "
        "loss grows.",
        """\
def loss_after(rate, steps=20):
    w = torch.tensor(1.0)
    for _ in range(steps):
        w = w - rate * 2 * w  # the gradient of w**2
    return w**2
holds = bool(loss_after(0.001) > loss_after(0.1) and loss_after(1.1) > 1)""",
        r"\b[Ll]earning rates?\b",
    ),
    Term(
        "optimizer",
        "What moves the weights: each `step()` changes every parameter it holds that has a gradient. SGD takes the rate "
        "times the gradient; Adam first scales it by its recent size.",
        """\
w, v = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w, v], lr=0.5)
(3 * w).sum().backward()
optimizer.step()
holds = w.item() == 1 - 0.5 * 3 and v.item() == 1""",
        r"\b[Oo]ptimizers?\b",
    ),
    Term(
        "saved tensor",
        "A value that an operation keeps on the way forward because its derivative needs it. `backward()` frees it, and a "
        "detached result keeps none.",
        """\
w = torch.tensor([2.0, 3.0], requires_grad=True)
square = w**2
saved = square.grad_fn._saved_self
holds = torch.equal(saved, w) and square.detach().grad_fn is None""",
        r"\b[Ss]ave[sd]\b",
    ),
    Term(
        "retain_graph",
        "`backward(retain_graph=True)` keeps the saved tensors, so that the same graph can be walked once more. Without it "
        "a second walk that needs them raises.",
        """\
w = torch.tensor(2.0, requires_grad=True)
loss = w**2
loss.backward(retain_graph=True)
loss.backward()
try:
    loss.backward()
    holds = False
except RuntimeError:
    holds = w.grad == 8""",
        r"\bretain_graph\b|second time",
    ),
    Term(
        "stop-gradient",
        "The papers' word for a detach: the values count as constants, and no gradient passes back through them.",
        """\
w = torch.tensor(2.0, requires_grad=True)
(w * w.detach()).backward()
holds = w.grad == 2  # and not 4, as without the detach""",
        r"\b[Ss]top-gradient\b",
    ),
    Term(
        "straight-through",
        "`x + (f(x) - x).detach()` has the values of `f(x)` and the gradient of `x`. So a gradient gets past a step such as "
        "rounding, whose slope is 0.",
        """\
x = torch.tensor([0.4, 1.7], requires_grad=True)
y = x + (x.round() - x).detach()
y.sum().backward()
holds = torch.allclose(y, x.round()) and x.grad.tolist() == [1.0, 1.0]""",
        r"\b[Ss]traight-through\b",
    ),
    Term(
        "collapse",
        "All samples get the same embedding. That makes any two of them agree perfectly, and tells nothing about either.",
        """\
embeddings = torch.ones(5, 8)  # five samples, one embedding for all
agree = torch.nn.functional.cosine_similarity(embeddings[0], embeddings[1], dim=0)
holds = round(agree.item(), 3) == 1.0 and embeddings.std(dim=0).max() == 0""",
        r"\b[Cc]ollapse[sd]?\b",
    ),
    Term(
        "effective number of codes",
        "The perplexity of how often each code is used, `exp(entropy)`. It is n for n codes used equally often, and less "
        "where some are rare.",
        """\
def effective(share):
    return torch.exp(-(share * share.log()).sum()).item()
equal, uneven = torch.full((4,), 0.25), torch.tensor([0.97, 0.01, 0.01, 0.01])
holds = round(effective(equal), 3) == 4.0 and effective(uneven) < 1.5""",
        r"codes in use|effective number of codes|\b[Pp]erplexity\b",
    ),
    Term(
        "finite differences",
        "A derivative measured from outside: move a weight a little, compute the loss anew, divide. They see through a "
        "detach; autograd does not.",
        """\
w = torch.tensor(2.0, requires_grad=True)
f = lambda w: w * w.detach()
measured = (f(torch.tensor(2.001)) - f(torch.tensor(1.999))) / 0.002
f(w).backward()
holds = round(measured.item(), 1) == 4.0 and w.grad == 2""",
        r"\b[Ff]inite differences\b",
    ),
)
"""At most 25 words, in an order in which each builds on those before it."""


def find_term(name: str) -> Term:
    """The term of that name. Raises `StopIteration` for another."""
    return next(term for term in GLOSSARY if term.name == name)


def words_in(text: str) -> tuple[Term, ...]:
    """The terms that a text uses, in the glossary's order."""
    return tuple(term for term in GLOSSARY if re.search(term.written, text))


def program(term: Term) -> str:
    """The whole program, as it runs."""
    return f"import torch\n\n{term.proof}"


@cache
def holds(term: Term) -> bool:
    """Whether the program of a term proves it: run once, whatever the caller has switched on or off around the call."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with torch.inference_mode(False), torch.enable_grad():
        exec(compile(program(term), f"<{term.name}>", "exec", dont_inherit=True), names)
    return bool(names["holds"])
