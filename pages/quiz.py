"""Quiz: predict first, then let torch run the proof."""

from pages.components.shell.frame import open_page

with open_page(
    "Quiz",
    "Read the code and predict. Then torch runs it before your eyes, and what it prints decides which answer is right. "
    "A question that you got wrong is asked again.",
    shows_run=False,
    place=60,
) as view:
    from pages.components.parts.glossary import show_words
    from pages.components.parts.quiz import show_last_visit, show_round, show_way_on
    from pages.components.parts.quiz_overview import choose_round, show_mastery, show_score

    show_words(
        "computation graph, leaf, requires_grad, grad_fn, gradient, None or zeros, backward(), backward() refuses, detach, no_grad, epoch"
    )
    choose_round(view)
    show_mastery(view)
    show_last_visit(view)
    show_score(view)
    show_round(view)
    show_way_on(view)
