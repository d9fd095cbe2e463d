"""The slider that chooses the epoch, the same on each page that shows one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.components.shell import keeper
from pages.components.shell.view import View


def choose_epoch(view: View, hint: str) -> int:
    """The epoch looked at. With one epoch there is nothing to choose."""
    last = view.settings.epochs
    if last == 1:
        st.caption(f"Epoch 1 of 1. {hint}")
        return 1
    st.slider(
        "Epoch",
        1,
        last,
        help=hint,
        **keeper.bound("epoch", view.epoch, lambda now, epoch: replace(now, epoch=epoch), (1, last)),
    )
    st.caption(hint)
    return view.epoch
