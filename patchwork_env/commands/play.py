"""``patchwork play``: a page in the browser on which people play against agents."""

from __future__ import annotations

import argparse
import ipaddress
import socket
import sys
import threading
import time
import webbrowser
from typing import Any

from patchwork_env.games.patchwork.edition import edition_names
from patchwork_env.render.extras import imported

DEFAULT_PORT = 8000
PORTS_TRIED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--edition", default="revised", choices=edition_names(), help="what the page offers first")
    parser.add_argument("--opponent", default="greedy", metavar="AGENT", help="whom the page offers first")
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="AGENT",
        help="one more agent to offer, such as a checkpoint's path; may be given several times",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=None, help=f"default: {DEFAULT_PORT}, or the next free one")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="one more name under which the server may be called",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")
    parser.add_argument("--max-games", type=int, default=1000, help="games kept at once (default: 1000)")
    parser.add_argument("--idle-minutes", type=float, default=60, help="a game unused for so long is dropped")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    imported("fastapi", "web")
    uvicorn: Any = imported("uvicorn", "web")
    from patchwork_env.agents.base import make_agent
    from patchwork_env.web.guard import LOOPBACK
    from patchwork_env.web.hall import Hall
    from patchwork_env.web.server import make_app

    extra = tuple(dict.fromkeys([*arguments.agent, arguments.opponent]))
    for agent in extra:
        make_agent(agent)  # a wrong name is told now, not when somebody sits down
    hall = Hall(extra, arguments.max_games, arguments.idle_minutes * 60)
    hosts = [*LOOPBACK, arguments.host, *arguments.allow_host]
    defaults = {"edition": arguments.edition, "opponent": arguments.opponent}
    listener = _listen(arguments.host, arguments.port)
    address = _address(arguments.host, listener.getsockname()[1])
    if not _is_loopback(arguments.host):
        print(
            f"patchwork play: anyone who can reach {arguments.host} can play, and make this machine think",
            file=sys.stderr,
        )
    print("Preparing; the first start compiles the game and takes longer", flush=True)
    config = uvicorn.Config(make_app(hall, hosts, defaults), log_level="warning", access_log=False, ws="none")
    server = uvicorn.Server(config)
    threading.Thread(target=_announce, args=(server, address, not arguments.no_browser), daemon=True).start()
    server.run(sockets=[listener])
    return 0


def _announce(server: Any, address: str, open_page: bool) -> None:
    """Tell where the page is, and open it, as soon as it can be reached."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    print(f"Patchwork is at {address} (Ctrl+C ends it)", flush=True)
    if open_page:
        webbrowser.open(address)


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket on that port, or on the first free one from the default on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [port] if port is not None else list(range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED))
    for candidate in ports:
        # Without the protocol's name asyncio would delay every answer by 40 milliseconds (Nagle's algorithm).
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
        except OSError as error:
            listener.close()
            if candidate == ports[-1]:
                raise OSError(f"cannot listen on {host}, port {candidate}: {error.strerror or error}") from None
        else:
            return listener
    raise AssertionError("there is at least one port to try")


def _address(host: str, port: int) -> str:
    shown = "localhost" if host in ("0.0.0.0", "::") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
