"""For instructors: make a link for a class: the page it opens on, the run, what is hidden, and whether to predict first."""

from pages.components.shell.frame import open_page

with open_page(
    "For instructors",
    "Make a link for your class. The run is the one that you choose on the left; the rest is chosen here.",
    place=70,
) as view:
    from pages.components.parts.instructors import choose_link, show_link

    show_link(choose_link(view))
