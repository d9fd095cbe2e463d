"""Prediction trace: one sample through every layer, the arithmetic written out."""

from pages.components.shell.frame import open_page

with open_page(
    "Prediction trace",
    "One sample on its way through every layer, with the arithmetic written out. On the left the model trained without the detach, on the right the one trained with it, both at the start of the same epoch.",
    place=30,
) as view:
    from pages.components.parts.code_panel import show_code
    from pages.components.parts.glossary import show_words
    from pages.components.parts.picture import show_first_trace, show_picture
    from pages.components.parts.prediction import choose_sample, show_both_ways
    from pages.components.shell.epoch import choose_epoch
    from pages.components.shell.results import show_record

    show_words("parameter, gradient, backward(), backward() refuses, detach, starved, twin, epoch")
    trace = show_first_trace(view)
    show_picture(view, trace)
    epoch = choose_epoch(view, "Each twin has its own weights, those at the start of this epoch.")
    sample = choose_sample(view, trace)
    show_both_ways(
        view.settings,
        show_record(view.settings, epoch, detached=False, weights="attached"),
        show_record(view.settings, epoch, detached=True, weights="detached"),
        sample,
    )
    show_code(view)
