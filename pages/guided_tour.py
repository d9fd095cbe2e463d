"""Guided tour: eight steps from a linear layer and a loss to what keeps SimSiam from collapsing; it is a lesson plan as well."""

from pages.components.shell.frame import open_page

with open_page(
    "Guided tour",
    "Eight steps, each a view of this app with one question. You need to know what a linear layer and a loss are, and nothing "
    "else. In each you predict, look, and then open the answer.",
    shows_run=False,
    place=5,
) as view:
    from pages.components.parts.tour_plan import show_plan

    show_plan("Guided tour")
