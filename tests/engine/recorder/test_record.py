"""What a record looks like where Python shows it unasked: one line, whatever the size of the model."""

import pytest
import torch
from torch import Tensor, nn

from engine import Settings, train
from engine.recorder import StepRecord, record_step


def of_a_big_model(cut: bool) -> StepRecord:
    net = nn.Sequential(*[nn.Linear(32, 32) for _ in range(300)])
    head, x = nn.Linear(32, 1), torch.randn(4, 32)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

    def step() -> Tensor:
        a_name_that_is_as_long_as_names_in_real_projects_are = net(x)
        h = a_name_that_is_as_long_as_names_in_real_projects_are
        loss: Tensor = head(h.detach() if cut else h).pow(2).mean()
        return loss

    return record_step(step, names={"the_network": net, "head": head, "x": x, "optimizer": optimizer})


@pytest.mark.parametrize("cut", [False, True])
def test_a_record_and_all_it_is_made_of_show_in_a_line(cut: bool) -> None:
    record = of_a_big_model(cut)
    assert len(record.parameters) == 602
    parts = [record, *record.parameters, *record.stages, *record.cuts, *record.findings, *record.backwards]
    parts += [stage.output for stage in record.stages]
    parts += [path for parameter in record.parameters for path in parameter.paths]
    assert max(len(repr(part)) for part in parts) <= 120
    assert not any("\n" in repr(part) for part in parts)
    assert len(repr([record])) <= 120


def test_a_representation_says_what_it_is() -> None:
    record = of_a_big_model(True)
    assert repr(record).startswith("<StepRecord 1 finding, 602 parameters, ")
    assert repr(record.parameters[0]) == "<ParameterRecord the_network.0.weight [32, 32]: none>"
    assert repr(record.findings[0]).startswith("<Finding detach at ")
    assert repr(record.cuts[0]).startswith("<Cut detach starves 600 at ")
    assert repr(record.stages[1]).startswith("<Stage 1 linear in the_network.0: ")
    assert (
        repr(record.backwards[0]) == f"<BackwardRecord from stage {len(record.stages) - 1} to 2 parameters>"
    )
    assert "float32 [4, 32]" in repr(record.stages[0].output)


def test_what_is_printed_is_still_the_whole_report() -> None:
    record = of_a_big_model(True)
    assert f"{record}" == str(record)
    assert "the_network.0.weight" in str(record)
    assert len(str(record).splitlines()) > 10


def test_a_trace_shows_in_a_line_or_two() -> None:
    trace = train(Settings(epochs=50))
    assert len(repr(trace)) < 400
    assert len(repr(trace.attached)) < 80
    assert len(str(trace).splitlines()) > 2
