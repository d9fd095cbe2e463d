"""Detach in practice: the patterns of real code, each trained with its detach and without it."""

from pages.components.frame import open_page

view = open_page(
    "Detach in practice",
    "Where real code detaches, and what happens without it. Each pattern is a small training run of its own, made twice: "
    "with the detach and without. Move the detach, change what can be chosen, and read how the verdict changes.",
    choices_on_page=True,
)


from engine.results import verdict_of
from pages.components import controls
from pages.components.code_panel import show_code
from pages.components.practice import choose_pattern, show_evidence, show_lines, show_story, show_verdict
from pages.components.results import show_trace

if view.controls:
    choose_pattern(view)
show_story(view.settings)
if view.controls:
    controls.show_choices(view.settings)
trace = show_trace(view.settings)
verdict = verdict_of(trace)
show_verdict(verdict)
show_lines(view.settings)
show_evidence(trace, verdict, view.epoch)
show_code(view.settings, view.epoch)
