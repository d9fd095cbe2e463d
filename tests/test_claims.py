"""Every claim has a test or a proof, and no test declares a claim that stands nowhere."""

from importlib import import_module

import pytest

from engine.glossary import GLOSSARY
from engine.quiz import questions
from pages.components.shell.tour import STEPS
from tests.claims import (
    CONTEXT,
    PROVERS,
    Claim,
    backings,
    backs,
    claims,
    everything_said,
    is_context,
    main,
    proved,
)


def test_every_claim_is_backed() -> None:
    declared = backings()
    bare = [claim for claim in claims() if not any(backing.covers(claim) for backing in declared)]
    assert not bare, "\n".join(f"{claim.place}: {claim.text}" for claim in bare)


def test_every_declaration_stands_for_a_claim() -> None:
    found = claims()
    stale = [backing for backing in backings() if not any(backing.covers(claim) for claim in found)]
    assert not stale, "\n".join(map(str, stale))


def test_what_is_no_claim_still_stands_on_screen() -> None:
    left_out = [claim for claim in everything_said() if is_context(claim)]
    assert len(left_out) == sum(map(len, CONTEXT.values()))


def test_each_claim_with_a_program_is_run_by_a_test_that_goes_through_all_of_them() -> None:
    found = [claim.place for claim in proved()]
    over = {"quiz": questions(), "glossary": GLOSSARY, "tour": STEPS}
    assert {place: found.count(place) for place in over} == {place: len(each) for place, each in over.items()}
    assert set(found) == set(PROVERS)
    for place, test in PROVERS.items():
        path, _, name = test.partition("::")
        proving = getattr(import_module(path.removesuffix(".py").replace("/", ".")), name)
        (cases,) = [mark.args[1] for mark in proving.pytestmark if mark.name == "parametrize"]
        assert len(cases) == len(over[place])


def test_a_claim_without_a_test_is_printed_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main() == 0
    assert "NOTHING BACKS THIS" not in capsys.readouterr().out
    monkeypatch.setattr("tests.claims.everything_said", lambda: iter([Claim("nowhere.story", "Pigs fly.")]))
    assert main() == 1
    assert "nowhere.story: Pigs fly.\n    NOTHING BACKS THIS\n" in capsys.readouterr().out


def test_a_test_is_declared_by_its_path() -> None:
    def test_something() -> None: ...

    assert backs("nowhere.story")(test_something) is test_something  # no start: nothing is declared
