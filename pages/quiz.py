"""Quiz: predict first, then let torch run the proof."""

from pages.components.shell.frame import open_page

with open_page(
    "Quiz",
    "Predict first. Then torch runs the question's own code before your eyes, and what it prints decides which "
    "answer is right. Your answers stand in the page's address, so a reload loses none.",
    shows_run=False,
    place=60,
) as view:
    from engine.quiz import rounds  # noqa: E402, RUF100
    from pages.components.parts.quiz import show_question, show_round_end, show_score

    chosen = min(view.round, len(rounds()))
    show_score(view, chosen)
    for question in rounds()[chosen - 1]:
        show_question(view, question)
    show_round_end(view, chosen)
