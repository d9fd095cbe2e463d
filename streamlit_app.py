"""Home: cut an arrow and watch which layers stop learning, the key insight, and a door to each page."""

from pages.components.shell.frame import link_to, open_page

with open_page(
    "Detach Lab",
    "**Cut an arrow. Which layers stop learning?** A `detach` ✂ lets the values pass and stops the gradient. "
    "Click dashed scissors to put it there, then press Play. Every number is from a real PyTorch run.",
    gives_way=True,
    opens_on="classifier",
) as view:
    # Below the title, since these bring torch with them.
    import streamlit as st

    from engine.evidence.observations import summarize
    from engine.settings import NOWHERE
    from pages.components.parts.code_panel import show_code
    from pages.components.parts.glossary import show_words
    from pages.components.parts.picture import show_first_trace, show_other_picture, show_picture
    from pages.components.shell.menu import PAGES

    trace = show_first_trace(view)

    show_picture(view, trace)
    show_words("parameter, gradient, gradient norm, detach, starved, twin, epoch")
    show_other_picture(view)

    if view.shows("verdict"):
        st.header("What its training shows", anchor=False)
        apart = (
            "once without the detach, once with it"
            if view.settings.detach != NOWHERE
            else "no detach stands anywhere yet"
        )
        st.markdown(f"The same model is trained twice, as a pair of twins from the same start: {apart}.")
        st.markdown("\n".join(f"- {sentence}" for sentence in summarize(trace)))

    st.header("Key insight", anchor=False)
    st.info(
        "Detach stops gradients from flowing back through one tensor. Its values pass unchanged, bit for bit, so a result can be used without training what computed it. That is how you choose which parts of a model are updated, and how you avoid unwanted gradients. The original tensor is not changed: along any other path it still gets its gradient."
    )

    st.header("Look closer", anchor=False)
    for page in PAGES[1:]:
        link_to(page.path, f"**{page.title}** →", view)
        st.markdown(page.about)

    show_code(view)
