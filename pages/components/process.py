"""What is set once for the whole server process, before the first result."""

from __future__ import annotations

import gc

import streamlit as st
import torch


@st.cache_resource(show_spinner=False)
def prepare() -> None:
    """One thread for torch, whose kernels here are tiny, and the imported modules out of the collector's way."""
    torch.set_num_threads(1)
    torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    gc.collect()
    gc.freeze()
