"""One training step for many learning rates at once, written out as plain torch operations.

`torch.func` says what has to be computed: `vmap` over stacked parameters of `grad_and_value` of the experiment's own
step (`functionalize` turns what it changes in place into new values). Going through its layers in every epoch would
cost more than the arithmetic, so they are gone through once, under a dispatch mode that sees each plain operation
which comes out below. Those become a Python function, which the training loop calls. What need not be computed in
every epoch is left out of it:

- an operation that depends on no parameter gave its value while it was watched, and that value is a constant;
- a result that lies in the same memory, in the same shape, as an earlier one is that earlier one;
- a product with ones, and a choice that is always the same, is its operand;
- a view of a parameter is taken once, since the optimizers change parameters in place;
- what reaches neither the loss nor a gradient is not computed at all.

The mode belongs to its thread, so other threads can train, record and sweep meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, functionalize, grad_and_value, vmap
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

Step = Callable[[nn.Module, Any], tuple[Tensor, Tensor]]
Replay = Callable[[], tuple[list[Tensor], Tensor]]
"""Gives the gradients (each rates x its parameter's shape) and the losses (rates) at the parameters' values of now."""

_aten = torch.ops.aten
_LIKE = (_aten.ones_like.default, _aten.zeros_like.default, _aten.full_like.default)
"""Their result depends on their operand's shape alone."""
_PRODUCTS = (_aten.mul.Tensor, _aten.mul.Scalar, _aten.div.Tensor, _aten.div.Scalar)


class Unbatchable(ValueError):
    """The step does something that cannot be written out once for all rates and all epochs."""


@dataclass(frozen=True)
class BatchedStep:
    """A step written out for stacked parameters.

    `bind(stacked)` gives the function to call in each epoch. It reads the parameters in place: it has to be bound
    to the very tensors that are updated, one for each of `names`.
    """

    names: tuple[str, ...]
    """The parameters that the loss is connected to; all others keep their start values."""
    text: str
    """The code of `bind`."""
    bind: Callable[[Sequence[Tensor]], Replay]


def connected(model: nn.Module, step: Step, data: Any) -> tuple[str, ...]:
    """The names of the parameters that get a gradient, none where `backward()` would refuse."""
    loss, _ = step(model, data)
    if not loss.requires_grad:
        return ()
    named = dict(model.named_parameters())
    gradients = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return tuple(name for name, gradient in zip(named, gradients, strict=True) if gradient is not None)


def loss_of(model: nn.Module, step: Step, data: Any, names: Sequence[str]) -> Callable[..., Tensor]:
    """The loss as a function of the named parameters' values; all others are as they stand in the model."""
    whole = _Whole(model.requires_grad_(False), step)

    def loss(*values: Tensor) -> Tensor:
        swapped = {f"model.{name}": value for name, value in zip(names, values, strict=True)}
        found: Tensor = functional_call(whole, swapped, (data,))
        return found

    return loss


def write_out(model: nn.Module, step: Step, data: Any, names: tuple[str, ...], rates: int) -> BatchedStep:
    """The step, written out for so many rates. Raises `Unbatchable`."""
    named = dict(model.named_parameters())
    # Different from rate to rate, so that no two stacked values could be taken for one.
    stacked = [
        named[name].detach() * torch.linspace(0.9, 1.1, rates).view(-1, *[1] * named[name].ndim)
        for name in names
    ]
    both = grad_and_value(loss_of(model, step, data, names), argnums=tuple(range(len(names))))
    tape = _Tape(stacked)
    try:
        with tape:
            gradients, losses = functionalize(vmap(both))(*stacked)
    except (RuntimeError, TypeError) as refused:  # random numbers, a branch on a value, a changed parameter
        raise Unbatchable(str(refused)) from refused
    text, bind = tape.compiled([*gradients, losses])
    return BatchedStep(names, text, bind)


class _Whole(nn.Module):
    """A model and its step as one module, whose output is the loss."""

    def __init__(self, model: nn.Module, step: Step) -> None:
        super().__init__()
        self.model = model
        self._step = step

    def forward(self, data: Any) -> Tensor:
        return self._step(self.model, data)[0]


@dataclass(frozen=True)
class _Line:
    """An operation on the tape, the name of its result, and the names that it reads."""

    result: str
    code: str
    reads: tuple[str, ...]
    once: bool


class _Tape(TorchDispatchMode):
    """Sees every plain operation, and keeps those that have to be done again in each epoch."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._alive: list[Tensor] = list(parameters)  # an id or an address of a tensor that lives is its own
        self._names = {id(tensor): f"p{number}" for number, tensor in enumerate(parameters)}
        self._in_memory = {_memory(tensor): f"p{number}" for number, tensor in enumerate(parameters)}
        self._inputs = list(self._names.values())
        self._once = set(self._inputs)
        self._lines: list[_Line] = []
        self._constants: dict[str, object] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.is_mutable:
            raise Unbatchable(f"the step changes a tensor in place, by {func}")
        out = func(*args, **kwargs)
        operands = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, Tensor)]
        living = [operand for operand in operands if id(operand) in self._names]
        if living and func not in _LIKE:
            self._keep(func, args, kwargs, out, living)
        self._alive += [value for value in (*operands, *tree_flatten(out)[0]) if isinstance(value, Tensor)]
        return out

    def _keep(self, func: Any, args: Any, kwargs: Any, out: Any, living: list[Tensor]) -> None:
        called = str(func).removeprefix("aten.").removesuffix(".default").replace(".", "_")
        self._constants[called] = func
        given = [self._code(value) for value in args]
        given += [f"{key}={self._code(value)}" for key, value in kwargs.items()]
        code = f"{called}({', '.join(given)})"
        reads = tuple(self._names[id(operand)] for operand in living)
        if isinstance(out, Tensor):
            self._names[id(out)] = (
                self._in_memory.get(_memory(out))
                or self._operand(func, args, out)
                or self._line(code, reads, out, view=any(_same_storage(out, operand) for operand in living))
            )
            return
        together = self._line(code, reads)
        for number, part in enumerate(out):
            if isinstance(part, Tensor):
                self._names[id(part)] = self._line(f"{together}[{number}]", (together,), part)

    def _line(
        self, code: str, reads: tuple[str, ...], out: Tensor | None = None, *, view: bool = False
    ) -> str:
        """A new line, and the name of its result."""
        name = f"v{len(self._lines)}"
        once = view and self._once.issuperset(reads)
        self._lines.append(_Line(name, code, reads, once))
        if once:
            self._once.add(name)
        if out is not None:
            self._in_memory[_memory(out)] = name
        return name

    def _operand(self, func: Any, args: Any, out: Tensor) -> str | None:
        """The name of the operand that this operation gives back as it is, or None."""
        if func in _PRODUCTS and self._is_ones(args[1]):
            kept = args[0]
        elif func in (_aten.mul.Tensor, _aten.where.self) and self._is_ones(args[0]):
            kept = args[1]
        else:
            return None
        same = kept.shape == out.shape and kept.dtype == out.dtype
        return self._names.get(id(kept)) if same else None

    def _is_ones(self, value: object) -> bool:
        if isinstance(value, Tensor):
            return id(value) not in self._names and bool((value == 1).all())
        return value == 1

    def _code(self, value: object) -> str:
        """An argument as it stands in the code."""
        if isinstance(value, Tensor):
            return self._names.get(id(value)) or self._constant(value)
        if isinstance(value, list | tuple):
            inside = ", ".join(map(self._code, value))
            return f"[{inside}]"
        return repr(value) if isinstance(value, int | float | str | None) else self._constant(value)

    def _constant(self, value: object) -> str:
        name = next((n for n, known in self._constants.items() if known is value), f"c{len(self._constants)}")
        self._constants[name] = value
        return name

    def compiled(self, results: list[Tensor]) -> tuple[str, Callable[[Sequence[Tensor]], Replay]]:
        """The code that computes the results from the parameters, and its function."""
        *gradients, loss = (self._code(result) for result in results)
        needed, lines = {*gradients, loss}, []
        last_reads: list[tuple[str, ...]] = []
        for line in reversed(self._lines):
            if line.result in needed:
                last_reads.append(tuple({*line.reads} - needed - self._once))
                lines.append(line)
                needed.update(line.reads)
        before = [f"    {line.result} = {line.code}" for line in reversed(lines) if line.once]
        body: list[str] = []
        for line, gone in zip(reversed(lines), reversed(last_reads), strict=True):
            if not line.once:
                body.append(f"        {line.result} = {line.code}")
                body += [f"        del {', '.join(sorted(gone))}"] * bool(gone)
        text = "\n".join(
            [
                "def bind(parameters):",
                f"    {', '.join(self._inputs)}, = parameters",
                *before,
                "    def replay():",
                *body,
                f"        return [{', '.join(gradients)}], {loss}",
                "    return replay",
                "",
            ]
        )
        names = dict(self._constants)
        exec(compile(text, "<batched step>", "exec"), names)
        bind: Any = names["bind"]
        return text, bind


def _memory(tensor: Tensor) -> tuple[object, ...]:
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype


def _same_storage(one: Tensor, other: Tensor) -> bool:
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
