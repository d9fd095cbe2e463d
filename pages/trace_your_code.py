"""Trace your code: the recorder on the reader's own file, or on a ready example."""

from pages.components.frame import open_page

with open_page(
    "Trace your code",
    "Which line cut the gradient, why, which parameters starve, and what to write instead. "
    "A file that defines `step()` is enough.",
    shows_run=False,
) as view:
    from pages.components.report import show_report  # noqa: E402, RUF100
    from pages.components.tracing import choose_file, show_how, watch  # noqa: E402, RUF100

    chosen = choose_file(view)
    show_report(chosen)
    show_how(chosen)
    watch(chosen)
