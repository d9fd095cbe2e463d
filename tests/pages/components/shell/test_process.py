"""What is set once for the server's process."""

import socket

from pages.components.shell.process import send_at_once


def test_small_messages_go_out_at_once_on_sockets_that_are_there_and_on_those_that_come() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as apart:
        send_at_once()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            for one in (listening, accepted, apart):
                assert one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
