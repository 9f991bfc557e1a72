"""Arranging positions of Quilt Show, naming actions by what they do, playing at random."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.actions import action_number
from patchwork_env.games.quilt_show.cards import CARD_COUNTS, GROUP_TILES, tile_number
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch


def start(num_players: int = 2, **settings: Any) -> QuiltShowBatch:
    """One game, set up, with player 0 to begin."""
    options = {"seed": 5, "auto_reset": False, "threads": 1, "first_player": "player_0", **settings}
    games = QuiltShowBatch(1, num_players, **options)
    games.reset()
    return games


def settle(games: QuiltShowBatch) -> None:
    """Check a record that was changed by hand, and renew its mask."""
    games.load(0, games.save(0))


def tile(pattern: int, color: int, points: int) -> int:
    """A tile's number."""
    return tile_number(pattern, color, (2, 3, 5).index(points))


def give_cards(games: QuiltShowBatch, player: int, hand: Iterable[int]) -> None:
    """Put exactly these cards into a hand; they come from the deck, and the old ones go there."""
    record = games.state[0]
    counts = np.bincount(list(hand), minlength=13)
    record["deck"] += record["hands"][player]
    record["hands"][player] = counts
    record["deck"] -= counts.astype(np.int8)


def lay_out(games: QuiltShowBatch, face_up: Iterable[int]) -> None:
    """Put these cards face up; they come from the deck, and the old ones go there."""
    record = games.state[0]
    for place, card in enumerate(face_up):
        if record["face_up"][place] >= 0:
            record["deck"][record["face_up"][place]] += 1
        record["face_up"][place] = card
        record["deck"][card] -= 1


def expose(games: QuiltShowBatch, stack: int, bit: int) -> None:
    """Let a stack (of a pattern) show that tile."""
    record = games.state[0]
    if record["exposed"][stack] >= 0:
        record["face_down"][stack] |= 1 << int(record["exposed"][stack])
    record["exposed"][stack] = bit
    record["face_down"][stack] &= ~(1 << bit)


def give_tiles(games: QuiltShowBatch, player: int, tiles: Iterable[int]) -> None:
    """Put tiles of pattern stacks into a sewing room."""
    record = games.state[0]
    for number in tiles:
        pattern, bit = divmod(number, GROUP_TILES)
        if record["exposed"][pattern] == bit:
            other = next(k for k in range(GROUP_TILES) if int(record["face_down"][pattern]) >> k & 1)
            expose(games, pattern, other)
        assert int(record["face_down"][pattern]) >> bit & 1
        record["face_down"][pattern] &= ~(1 << bit)
        record["loose"][player, pattern] |= 1 << bit


def open_show(games: QuiltShowBatch, prizes: Iterable[int], last_round: bool = False) -> None:
    """The markers are used up and the prizes lie there; player 0 enters first."""
    record = games.state[0]
    record["markers"] = 0
    record["phase"] = layout.IN_ENTER
    record["entered"] = 0
    record["to_play"] = 0
    record["last_taker"] = games.num_players - 1
    record["prizes"] = 0
    record["prizes"][: len(list(prizes))] = list(prizes)
    if last_round:
        record["round"] = games.settings.rounds - 1
    settle(games)


def act(games: QuiltShowBatch, kind: str, argument: int = 0) -> Any:
    """Play one action, named."""
    return games.step(np.array([action_number(kind, argument)]))


def enter(games: QuiltShowBatch, key: int, tiles: Iterable[int], chip: int = 0) -> None:
    """Sew and enter a quilt of the player to move."""
    act(games, "start", key)
    for number in sorted(tiles):
        pattern, rest = divmod(number, GROUP_TILES)
        act(games, "add", rest if key < 6 else pattern * 3 + rest % 3)
    if chip:
        act(games, "chip", chip - 1)
    else:
        act(games, "finish")


def can(games: QuiltShowBatch, kind: str, argument: int = 0) -> bool:
    """Whether an action is legal."""
    return bool(games.action_mask[0, action_number(kind, argument)])


def random_states(
    num_games: int, steps: int, every: int, num_players: int, seed: int = 3, **variants: Any
) -> Iterable[QuiltShowBatch]:
    """The same batch again and again, a number of random decisions further on each time."""
    games = QuiltShowBatch(num_games, num_players, seed=seed, threads=1, **variants)
    games.reset()
    agent = RandomAgent(seed=seed)
    everyone = np.arange(num_games)
    for step in range(steps):
        games.step(agent.act(games, everyone))
        if step % every == 0:
            yield games


def unseen_cards(games: QuiltShowBatch, index: int, viewer: int) -> list[int]:
    """The cards that a player cannot see: in the deck, in the discards and in other hands."""
    record = games.state[index]
    counts = np.array(CARD_COUNTS) - record["hands"][viewer] - record["removed"]
    for card in record["face_up"]:
        if card >= 0:
            counts[card] -= 1
    return [card for card in range(13) for _ in range(counts[card])]
