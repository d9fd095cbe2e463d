"""The scenes: a twin run at all its epochs, and a single recorded step; and the pictures that are made of them."""

from __future__ import annotations

from collections.abc import Iterator

from engine import Settings, Trace, record
from engine.recorder import StepRecord
from engine.serving.cache import Cache
from engine.twins.film import Film, still
from pages.components.canvas.graph import Graph, ends_of_detaches, first_untracked, graph_of
from pages.components.canvas.payload import Picture, Scene, Scissors, Twin
from pages.components.draw.twins import twin_names
from pages.components.shell.controls import place_label

_stands: Cache[Settings, tuple[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]], ...]] = Cache(
    200, lambda found: 1
)
"""By run, for each place: the edges and nodes where its scissors stand, by the numbers of `_numbered`."""


_pictures: Cache[Settings, Picture] = Cache(16 * 2**20, lambda picture: len(picture.written))
"""By run. Written anew at each rerun of a page, a picture took as long as the rest of its canvas's share."""


def twin_picture(trace: Trace, film: Film) -> Picture:
    """The picture of a twin run, written once as long as it is kept."""
    return _pictures.get(trace.settings, lambda: Picture.of(twin_scene(trace, film)))


def step_picture(step: StepRecord) -> Picture:
    """The picture of one step of a reader's own."""
    return Picture.of(step_scene(step))


def twin_scene(trace: Trace, film: Film) -> Scene:
    """Both twins of a run, and the scissors at each place where the detach can stand."""
    steps = tuple(reel.record for reel in film.reels)
    graph = graph_of(steps)
    names = twin_names(trace.settings)
    twins = tuple(
        Twin(name[0].upper() + name[1:], reel, run.losses)
        for name, reel, run in zip(names, film.reels, trace.runs, strict=True)
    )
    settings = trace.settings
    scissors = tuple(_scissors(settings, graph, steps[0]))
    return Scene(graph, twins, film.epochs, scissors, film.plane, settings.experiment)


def step_scene(step: StepRecord) -> Scene:
    """One step of a reader's own."""
    (reel,) = still([step])
    return Scene(graph_of((step,)), (Twin("This step", reel, ()),), (1,), name=step.file or "step")


def _scissors(settings: Settings, graph: Graph, uncut: StepRecord) -> Iterator[Scissors]:
    number = _numbered(uncut)
    node = {number[row.twins[0].index]: n for n, row in enumerate(graph.nodes) if row.twins[0] is not None}
    for name, edges, nodes in _places(settings):
        ways = tuple((node[a], node[b]) for a, b in edges if a in node and b in node)
        yield Scissors(
            name,
            place_label(settings.experiment, name),
            ways,
            tuple(node[n] for n in nodes if n in node),
            name == settings.detach,
        )


def _places(settings: Settings) -> tuple[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]], ...]:
    """Found by recording a step with the detach at each place: where it makes a difference, it stands.

    One step is enough, but for a detach that comes in the middle of a run.
    """
    first = Settings(experiment=settings.experiment)
    for name, value in settings.options:
        first = first.choosing(name, value)

    def compute() -> tuple[tuple[str, tuple[tuple[int, int], ...], tuple[int, ...]], ...]:
        found = []
        for place in settings.described().places:
            for epochs in (1, first.epochs):
                at = first.changed(detach=place.name, epochs=epochs)
                uncut, cut = (record(at, epoch=epochs, detached=which) for which in (False, True))
                number = _numbered(uncut)
                ends = ends_of_detaches(cut, uncut)
                edges = tuple(dict.fromkeys((number[a.index], number[b.index]) for a, b in ends))
                nodes = () if edges else tuple(number[stage.index] for stage in first_untracked(cut, uncut))
                if edges or nodes:
                    break
            found.append((place.name, edges, nodes))
        return tuple(found)

    return _stands.get(first, compute)


def _numbered(step: StepRecord) -> dict[int, int]:
    """Each stage's number among those that are no detach: the same in all steps of an experiment, whatever is cut."""
    kept = (stage.index for stage in step.stages if stage.operation != "detach")
    return {index: number for number, index in enumerate(kept)}
