"""What a picture of Quilt Show shows. A player's own view is made from the player's observation and nothing else.

The open view puts the own views of all players together, as an onlooker behind all screens would see the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patchwork_env.games.quilt_show.actions import exposed_tile
from patchwork_env.games.quilt_show.cards import CARD_TYPES, TILES
from patchwork_env.games.quilt_show.layout import PHASES
from patchwork_env.games.quilt_show.observation import (
    IN_OWN_SEWING,
    SCALARS,
    WITH_SEAT,
)
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.interfaces.quilt_show_game import QuiltShowView

OPEN = "open"  # as a view: everybody's cards and entries

_DOING = {
    "turn": "begins a turn",
    "draw": "draws cards",
    "make": "makes blocks",
    "pay": "pays for a block",
    "enter": "enters quilts",
    "sew": "sews a quilt",
    "give": "puts a swap together",
    "ask": "puts a swap together",
    "answer": "answers a swap",
}


@dataclass(frozen=True)
class QuiltScene:
    """A finished quilt that the viewer knows of."""

    key: int  # 0 to 5 pattern, 6 to 11 colour
    tiles: int
    chip: int
    points: int
    secret: bool  # an entry that the others do not know of yet


@dataclass(frozen=True)
class PlayerScene:
    """One player as the viewer sees her."""

    name: str
    money: int  # thousands
    cards: int
    hand: tuple[int, ...] | None  # card types; None if the viewer does not see them
    tiles: tuple[int, ...]  # in the sewing room, or in entries that the viewer does not know of
    sewing: tuple[int, ...]  # of the quilt being sewn
    chips: tuple[int, ...]
    quilts: tuple[QuiltScene, ...]
    to_play: bool
    winner: bool


@dataclass(frozen=True)
class Scene:
    """The whole table."""

    title: str
    headline: str
    view: str  # whose view it is
    players: tuple[PlayerScene, ...]
    face_up: tuple[int | None, ...]
    deck: int
    discards: int
    exposed: tuple[int | None, ...]  # by stack
    stack_sizes: tuple[int, ...]
    by_color: bool
    markers: int
    all_markers: int
    prizes: tuple[int, ...]


def make_scene(games: QuiltShowBatch, index: int, view: int | str, names: Sequence[str] | None = None) -> Scene:
    """The scene of one game as a player (a number) or everybody (`OPEN`) sees it."""
    players = games.num_players
    if view != OPEN and (type(view) is not int or not 0 <= view < players):
        raise ValueError(f"view must be {OPEN!r} or a player from 0 to {players - 1}, got {view!r}")
    names = tuple(names or (f"player_{player}" for player in range(players)))
    viewers = range(players) if view == OPEN else [int(view)]
    seen = {viewer: _seen(games, index, viewer) for viewer in viewers}
    first = seen[viewers[0]]
    scalars = first["scalars"]
    over = bool(scalars["game_over"])
    # The result is public once the game is over, so it may come from the game itself.
    winners = games.game(index).winners
    shown = tuple(
        _player(seen.get(player, first), viewers[0] if player not in seen else player, player, players, names, winners)
        for player in range(players)
    )
    mover = (viewers[0] + scalars["mover"]) % players
    phase = next(name for name in PHASES if any(observed["scalars"][f"phase_{name}"] for observed in seen.values()))
    if view == OPEN:
        phase = games.game(index).phase
    show = f"round {min(scalars['round'] + 1, scalars['rounds'])} of {scalars['rounds']}"
    variants = f" ({', '.join(games.settings.variants)})" if games.settings.variants else ""
    if over:
        result = "cut off" if scalars["truncated"] else " and ".join(names[winner] for winner in winners)
        headline = result if scalars["truncated"] else f"{result} {'wins' if len(winners) == 1 else 'share the win'}"
    else:
        headline = f"{names[mover]} {_DOING[phase]}"
    record = games.state[index]
    return Scene(
        title=f"Quilt Show{variants}, {show}",
        headline=headline,
        view="open view" if view == OPEN else f"as {names[int(view)]} sees it",
        players=shown,
        face_up=tuple(None if card < 0 else card for card in first["face_up"]),
        deck=scalars["deck"],
        discards=scalars["discards"],
        exposed=tuple(exposed_tile(games.settings, record, stack) for stack in range(6)),
        stack_sizes=tuple(scalars[f"stack_{stack}"] for stack in range(6)),
        by_color=games.settings.color_sorting,
        markers=scalars["markers"],
        all_markers=games.settings.markers,
        prizes=tuple(prize for prize in first["prizes"] if prize > 0),
    )


def scene_of(game: QuiltShowView, view: int | str, names: Sequence[str] | None = None) -> Scene:
    """The scene of the game that a view looks at."""
    return make_scene(game._games, game._index, view, names)


def thousands(amount: int) -> str:
    """An amount of money, given in thousands, in full."""
    return f"{amount},000" if amount else "0"


def _seen(games: QuiltShowBatch, index: int, viewer: int) -> dict[str, Any]:
    observation = games.observe(viewer)
    seen: dict[str, Any] = {name: array[index].tolist() for name, array in observation.items()}
    seen["scalars"] = dict(zip(SCALARS, seen["scalars"], strict=True))
    return seen


def _player(
    seen: dict[str, Any], viewer: int, player: int, players: int, names: Sequence[str], winners: tuple[int, ...]
) -> PlayerScene:
    """A player from what ``viewer`` has observed."""
    seat = (player - viewer) % players
    scalars = seen["scalars"]
    codes = seen["tiles"]
    hand = None
    if seat == 0:
        hand = tuple(card for card in range(CARD_TYPES) for _ in range(seen["hand"][card]))
    return PlayerScene(
        name=names[player],
        money=scalars[f"money_{seat}"],
        cards=scalars[f"cards_{seat}"],
        hand=hand,
        tiles=tuple(tile for tile in range(TILES) if codes[tile] == WITH_SEAT + seat),
        sewing=tuple(tile for tile in range(TILES) if seat == 0 and codes[tile] == IN_OWN_SEWING),
        chips=tuple(chip + 1 for chip in range(3) if seen["chips"][seat][chip]),
        quilts=tuple(
            QuiltScene(key, tiles, chip, points, bool(entry))
            for owner, key, tiles, chip, points, entry in seen["quilts"]
            if owner == seat
        ),
        to_play=scalars["mover"] == seat and not scalars["game_over"],
        winner=player in winners,
    )
