"""Training trace: both twins, epoch by epoch: with the detach and without it."""

from pages.components.shell.frame import open_page

with open_page(
    "Training trace",
    "The same start, data and seed, trained twice, as twins: once without the detach, once with it. The loss of an epoch is "
    "read before its step.",
    place=20,
) as view:
    import streamlit as st

    from engine.evidence.observations import summarize
    from engine.evidence.predictions import about_losses
    from pages.components.parts.code_panel import download_trace, show_code
    from pages.components.parts.glossary import show_words
    from pages.components.parts.picture import show_first_trace, show_picture
    from pages.components.parts.predict import predict_first, wait_in_tour
    from pages.components.parts.sweep import show_sweep_section
    from pages.components.parts.training import show_epochs, show_scrubbed

    show_words(
        "parameter, gradient, gradient norm, None or zeros, backward(), backward() refuses, detach, starved, twin, epoch, learning rate",
        view,
    )
    wait_in_tour(view)
    trace = show_first_trace(view)
    predict_first(view, lambda: about_losses(trace))
    if view.shows("verdict"):
        st.markdown("\n".join(f"- {sentence}" for sentence in summarize(trace)))
    show_picture(view, trace)
    show_scrubbed(trace)
    show_sweep_section(view)
    show_epochs(trace)
    download_trace(trace)
    show_code(view)
