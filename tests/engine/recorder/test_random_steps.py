"""Random steps with one cut in a random place: plain torch says who starves, the builder says where it was cut.

A step is written out as source: a chain of layers with branches, views, in-place operations, nested functions and
modules. The states must be those of a plain run, the cut must be named with its kind and line, and loss and
gradients must be the very same bits.
"""

import linecache
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.recorder import StepRecord, record_step

PARTS = {
    "layer": "h = m{i}(h)",
    "tanh": "h = m{i}(h).tanh()",
    "block": "h = block{i}(h)",
    "sequence": "h = stack{i}(h)",
    "function": "h = helper(h, m{i})",
    "closure": "h = (lambda v: m{i}(v).sigmoid())(h)",
    "branch": "h = m{i}(h) + m{j}(h).sigmoid()",
    "stack": "h = torch.stack([m{i}(h), m{j}(h)]).mean(0)",
    "views": "h = h.view(5, 2, 2).transpose(1, 2).reshape(5, 4)",
    "slices": "h = torch.cat([h[:, :1], h[:, 1:]], 1)",
    "in_place": "h = h * 1.0; h.mul_(0.9).add_(0.1)",
    "operators": "h = h + 0.0; h += 1; h[:, 0] *= 2",
    "filled": "b = torch.zeros(5, 4); b[:, :2] = h[:, :2]; b[:, 2:] = h[:, 2:]; h = b",
    "parameter": "h = h * w{i} + w{j}",
    "loop": "h = sum(m{i}(h * k) for k in (0.5, 1.5))",
    "loss_fn": "h = nn.functional.layer_norm(h, (4,)) + h",
}
CUTS = {
    "detach": ("detach", "h = h.detach()"),
    "detach_layer": ("detach", "h = m{i}(h).detach()"),
    "data": ("data", "h = h.data"),
    "no_grad": ("no_grad", "with torch.no_grad(): h = m{i}(h) + 0.1"),
    "no_grad_block": ("no_grad", "with torch.no_grad():\n        h = h * 2\n        h = block{i}(h)"),
    "decorated": ("no_grad", ""),
    "set_grad": ("no_grad", "with torch.set_grad_enabled(False): h = h.cos()"),
    "inference": ("inference_mode", "with torch.inference_mode(): h = h.exp()\n    h = h.clone()"),
    "item": ("item", "h = torch.full((5, 4), h.mean().item())"),
    "float": ("item", "h = x + float(h.mean())"),
    "tolist": ("torch_tensor", "h = torch.tensor(h.tolist())"),
    "numpy": ("numpy", "h = torch.from_numpy(h.detach().numpy() * 2)"),
    "tensor": ("torch_tensor", "h = torch.tensor([v for v in h.mean(1)]).unsqueeze(1).expand(5, 4)"),
    "argmax": ("integer", "h = nn.functional.one_hot(h.argmax(1), 4).float()"),
    "compare": ("integer", "h = (h > 0).float() + x"),
    "long": ("integer", "h = h.long() * 1.5"),
    "sign": ("zero_op", "h = h.sign()"),
    "round": ("zero_op", "h = h.round() + 0.5"),
    "times_zero": ("zero_op", "h = h * 0 + 1"),
    "cancel": ("cancel", "h = h - h.clone() + 1"),
    "blind": ("custom_function", "h = Blind.apply(h)"),
    "parameter": ("detach", "h = nn.Parameter(h) * 1.0"),
}
HEAD = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, v):
        return self.two(self.one(v).tanh()) + v


class Blind(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        out = v * 2
        ctx.mark_non_differentiable(out)
        return out

    @staticmethod
    def backward(ctx, g):
        return g


def helper(v, layer):
    def inner(u):
        return layer(u).relu() + 0.1 * u
    return inner(v)


@torch.no_grad()
def frozen(v):
    return v.sin()


torch.manual_seed(SEED)
m0, m1, m2 = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
block0, block1, block2 = Block(), Block(), Block()
stack0, stack1, stack2 = (nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4)) for _ in range(3))
w0, w1, w2 = (nn.Parameter(torch.rand(4) + 0.5) for _ in range(3))
last = nn.Linear(4, 4)
x, y = torch.randn(5, 4), torch.randn(5, 4)


def step():
    h = x
"""
_numbers = count()


@dataclass(frozen=True)
class Program:
    text: str
    cut: str
    line: int


@st.composite
def programs(draw: st.DrawFn) -> Program:
    def part() -> str:
        template = PARTS[draw(st.sampled_from(sorted(PARTS)))]
        return template.format(i=draw(st.integers(0, 2)), j=draw(st.integers(0, 2)))

    text = HEAD.replace("SEED", str(draw(st.integers(0, 99)))) + f"    h = m{draw(st.integers(0, 2))}(h)\n"
    text += "".join(f"    {part()}\n" for _ in range(draw(st.integers(0, 3))))
    cut = draw(st.sampled_from(["none", *CUTS]))
    skip = draw(st.booleans())
    text += "    skip = h\n" if skip else ""
    line = text.count("\n") + 1
    if cut == "decorated":
        text += "    h = frozen(h)\n"
        line = HEAD[: HEAD.index("@torch.no_grad()")].count("\n") + 1
    elif cut == "blind":
        text += f"    {CUTS[cut][1]}\n"
        line = HEAD[: HEAD.index("out = v * 2")].count("\n") + 1
    elif cut != "none":
        text += f"    {CUTS[cut][1].format(i=draw(st.integers(0, 2)))}\n"
    text += "".join(f"    {part()}\n" for _ in range(draw(st.integers(0, 3))))
    text += "    h = h + skip\n" if skip else ""
    text += "    return nn.functional.mse_loss(last(h), y)\n"
    return Program(text, cut, line)


def load(program: Program) -> tuple[dict[str, Any], str]:
    file = f"<random step {next(_numbers)}>"
    linecache.cache[file] = (len(program.text), None, program.text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "random_step"}
    exec(compile(program.text, file, "exec"), names)
    return names, file


def parameters(names: dict[str, Any]) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    for key, value in names.items():
        if isinstance(value, torch.nn.Module):
            found.update({f"{key}.{n}": p for n, p in value.named_parameters()})
        elif isinstance(value, torch.nn.Parameter):
            found[key] = value
    return found


def record_of(program: Program) -> tuple[StepRecord, dict[str, torch.Tensor | None], str]:
    """The record, held against a plain run for states and bits."""
    plain, _ = load(program)
    loss = plain["step"]()
    loss.backward()
    recorded, file = load(program)
    record = record_step(recorded["step"], names=recorded)
    assert record.raised is None
    assert record.loss == float(loss)
    truth = {n: p.grad for n, p in parameters(plain).items()}
    for name, parameter in parameters(recorded).items():
        want = truth[name]
        assert (parameter.grad is None) == (want is None)
        assert want is None or (parameter.grad is not None and torch.equal(parameter.grad, want))
    states = {p.name: p.state for p in record.parameters}
    for name, want in truth.items():
        state = "none" if want is None else "gradient" if bool(want.any()) else "zero"
        assert states[name] == state, name
    linecache.cache.pop(file, None)
    return record, truth, file


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_random_step_is_told_apart(program: Program) -> None:
    record, truth, _ = record_of(program)
    # Now and then a seed gives a layer whose relu is off for every sample: no cut of the program's, and true.
    off = [c for c in record.cuts if c.location is not None and ".relu()" in c.location.text]
    dead = {n for n, g in truth.items() if g is not None and not bool(g.any())}
    assert all(c.kind == "zero_op" and set(c.starved) <= dead for c in off)
    if program.cut == "none":
        assert record.cuts == tuple(off)
        assert record.ok or dead, record.verdict
        return
    kind = CUTS[program.cut][0]
    used = {n for cut in record.cuts for n in (*cut.starved, *cut.partial)}
    here = [
        c
        for c in record.cuts
        if c.kind == kind and c.location is not None and c.location.line == program.line
    ]
    blocked = {n for c in here for n in (*c.starved, *c.partial)}
    if kind in ("zero_op", "cancel"):
        assert {n for c in record.cuts for n in c.starved} >= dead
        assert here or dead <= {n for c in off for n in c.starved}, record.cuts
        return
    assert here, (kind, program.line, record.cuts)
    first = program.text[program.text.index("def step") :].splitlines()[2].strip()
    name = first.removeprefix("h = ").removesuffix("(h)")
    assert f"{name}.weight" in blocked or f"{name}.weight" not in used, (program.text, record.cuts)


@pytest.mark.parametrize("cut", sorted(CUTS))
def test_each_cut_starves_what_is_before_it(cut: str) -> None:
    line = HEAD.count("\n") + 2
    text = HEAD.replace("SEED", "0") + "    h = m0(h)\n"
    text += "    h = frozen(h)\n" if cut == "decorated" else f"    {CUTS[cut][1].format(i=1)}\n"
    text += "    return nn.functional.mse_loss(last(h), y)\n"
    record, _, _ = record_of(Program(text, cut, line))
    assert not record.ok
    finding = record.findings[0]
    assert finding.kind == CUTS[cut][0]
    assert {"m0.weight", "m0.bias"} <= set(finding.names)
    assert finding.suggestion
