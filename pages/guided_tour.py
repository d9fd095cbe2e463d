"""Guided tour: eight steps from a linear layer and a loss to why SimSiam does not collapse; it is a lesson plan as well."""

from pages.components.shell.frame import open_page

with open_page(
    "Guided tour",
    "Eight steps, each a view of this app with one question. You need to know what a linear layer and a loss are, and nothing "
    "else. Predict the answer, look, then open it.",
    shows_run=False,
    place=5,
) as view:
    from pages.components.parts.tour_plan import show_plan

    show_plan("Guided tour")
