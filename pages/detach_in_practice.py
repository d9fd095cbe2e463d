"""Detach in practice: where real code detaches: GANs, truncated backpropagation, targets, and what breaks."""

from pages.components.shell.frame import open_page

with open_page(
    "Detach in practice",
    "Where real code detaches, and what happens without it. Each pattern is a small training run, made twice: with the detach and without. Move the detach, change the options, and see how the verdict changes.",
    choices_on_page=True,
    place=40,
) as view:
    import streamlit as st

    from pages.components.parts.code_panel import show_code
    from pages.components.parts.differences import show_differences
    from pages.components.parts.glossary import show_words
    from pages.components.parts.picture import show_picture
    from pages.components.parts.practice import (
        about_verdict,
        choose_pattern,
        show_evidence,
        show_lines,
        show_over_seeds,
        show_story,
        show_summands,
        show_surprise,
        show_verdict,
    )
    from pages.components.parts.predict import predict_first, wait_in_tour
    from pages.components.parts.reference import show_reference_section
    from pages.components.shell import controls
    from pages.components.shell.results import find_verdict, show_trace

    show_words(
        "computation graph, node, leaf, parameter, grad_fn, gradient, None or zeros, backward(), backward() refuses, detach, starved, twin, epoch, optimizer, saved tensor, finite differences",
        view,
    )
    if view.controls and not view.tour:
        choose_pattern(view)
    # Where the page is narrow the verdict comes first; the choices are drawn before it, which may have to be waited for.
    said, choices = st.columns([2, 1], gap="medium") if view.controls else (st.container(), None)
    if choices is not None:
        with choices:
            controls.show_choices(view.settings)
    with said:
        wait_in_tour(view)
        trace = show_trace(view.settings)
        verdict = find_verdict(trace)
        predict_first(view, lambda: about_verdict(verdict))
        if view.shows("verdict"):
            show_verdict(verdict)
        show_surprise(trace, verdict, view.epoch)
        if view.shows("verdict"):
            show_over_seeds(view, verdict)
    if view.shows("story") and not view.tour:
        show_story(view.settings)
    show_picture(view, trace)
    if view.shows("story") and view.tour:  # a step has told its own story, and speaks of the picture
        show_story(view.settings)
    if view.shows("code"):
        show_lines(view.settings)
    show_evidence(trace, verdict, view.epoch)
    show_summands(view.settings)
    st.header("Finite differences beside autograd", anchor=False)
    show_differences(view.settings, view.epoch, trace)
    show_code(view)
    show_reference_section(view)
