"""What the checkpointed adapter's story says, held against plain torch without a checkpoint."""

import warnings

import pytest
import torch
from torch import Tensor, nn

from engine import Settings, record, train
from engine.evidence.cost import cost
from engine.evidence.verdicts import judge
from engine.settings import NOWHERE
from engine.twins.experiment_script import script_of
from engine.twins.film import film
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(8)
DEFAULT = Settings("checkpointed_adapter")
PLACES = ("frozen", "embedded")
KINDS = ("reentrant", "non-reentrant", "none")
INPUTS = ("as they are", "require grad")
STARVING = [DEFAULT.changed(detach=place) for place in PLACES]
HARMLESS = [
    DEFAULT.changed(detach=place).choosing("checkpoint", kind).choosing("inputs", inputs)
    for place in PLACES
    for kind in KINDS
    for inputs in INPUTS
    if (kind, inputs) != ("reentrant", "as they are")
]
ADAPTERS = {f"block.{layer}.{part}.weight" for layer in (0, 1) for part in ("down", "up")}
HEAD = {"head.weight", "head.bias"}
WARNING = "None of the inputs have requires_grad=True"

pytestmark = pytest.mark.filterwarnings(f"ignore:{WARNING}")


def name_of(settings: Settings) -> str:
    return " ".join((settings.detach, *(text for _, text in settings.options)))


def started(seed: int) -> nn.Module:
    """A model whose adapters are no longer zero: at the start, `down` gets a gradient of zeros through `up`."""
    model = start_model(DEFAULT.changed(seed=seed))
    for layer in (0, 1):
        nn.init.normal_(
            model.get_parameter(f"block.{layer}.up.weight"), generator=torch.Generator().manual_seed(seed)
        )
    return model


def gradients(settings: Settings, detached: bool) -> dict[str, Tensor | None]:
    """What one step of a rate of zero brings to the parameters."""
    script, model = script_of(settings), started(settings.seed)
    assert script.make_optimizers is not None
    still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
    script.step(detached)(model, script.make_data(settings.seed), still)
    return {name: p.grad for name, p in model.named_parameters()}


def by_hand(seed: int) -> dict[str, Tensor]:
    """The gradients of adapters and head, without a checkpoint and in double precision."""
    model = started(seed).double()
    of = dict(model.named_parameters())
    data = script_of(DEFAULT).make_data(seed)
    hidden = of["embedding.weight"][data.tokens].reshape(25, 8)
    for layer in ("block.0", "block.1"):
        low = hidden @ of[f"{layer}.down.weight"].T @ of[f"{layer}.up.weight"].T
        hidden = (hidden @ of[f"{layer}.base.weight"].T + of[f"{layer}.base.bias"] + low).tanh()
    scores = hidden @ of["head.weight"].T + of["head.bias"]
    loss = -scores.log_softmax(dim=1)[range(25), data.targets].mean()
    names = sorted(ADAPTERS | HEAD)
    return dict(zip(names, torch.autograd.grad(loss, [of[name] for name in names]), strict=True))


@backs("checkpointed_adapter.summary", "Adapters")
@backs("checkpointed_adapter.story", "Of PyTorch", "A frozen embedding")
@pytest.mark.parametrize("settings", STARVING, ids=name_of)
def test_behind_an_input_that_requires_no_grad_a_reentrant_checkpoint_starves_the_adapters_alone(
    settings: Settings,
) -> None:
    for seed in SEEDS:
        script, model = script_of(settings), start_model(settings)
        assert all(model.get_parameter(name).requires_grad for name in ADAPTERS)
        assert script.make_optimizers is not None
        made = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.1))
        held = {id(p) for group in made.param_groups for p in group["params"]}
        assert held == {id(model.get_parameter(name)) for name in ADAPTERS | HEAD}
        found = gradients(settings.changed(seed=seed), detached=True)
        assert {name for name, gradient in found.items() if gradient is not None} == HEAD
        fed = gradients(settings.changed(seed=seed), detached=False)
        assert {name for name, gradient in fed.items() if gradient is not None} >= ADAPTERS | HEAD


@backs("checkpointed_adapter.summary", "Adapters")
@backs("checkpointed_adapter.story", "Two cures")
@pytest.mark.parametrize("settings", HARMLESS, ids=name_of)
def test_otherwise_the_gradients_are_those_without_a_checkpoint(settings: Settings) -> None:
    for seed in SEEDS:
        expected = by_hand(seed)
        for detached in (False, True):
            found = gradients(settings.changed(seed=seed), detached)
            assert (found["embedding.weight"] is None) == detached
            for name, gradient in expected.items():
                came = found[name]
                assert came is not None
                assert gradient.abs().max() > 1e-4
                assert torch.allclose(came.double(), gradient, atol=1e-6)


@backs("checkpointed_adapter.story", "The head behind")
def test_torch_warns_where_the_adapters_starve_and_nowhere_else() -> None:
    for settings in STARVING:
        with pytest.warns(UserWarning, match=WARNING):
            gradients(settings, detached=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for settings in STARVING:
            gradients(settings, detached=False)
        for settings in HARMLESS:
            for detached in (False, True):
                gradients(settings, detached)


def test_the_line_of_the_checkpoint_is_explained_in_the_script() -> None:
    lines = script_of(DEFAULT).text.splitlines()
    called = [number for number, line in enumerate(lines) if "= checkpoint(" in line]
    assert len(called) == 2
    assert all(WARNING in lines[number - 1] for number in called)


@backs("checkpointed_adapter.story", "The backbone here")
def test_an_adapter_starts_as_zero_and_the_backbone_is_random_and_never_trained() -> None:
    for seed in SEEDS:
        model = start_model(DEFAULT.changed(seed=seed))
        for layer in (0, 1):
            assert not model.get_parameter(f"block.{layer}.up.weight").any()
            assert model.get_parameter(f"block.{layer}.down.weight").any()
            base = model.get_parameter(f"block.{layer}.base.weight")
            other = start_model(DEFAULT.changed(seed=seed + 1)).get_parameter(f"block.{layer}.base.weight")
            assert not base.requires_grad
            assert not torch.isclose(base, other).all()


@backs("checkpointed_adapter.story", "The head behind")
def test_starved_the_head_learns_a_little_and_fed_the_task_is_learned_on_every_seed() -> None:
    for seed in SEEDS:
        trace = train(DEFAULT.changed(seed=seed))
        without, with_ = trace.runs
        assert without.losses[0] == with_.losses[0]
        assert 0.9 < with_.losses[-1] < with_.losses[0] - 0.01
        assert without.losses[-1] < 0.5
        assert {layer for layer in with_.layers if layer not in with_.never_moved} == {"head"}
        assert {layer for layer in without.layers if layer not in without.never_moved} == {
            "head",
            *(name.removesuffix(".weight") for name in ADAPTERS),
        }


@backs("checkpointed_adapter.story", "With either")
@pytest.mark.parametrize("settings", HARMLESS, ids=name_of)
def test_with_either_cure_the_cut_changes_no_weight_and_saves_work(settings: Settings) -> None:
    for seed in range(2):
        short = settings.changed(seed=seed, epochs=12)
        verdict = judge(train(short))
        assert verdict.kind == "wasted work"
        assert verdict.attached.unused == ("embedding.weight",)
        assert verdict.sentence.endswith(" 1 parameter gets a gradient that no optimizer uses.")
        assert verdict.detached.unused == ()
        assert verdict.detached.nodes[-1] < verdict.attached.nodes[-1]
        assert verdict.detached.at_once < verdict.attached.at_once


@backs("checkpointed_adapter.story", "Large models", "In the counts")
def test_a_checkpoint_saves_memory_and_the_reentrant_kind_is_one_node() -> None:
    by_kind = {kind: cost(DEFAULT.choosing("checkpoint", kind), detached=False) for kind in KINDS}
    assert by_kind["reentrant"].at_once < by_kind["none"].at_once / 2
    assert by_kind["non-reentrant"].at_once < by_kind["none"].at_once / 2
    assert by_kind["non-reentrant"].nodes == by_kind["none"].nodes
    model, script = start_model(DEFAULT), script_of(DEFAULT.choosing("checkpoint", "none"))
    del script
    inner = model.get_submodule("block")(torch.ones(25, 8, requires_grad=True))
    nodes, todo = set(), [inner.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and not hasattr(node, "variable") and node not in nodes:
            nodes.add(node)
            todo += [following for following, _ in node.next_functions]
    assert by_kind["reentrant"].nodes[0] == by_kind["none"].nodes[0] - len(nodes) + 1


@pytest.mark.parametrize("kind", KINDS)
@backs("checkpointed_adapter.story", "Large models", "Of PyTorch")
def test_a_checkpoint_computes_the_block_again_and_the_reentrant_kind_builds_its_graph_only_then(
    kind: str,
) -> None:
    settings = DEFAULT.choosing("checkpoint", kind)
    script, model, recorded = script_of(settings), started(0), list[bool]()
    assert script.make_optimizers is not None
    still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
    first = model.get_submodule(
        "block.0"
    )  # a non-reentrant recomputation stops as soon as it has what it needs
    first.register_forward_pre_hook(lambda *_: recorded.append(torch.is_grad_enabled()))
    script.step(False)(model, script.make_data(0), still)
    assert recorded == {"reentrant": [False, True], "non-reentrant": [True, True], "none": [True]}[kind]


def test_the_recorder_names_the_checkpoint_and_the_four_adapters() -> None:
    for settings in STARVING:
        trace = train(settings.changed(epochs=12))
        step = record(settings.changed(epochs=12), epoch=10, weights="detached", trace=trace)
        starving = [cut for cut in step.cuts if cut.starved]
        assert {cut.kind for cut in starving} <= {"checkpoint", "detach"}
        assert {name for cut in starving for name in cut.starved} >= ADAPTERS
        assert [s.operation for s in step.stages if s.module == "block"] == ["CheckpointFunction"]


@pytest.mark.parametrize("settings", [*STARVING, *HARMLESS[:3], DEFAULT.changed(detach=NOWHERE)], ids=name_of)
def test_a_film_shows_the_numbers_of_the_recorded_steps(settings: Settings) -> None:
    short = settings.changed(epochs=4)
    trace = train(short)
    shown = film(trace)
    assert shown.epochs == (1, 2, 3, 4)
    for reel, run in zip(shown.reels, trace.runs, strict=True):
        loss = next(
            strip
            for stage, strip in zip(reel.record.stages, reel.strips.stages, strict=True)
            if stage.operation == "cross_entropy"
        )
        assert reel.numbers[:, loss.start].tolist() == pytest.approx(list(run.losses))
