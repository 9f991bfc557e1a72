"""The HTTP interface of the page, and how it is served."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from patchwork_env.agents.base import UnknownAgentError
from patchwork_env.games.patchwork.edition import EditionError, edition_names, load_edition
from patchwork_env.games.patchwork.notation import GameRecord, NotationError, parse_game
from patchwork_env.interfaces.batch import FIRST_PLAYERS
from patchwork_env.version import __version__
from patchwork_env.web.guard import LOOPBACK, Application, Guard
from patchwork_env.web.hall import Hall
from patchwork_env.web.table import HUMAN, RefusedError, Setup, checked_record
from patchwork_env.web.view import edition_view

STATIC = Path(__file__).parent / "static"
LONGEST_WAIT = 20.0  # seconds for which a request may wait for a change
MAX_NAME = 300  # the path of a checkpoint can be long
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def make_app(
    hall: Hall | None = None, hosts: Iterable[str] = LOOPBACK, defaults: dict[str, Any] | None = None
) -> Application:
    """The application: `Hall` keeps the games, ``hosts`` are the names it answers to."""
    hall = hall or Hall()

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Compiling in a worker would make the event loop wait for the compiler's lock at its first own kernel.
        await hall.prepare()
        preparing = asyncio.create_task(hall.prepare_analysis())
        yield
        preparing.cancel()
        hall.close()

    app = FastAPI(
        title="Patchwork", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    _add_errors(app)
    _add_static(app)
    _add_games(app, hall, defaults or {})
    _add_replays(app, hall)
    return Guard(app, hosts)


# --- errors -------------------------------------------------------------------------------------------------------


def _add_errors(app: FastAPI) -> None:
    async def refused(_: Request, error: Exception) -> Response:
        status = error.status if isinstance(error, RefusedError) else 422
        return JSONResponse({"error": str(error)}, status)

    for kind in (RefusedError, NotationError, EditionError, UnknownAgentError):
        app.add_exception_handler(kind, refused)


async def _body(request: Request, known: dict[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """The JSON object of a request, its fields checked against their kinds."""
    try:
        body = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise RefusedError(400, f"the body must be an object with {', '.join(known)}")
    for name, value in body.items():
        if name not in known:
            raise RefusedError(422, f"unknown field {name!r}; known are {', '.join(known)}")
        kind = known[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise RefusedError(422, f"{name}: {value!r:.80} is not of the right kind")
    return body


# --- pages --------------------------------------------------------------------------------------------------------


def _add_static(app: FastAPI) -> None:
    # Only what lies in the folder now is ever served: names are looked up here, not on the disk.
    files = {path.name: (path.read_bytes(), _KINDS[path.suffix]) for path in STATIC.iterdir() if path.suffix in _KINDS}

    @app.get("/")
    async def index() -> Response:
        return _file(files["index.html"])

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in files:
            raise RefusedError(404, "there is no such file")
        return _file(files[name])


def _file(file: tuple[bytes, str]) -> Response:
    return Response(file[0], media_type=file[1], headers={"Cache-Control": "no-cache"})


# --- games --------------------------------------------------------------------------------------------------------


def _add_games(app: FastAPI, hall: Hall, defaults: dict[str, Any]) -> None:
    @app.get("/api/options")
    async def options() -> dict[str, Any]:
        return {
            "version": __version__,
            "editions": [{"name": name, "title": load_edition(name).title} for name in edition_names()],
            "agents": hall.agent_names(),
            "defaults": defaults,
        }

    @app.get("/api/editions/{name}")
    async def edition(name: str) -> dict[str, Any]:
        if name not in edition_names():
            raise RefusedError(404, f"there is no edition {name[:MAX_NAME]!r}")
        return edition_view(load_edition(name))

    @app.post("/api/games")
    async def new_game(request: Request) -> dict[str, Any]:
        table = await hall.open(await _read_setup(request))
        if HUMAN in table.setup.seats:
            await hall.agents_play(table)
        return table.view()

    @app.get("/api/games/{identity}")
    async def game(identity: str, after: int = -1) -> dict[str, Any]:
        """The game; with ``after`` as soon as its version is another one, or when the wait has been long enough."""
        table = hall.find(identity)
        if table.version == after:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(table.changed.wait(), LONGEST_WAIT)
        return table.view()

    @app.post("/api/games/{identity}/move")
    async def move(identity: str, request: Request) -> dict[str, Any]:
        table = hall.find(identity)
        body = await _body(request, {"action": int, "decisions": int})
        if len(body) != 2:
            raise RefusedError(422, "a move needs an action and the number of decisions taken before it")
        table.play_human(body["action"], body["decisions"])
        await hall.agents_play(table)
        return table.view()

    @app.get("/api/games/{identity}/why")
    async def why(identity: str, action: int) -> dict[str, Any]:
        """Why an action may not be played now; null if it may."""
        return {"reason": hall.find(identity).game.why_illegal(action)}

    @app.post("/api/games/{identity}/undo")
    async def undo(identity: str) -> dict[str, Any]:
        table = hall.find(identity)
        table.undo()
        await hall.agents_play(table)
        return table.view()

    @app.post("/api/games/{identity}/step")
    async def step(identity: str) -> dict[str, Any]:
        table = hall.find(identity)
        await hall.step(table)
        return table.view()

    @app.get("/api/games/{identity}/analysis")
    async def analysis(identity: str, agent: str = "greedy") -> dict[str, Any]:
        return await hall.analyse(hall.find(identity), agent[:MAX_NAME])

    @app.get("/api/games/{identity}/notation")
    async def notation(identity: str) -> Response:
        table = hall.find(identity)
        name = f"patchwork-{table.setup.edition.name}-{table.setup.seed}.txt"
        return PlainTextResponse(str(table.record()), headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def _read_setup(request: Request) -> Setup:
    body = await _body(
        request,
        {
            "edition": str,
            "seats": list,
            "seed": (int, type(None)),
            "first_player": str,
            "practice": bool,
            "notation": str,
        },
    )
    seats = body.get("seats", [HUMAN, "greedy"])
    if len(seats) != 2 or not all(isinstance(seat, str) and len(seat) <= MAX_NAME for seat in seats):
        raise RefusedError(422, f"seats: expected two players, e.g. ['human', 'greedy'], got {seats!r:.80}")
    seed = body.get("seed")
    if isinstance(seed, bool) or (seed is not None and not 0 <= seed < 2**53):
        raise RefusedError(422, f"seed: expected a whole number from 0 to 2**53 - 1, got {seed!r:.80}")
    first_player = body.get("first_player", "player_0")
    if first_player not in FIRST_PLAYERS:
        raise RefusedError(422, f"first_player: expected one of {', '.join(FIRST_PLAYERS)}, got {first_player!r:.80}")
    record = _read_notation(body["notation"]) if "notation" in body else None
    if record is not None:
        edition = record.edition
        seed = record.seed if seed is None and record.seed is not None and record.seed < 2**53 else seed
    else:
        name = body.get("edition", "revised")
        if name not in edition_names():  # a name from outside must not become a file's path
            raise RefusedError(422, f"edition: expected one of {', '.join(edition_names())}, got {name!r:.80}")
        edition = load_edition(name)
    if seed is None:
        seed = secrets.randbelow(1_000_000)
    return Setup(edition, (seats[0], seats[1]), seed, first_player, body.get("practice", False), record)


def _read_notation(text: str) -> GameRecord:
    found = re.search(r"^edition: *(.*?) *$", text, re.MULTILINE)
    if found and found[1] not in edition_names():
        raise NotationError(f"the page plays the editions {', '.join(edition_names())}, not {found[1]!r:.80}")
    record = parse_game(text)
    checked_record(record)
    return record


# --- replays ------------------------------------------------------------------------------------------------------


def _add_replays(app: FastAPI, hall: Hall) -> None:
    @app.post("/api/replay")
    async def replay(request: Request) -> dict[str, Any]:
        return await hall.frames(await _recorded(request))

    @app.post("/api/replay/graph")
    async def graph(request: Request) -> dict[str, Any]:
        return {"player_0": await hall.graph(await _recorded(request))}


async def _recorded(request: Request) -> GameRecord:
    body = await _body(request, {"notation": str})
    if "notation" not in body:
        raise RefusedError(422, "notation: the field is missing; expected a game as text")
    return _read_notation(body["notation"])
