"""Data flow: one step, stage by stage: values forward, gradients back, and the cut between them."""

from pages.components.shell.frame import open_page

with open_page(
    "Data flow",
    "One training step, stage by stage. The values flow down the page. Beside each stage stands the gradient that "
    "came back to it, in the step without the detach and in the step with it.",
    place=10,
) as view:
    from pages.components.draw.pipeline import choose_part, show_pipelines
    from pages.components.parts.code_panel import show_code
    from pages.components.parts.stages import show_comparison, show_parameters, show_raised, show_stages
    from pages.components.shell.epoch import choose_epoch
    from pages.components.shell.results import show_record, show_trace

    trace = show_trace(view.settings)
    epoch = choose_epoch(
        view,
        "Both steps start from the weights that the run without the detach has at the start of this epoch.",
    )
    without = show_record(view.settings, epoch, detached=False)
    with_ = show_record(view.settings, epoch, detached=True)

    show_comparison(without, with_)
    part = choose_part(without, with_)
    show_pipelines(without, with_, part)
    show_raised(without, with_)
    show_stages(view.settings, without, with_, part)
    show_parameters(without, with_)
    show_code(view.settings, view.epoch)
