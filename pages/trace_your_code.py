"""Trace your code: the recorder on code of your own: which line cut the gradient, and what to write instead."""

from pages.components.shell.frame import open_page

with open_page(
    "Trace your code",
    "Which line cut the gradient, why, which parameters starve, and what to write instead. "
    "A training script, as it is, or a file that defines `step()`.",
    shows_run=False,
    place=50,
) as view:
    from pages.components.parts.glossary import show_words
    from pages.components.parts.report import show_report
    from pages.components.parts.tracing import choose_file, show_how, watch

    show_words("parameter, grad_fn, gradient, backward(), backward() refuses, detach, starved, optimizer")
    chosen = choose_file(view)
    show_report(chosen)
    show_how()
    watch(chosen)
