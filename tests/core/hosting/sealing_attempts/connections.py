"""Attempts at connections."""

from __future__ import annotations

import os
import socket

from sealing_attempts.catalogue import Place, allowed, refused, refused_if_contained


def listening() -> int:
    """The port of a server in the parent, which has been started already."""
    return int(os.environ["LISTENING"])


@refused
def connect_by_tcp(place: Place) -> None:
    socket.create_connection(("127.0.0.1", listening()), timeout=10).close()


@refused
def listen_for_tcp(place: Place) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


@refused
def send_by_udp(place: Place) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"board", ("127.0.0.1", listening()))


@refused
def connect_by_multipath_tcp(place: Place) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as connection:
        connection.connect(("127.0.0.1", listening()))


@refused
def open_a_unix_socket(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{place.folder}/socket-{os.getpid()}")


@refused_if_contained
def connect_to_an_abstract_socket(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0sweepstakes-{place.parent}")


@refused
def make_a_pair_of_datagram_sockets(place: Place) -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.close()
    other.close()


@refused
def open_a_netlink_socket(place: Place) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


@refused
def send_an_open_file(place: Place) -> object:
    one, other = socket.socketpair()
    return socket.send_fds(one, [b"x"], [other.fileno()])


@allowed
def wake_an_event_loop(place: Place) -> object:
    import asyncio

    async def answer() -> int:
        return await asyncio.get_running_loop().run_in_executor(None, lambda: 5)

    return asyncio.run(answer())
