"""Mounts the picture. What draws it is `static/canvas/`, which a browser loads once; here is only the way there."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from engine.settings import NOWHERE
from pages.components.canvas.payload import Look, Picture
from pages.components.shell import keeper

# A stub, since what stands here travels again with every change of the data.
_STUB = """
export default function (component) {
  const here = component.parentElement;
  const module = new URL('app/static/canvas/canvas.js', document.baseURI);
  let left = false;
  import(module).then(({ show }) => { if (!left) show(component, here); });
  return () => { left = true; };
}
"""
_PLACE = """
<div class="living" style="min-height: 320px"></div>
"""


def show_canvas(picture: Picture, look: Look, key: str = "picture") -> None:
    """Draws the picture; a cut that the reader makes in it is in the kept view at the next run."""
    name = f"canvas {key}"

    def cut() -> None:
        place = getattr(st.session_state.get(name), "cut", None)
        if place in (NOWHERE, *picture.places):
            now = keeper.current_view()
            keeper.keep(now.with_settings(now.settings.changed(detach=place)))

    _component()(key=name, data=picture.seen(look), on_cut_change=cut)


@cache
def _component() -> Any:
    return st.components.v2.component("living_picture", html=_PLACE, js=_STUB)
