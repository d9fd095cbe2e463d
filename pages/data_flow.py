"""Data flow: one step in a picture: values forward, gradients back, and the cut between them; click a box to look in."""

from pages.components.shell.frame import open_page

with open_page(
    "Data flow",
    "One training step and its computation graph. The values flow from left to right, the gradients come back from right to left. Click a box to "
    "see its numbers in both steps, the line of code and the arithmetic.",
    place=10,
) as view:
    import streamlit as st

    from engine.evidence.predictions import about_starving
    from pages.components.draw.pipeline import choose_part
    from pages.components.parts.code_panel import show_code
    from pages.components.parts.glossary import show_words
    from pages.components.parts.picture import show_first_trace, show_picture
    from pages.components.parts.practice import show_story
    from pages.components.parts.predict import predict_first, wait_in_tour
    from pages.components.parts.stages import show_comparison, show_parameters, show_raised, show_stages
    from pages.components.shell.epoch import choose_epoch
    from pages.components.shell.results import show_record

    show_words(
        "computation graph, leaf, parameter, requires_grad, grad_fn, gradient, None or zeros, backward(), backward() refuses, detach, twin, epoch",
        view,
    )
    wait_in_tour(view)
    trace = show_first_trace(view)
    without = show_record(view.settings, view.epoch, detached=False)
    with_ = show_record(view.settings, view.epoch, detached=True)
    predict_first(view, lambda: about_starving(view.settings, without, with_))
    show_picture(view, trace, in_words=False)
    show_raised(without, with_)
    if view.shows("story"):
        with st.expander("What the detach is for"):
            show_story(view.settings, titled=False)
    with st.expander("Stage by stage: every number, flag and line as text"):
        st.caption(
            "Now one step from the same weights, those of the run without the detach at the chosen epoch; in the picture each row "
            "has the weights that its own twin has learned."
        )
        show_comparison(without, with_)
        choose_epoch(
            view,
            "Both steps start from the weights that the run without the detach has at the start of this epoch.",
        )
        part = choose_part(without, with_)
        show_stages(view.settings, without, with_, part)
        show_parameters(without, with_)
    show_code(view)
