"""What stands before every request: foreign hosts and sites are refused, and large bodies."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_BODY = 64 * 1024

_HEADERS = {
    b"content-security-policy": (
        b"default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


class Guard:
    """ASGI middleware. A page of another site can neither read from this server nor make it do anything.

    The Host header must name this server (a foreign name that resolves to this machine is refused), a request that
    says it comes from another site is refused, and no body is larger than ``max_body`` bytes.
    """

    def __init__(self, application: Application, hosts: Iterable[str] = LOOPBACK, max_body: int = MAX_BODY) -> None:
        self.application = application
        self.hosts = frozenset(host.lower() for host in hosts)
        self.max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or hand it on."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks WebSocket
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        body = await self._read(receive)
        if body is None:
            await _answer(send, 413, f"the request is too large; at most {self.max_body} bytes are taken")
            return

        sent = False

        async def receive_body() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS.items()]
            await send(message)

        await self.application(scope, receive_body, send_with_headers)

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        if _host_name(host) not in self.hosts:
            return 421, f"this server does not answer to the host name {host!r}"
        origin = headers.get(b"origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            return 403, "requests from other sites are refused"
        if scope["path"].startswith("/api/") and headers.get(b"sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "requests from other sites are refused"
        if scope["method"] == "POST":
            kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return 415, "the body must be JSON, sent as application/json"
            length = headers.get(b"content-length", "0")
            if not length.isdigit() or int(length) > self.max_body:
                return 413, f"the request is too large; at most {self.max_body} bytes are taken"
        return None

    async def _read(self, receive: Receive) -> bytes | None:
        """The body, or None if it is larger than it may be."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b""
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.max_body:
                return None
            if not message.get("more_body", False):
                return b"".join(parts)


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


async def _answer(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *_HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
