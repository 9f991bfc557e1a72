"""A server in a thread of this process, for tests, measurements and screenshots."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import uvicorn

from patchwork_env.web.hall import Hall
from patchwork_env.web.server import make_app


def tcp_socket(family: socket.AddressFamily) -> socket.socket:
    """A socket that says it speaks TCP: only then does asyncio send answers without a delay of 40 milliseconds."""
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)


@contextlib.contextmanager
def serving(hall: Hall) -> Iterator[str]:
    """The address at which the page is served, on a free port of this machine, until the block is left."""
    listener = tcp_socket(socket.AF_INET)
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(hall), log_level="error", ws="none", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
