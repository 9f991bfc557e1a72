"""The engine beside the plain reference: the same chance, the same actions, the same states."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.actions import action_number
from patchwork_env.games.quilt_show.cards import POINTS, VARIANTS, group_tile, tile_number, tile_parts
from patchwork_env.games.quilt_show.rules import GAME_DRAW
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.streams import drawn, stream_of
from tests.reference.quilt_show import CARD_ORDER, Action, ReferenceQuilt, ReferenceQuiltShow, Tile

State = dict[str, Any]


class Mirror:
    """One game played twice. `draw` is the engine's chance, which the reference is given."""

    def __init__(self, num_players: int, variants: tuple[str, ...], seed: int) -> None:
        switches: dict[str, Any] = dict.fromkeys(variants, True)
        self.games = QuiltShowBatch(1, num_players, seed=seed, threads=1, auto_reset=False, **switches)
        self.games.reset()
        self.used = 0
        with np.errstate(over="ignore"):
            self.stream = np.uint64(stream_of(np.uint64(seed), 0, 0, GAME_DRAW))
        self.reference = ReferenceQuiltShow(num_players, self.draw, variants)
        self.meanings: dict[int, Action] = {}

    def draw(self, bound: int) -> int:
        """The next number of the engine's stream."""
        with np.errstate(over="ignore"):
            number = int(drawn(self.stream, self.used, bound))
        self.used += 1
        return number

    def check(self) -> None:
        """Both tell the same of the present state."""
        engine, reference = engine_state(self.games), reference_state(self.reference)
        for name, value in reference.items():
            assert engine[name] == value, f"{name}: {engine[name]} is not {value}"
        assert int(self.games.state["draws"][0]) == self.used

    def legal(self) -> list[int]:
        """The legal actions, on which both agree."""
        legal: list[int] = np.flatnonzero(self.games.action_mask[0]).tolist()
        self.meanings = {number_of(self.reference, action): action for action in self.reference.legal_actions()}
        expected = sorted(self.meanings)
        assert legal == expected, f"{self.reference.phase}: {legal} is not {expected}"
        return legal

    def play(self, action: int) -> None:
        """One decision, from those that `legal` has just told."""
        self.reference.play(self.meanings[action])
        self.games.step(np.array([action]))

    def play_to_the_end(self, chooser: random.Random, hoard: float = 0.0, check_every: int = 1) -> int:
        """Random play, which draws cards whenever it can with probability ``hoard``; the number of decisions."""
        self.check()
        while True:
            legal = self.legal()
            if not legal:
                self.check()
                return self.reference.decisions
            if hoard and chooser.random() < hoard:
                legal = [action for action in legal if action < layout.MAKE] or legal
            self.play(chooser.choice(legal))
            if self.reference.decisions % check_every == 0:
                self.check()

    def thin_out(self, chooser: random.Random, largest: int) -> None:
        """Take tiles out of the stacks before the first turn, as if they had left the game with a prize."""
        record = self.games.state[0]
        by_color = self.games.settings.color_sorting
        for place, stack in enumerate(self.reference.stacks):
            while len(stack) > chooser.randint(0, largest):
                tile = stack.pop(chooser.randrange(len(stack)))
                self.reference.gone_tiles.append(tile)
                bit = (tile[0] if by_color else tile[1]) * 3 + POINTS.index(tile[2])
                record["face_down"][place] &= ~(1 << bit)
                record["gone"][tile[0]] |= 1 << number(tile) % 18


def bit_of(quilt: ReferenceQuilt, tile: Tile) -> int:
    """The bit that stands for a tile in the word of a quilt's group."""
    other = tile[1] if quilt.style == "scrap" else tile[0]
    return other * 3 + POINTS.index(tile[2])


def number(tile: Tile) -> int:
    """The engine's number of a tile."""
    return tile_number(tile[0], tile[1], POINTS.index(tile[2]))


def tile_at(tile: int) -> Tile:
    """The tile of that number."""
    pattern, color, value = tile_parts(tile)
    return pattern, color, POINTS[value]


def number_of(game: ReferenceQuiltShow, action: Action) -> int:
    """The engine's number of a reference action."""
    kind: str = action[0]
    rest: list[Any] = list(action[1:])
    names = {"swap_money": "swap_coin"}
    argument: Any = rest[0] if rest else 0
    if kind in ("pay", "trade", "swap_card"):
        argument = CARD_ORDER.index(argument)
    elif kind == "start":
        argument = rest[1] + (6 if rest[0] == "sampler" else 0)
    elif kind == "add":
        assert game.quilt is not None
        argument = bit_of(game.quilt, argument)
    elif kind == "chip":
        argument -= 1
    elif kind == "propose":
        argument = (argument - game.to_play - 1) % game.players
    elif kind == "swap_tile":
        argument = number(argument)
    return action_number(names.get(kind, kind), argument)


def words_to_tiles(words: Any, first_group: int = 0) -> list[int]:
    return sorted(
        group_tile(first_group + group, bit) for group in range(6) for bit in range(18) if int(words[group]) >> bit & 1
    )


def cards(counts: Any) -> list[int]:
    return [card for card in range(13) for _ in range(counts[card])]


def engine_state(games: QuiltShowBatch) -> State:
    """The engine's record in the words of the reference."""
    record = games.state[0]
    view = games.game(0)
    players = games.num_players
    return {
        "hands": [cards(record["hands"][player]) for player in range(players)],
        "deck": cards(record["deck"]),
        "discards": cards(record["discards"]),
        "removed": cards(record["removed"]),
        "face_up": list(view.face_up),
        "exposed": list(view.exposed),
        "stacks": words_to_tiles(record["face_down"], 6 * games.settings.color_sorting),
        "rooms": [sorted(room) for room in view.sewing_rooms],
        "quilts": sorted((q.owner, q.style, q.key, q.tiles, q.chip, q.points) for q in view.quilts if q.is_open),
        "entries": [(q.owner, q.style, q.key, q.tiles, q.chip, q.points) for q in view.quilts if not q.is_open],
        "sewing": list(view.sewing),
        "gone": words_to_tiles(record["gone"]),
        "chips": [list(held) for held in view.chips],
        "money": list(view.money),
        "prizes": list(view.prizes),
        "markers": view.markers,
        "round": view.round,
        "phase": view.phase,
        "to_play": None if view.done else view.to_play,
        "over": view.done and not view.truncated,
        "truncated": view.truncated,
        "winners": list(view.winners),
    }


def reference_state(game: ReferenceQuiltShow) -> State:
    """The same of the reference."""

    def quilt(made: ReferenceQuilt) -> tuple[Any, ...]:
        return (made.owner, made.style, made.key, tuple(map(number, made.tiles)), made.chip, game.points(made))

    def types(held: Any) -> list[int]:
        return sorted(CARD_ORDER.index(card) for card in held)

    return {
        "hands": [types(hand) for hand in game.hands],
        "deck": types(game.deck),
        "discards": types(game.discards),
        "removed": types(game.removed),
        "face_up": [None if card is None else CARD_ORDER.index(card) for card in game.face_up],
        "exposed": [None if tile is None else number(tile) for tile in game.exposed],
        "stacks": sorted(number(tile) for stack in game.stacks for tile in stack),
        "rooms": [sorted(map(number, room)) for room in game.sewing_rooms],
        "quilts": sorted(map(quilt, game.open_quilts)),
        "entries": list(map(quilt, game.entries)),
        "sewing": [] if game.quilt is None else [number(tile) for tile in game.quilt.tiles],
        "gone": sorted(map(number, game.gone_tiles)),
        "chips": game.chips,
        "money": game.money,
        "prizes": game.prizes,
        "markers": game.markers,
        "round": game.round,
        "phase": game.phase,
        "to_play": None if game.over or game.truncated else game.to_play,
        "over": game.over,
        "truncated": game.truncated,
        "winners": game.winners() if game.over else [],
    }


def variant_sets(num_players: int) -> list[tuple[str, ...]]:
    """Every combination of variants that a number of players allows."""
    allowed = [name for name in VARIANTS if name != "block_swaps" or num_players > 2]
    return [
        tuple(name for position, name in enumerate(allowed) if choice >> position & 1)
        for choice in range(1 << len(allowed))
    ]
