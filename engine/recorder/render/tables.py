"""The report as pandas tables, for whoever wants to sort and filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..record import StepRecord

if TYPE_CHECKING:
    import pandas as pd


def calls_table(record: StepRecord) -> pd.DataFrame:
    """One row a stage: index, operation, module, name, shape, tracked, grad_fn, gradient, file, line, text."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "index": s.index, "operation": s.operation, "module": s.module, "name": s.output.name,
                "shape": s.output.shape, "tracked": s.output.requires_grad, "grad_fn": s.output.grad_fn or "",
                "gradient": s.gradient_state, "file": s.location.file if s.location else "",
                "line": s.location.line if s.location else None, "text": s.location.text if s.location else "",
            }
            for s in record.stages
        ]
    )  # fmt: skip


def parameters_table(record: StepRecord) -> pd.DataFrame:
    """One row a parameter: name, shape, state, reason, line, in_optimizer."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "name": p.name, "shape": p.shape, "state": p.state, "reason": p.reason,
                "line": p.location.line if p.location else None, "in_optimizer": p.in_optimizer,
            }
            for p in record.parameters
        ]
    )  # fmt: skip
