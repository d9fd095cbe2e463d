"""The words for what torch did: titles of stages and what each operation does."""

from __future__ import annotations

from engine.recorder.record import Stage
from engine.text import counted

_TITLES = {
    "input": "Input data",
    "linear": "Linear layer",
    "detach": "Detach operation",
    "mse_loss": "Loss computation",
    "cross_entropy": "Loss computation",
    "tanh": "Tanh activation",
    "relu": "ReLU activation",
    "sigmoid": "Sigmoid activation",
    "softplus": "Softplus",
    "batch_norm": "Batch normalization",
    "embedding": "Embedding look-up",
    "cosine_similarity": "Cosine similarity",
    "cdist": "Distances",
    "argmin": "Argmin",
    "round": "Rounding",
    "__getitem__": "Indexing",
    "add": "Addition",
    "add_": "Addition in place",
    "sub": "Subtraction",
    "mul": "Multiplication",
    "div": "Division",
    "neg": "Change of sign",
    "mean": "Mean",
    "sum": "Sum",
    "cat": "Joining",
    "stack": "Stacking",
    "split": "Splitting",
    "zeros": "Zeros",
}

_DOES = {
    "input": "the numbers that the step starts from",
    "linear": "matrix product with the weights, plus the bias",
    "detach": "the same values, no longer tracked",
    "mse_loss": "mean of the squared differences to the targets",
    "cross_entropy": "mean of -log of the probability given to the right class",
    "tanh": "squeezes each number into -1 to 1",
    "relu": "keeps positive numbers, zero for the rest",
    "sigmoid": "squeezes each number into 0 to 1",
    "softplus": "log(1 + e^x): a ReLU without the corner",
    "batch_norm": "each feature to mean 0 and variance 1 over the batch",
    "embedding": "the rows of a table that the indices name",
    "cosine_similarity": "the cosine of the angle between two vectors",
    "cdist": "how far each point is from each of the others",
    "argmin": "the index of the smallest: a whole number, without a gradient",
    "round": "to the nearest whole number; the slope is 0",
    "__getitem__": "picks a part by its index",
    "add": "the sum of the two",
    "add_": "adds to what is there, in the same memory",
    "sub": "the first minus the second",
    "mul": "the product of the two",
    "div": "the first divided by the second",
    "neg": "minus each number",
    "mean": "the mean of the numbers",
    "sum": "the sum of the numbers",
    "cat": "joins tensors along a dimension",
    "stack": "stacks tensors along a new dimension",
    "split": "splits a tensor into pieces",
    "zeros": "a new tensor of zeros",
}


def stage_title(stage: Stage) -> str:
    """A stage's title, with the module or variable it belongs to."""
    title = _TITLES.get(stage.operation, stage.operation)
    if stage.operation == "input" and stage.output.name == "targets":
        return "Targets"
    owner = stage.module
    return f"{title} {owner}" if owner and owner != "linear" else title


def does(stage: Stage) -> str:
    """What the stage's operation does, in a few words."""
    return _DOES.get(stage.operation, f"torch's {stage.operation}")


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as people write it: "4 rows x 3 columns", "60 numbers", "scalar"."""
    if not shape:
        return "scalar"
    if len(shape) == 1:
        return counted(shape[0], "number")
    if len(shape) == 2:
        return f"{counted(shape[0], 'row')} x {counted(shape[1], 'column')}"
    return " x ".join(map(str, shape))
