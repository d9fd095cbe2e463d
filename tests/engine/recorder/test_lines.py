"""The line of a fault, wherever the reader wrote it: in a function, or in another file."""

import runpy
from pathlib import Path

import pytest
import torch

from engine.recorder import record_step
from tests.engine.recorder.packages import imported

IN_MAIN = """
import torch
from torch import nn
from engine.recorder import recording


def main():
    net, other, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.ones(8, 3)
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1)  # <--
    return train(net, optimizer, x)


def train(net, optimizer, x):
    with recording(optimizer=optimizer) as recorded:
        net(x).pow(2).mean().backward()
    return recorded.report


def elsewhere():
    net = nn.Linear(3, 1)
    x = torch.ones(8, 3)
    optimizer = torch.optim.SGD(nn.Linear(3, 1).parameters(), lr=0.1)
    with recording(optimizer=optimizer) as recorded:
        net(x).pow(2).mean().backward()
    return recorded.report
"""


@pytest.mark.parametrize(
    ("text", "function", "line"),
    [
        (IN_MAIN[: IN_MAIN.index("\n\ndef elsewhere")], "main", 9),  # the only line that binds it
        (IN_MAIN, "elsewhere", 22),  # the one in the function around the block, of two
        (IN_MAIN, "main", None),  # of two that `train` can't see nobody knows which
    ],
)
def test_the_line_that_builds_an_optimizer_in_a_function(
    text: str, function: str, line: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "script.py"
    path.write_text(text)
    report = runpy.run_path(str(path))[function]()
    (finding,) = report.findings
    assert finding.kind == "stale_optimizer"
    assert (finding.location and finding.location.line) == line


def test_the_line_of_an_unregistered_layer_in_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(3, 3)]
            self.head = nn.Linear(3, 1)

        def forward(self, x):
            return self.head(self.layers[0](x))
    """
    net, x = imported("a_readers_model", text, tmp_path, monkeypatch).Net(), torch.ones(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    (finding,) = record_step(lambda: net(x).pow(2).mean(), optimizer=optimizer).findings
    assert finding.kind == "unregistered"
    assert finding.location is not None
    assert (Path(finding.location.file).name, finding.location.line) == ("a_readers_model.py", 7)
