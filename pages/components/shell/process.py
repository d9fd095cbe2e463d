"""What is set once for the whole server process, before the first result."""

from __future__ import annotations

import gc
import socket
import sys
from contextlib import suppress
from pathlib import Path

import streamlit as st
import torch

_SWITCH = 5e-5
"""Seconds after which a thread that computes gives the interpreter to one that waits for it.

A page is sent in some 70 messages, and for each of them the server's thread must get the interpreter back from the runs
of others. With Python's usual 5 ms a rerun among 50 visitors took ten times as long.
"""


@st.cache_resource(show_spinner=False)
def prepare() -> None:
    """One thread for torch, whose kernels here are tiny, and the imported modules out of the collector's way."""
    send_at_once()
    sys.setswitchinterval(_SWITCH)
    torch.set_num_threads(1)
    torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    gc.collect()
    gc.freeze()


def send_at_once() -> None:
    """Turns off, for every socket of this process, the wait for more to send with it (Nagle's algorithm).

    Streamlit leaves it on, and the small messages of a rerun then wait for the browser's delayed acknowledgement, 40 ms.
    Linux hands the option on from the socket that listens to each new connection. Elsewhere nothing is done.
    """
    opened = Path("/proc/self/fd")
    for number in [int(fd.name) for fd in opened.iterdir()] if opened.is_dir() else []:
        with suppress(OSError), socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM) as one:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # refused by what is no TCP socket
