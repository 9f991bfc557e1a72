"""What the compiled core works on: the record of one game, and the tables of one set of settings.

Nothing that has yet to be drawn is in the record. A pile is a *set* of cards or tiles, not an order: which one lies
on top is drawn when it is turned, as number `draws` of the game's random stream.

Tiles are kept by groups of 18, the tiles of one pattern or of one colour, as words of 18 bits::

    group 0 to 5, a pattern:   bit = colour * 3 + value        value 0, 1, 2 -> 2, 3, 5 points
    group 6 to 11, a colour:   bit = pattern * 3 + value
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.quilt_show.cards import (
    CARD_COLORS,
    CARD_COUNTS,
    CARD_TYPES,
    COSTS,
    FACE_UP,
    GROUP_TILES,
    LARGEST_QUILT,
    MAX_PLAYERS,
    MAX_PRIZES,
    POINTS,
    QUILT_SIZES,
    STACKS,
    TILES,
    Settings,
)

NOBODY = -1
NONE = -1
MAX_QUILTS = TILES // min(QUILT_SIZES)
FULL_GROUP = (1 << GROUP_TILES) - 1

GAME = np.dtype(
    [
        ("loose", np.int32, (MAX_PLAYERS, 6)),  # [player, pattern] tiles in the sewing room and in no quilt
        ("face_down", np.int32, (STACKS,)),  # [stack] tiles that lie face down; group = pattern or 6 + colour
        ("gone", np.int32, (6,)),  # [pattern] tiles that left the game with a prize
        ("quilt_tiles", np.int32, (MAX_QUILTS,)),  # [quilt] tiles, in the group `quilt_key`; 0 past `quilt_count`
        ("swap_tiles", np.int32, (2, 6)),  # [given/asked, pattern] named for a swap
        ("sewing_tiles", np.int32),  # tiles of the quilt being sewn, in the group `sewing_key`
        ("draws", np.int32),  # random numbers used so far
        ("money", np.int16, (MAX_PLAYERS,)),  # [player] thousands
        ("quilt_points", np.int16, (MAX_QUILTS,)),  # [quilt] chip and variant included
        ("decisions", np.int16),  # decisions taken so far
        ("quilt_owner", np.int8, (MAX_QUILTS,)),  # [quilt] player; -1 past `quilt_count`
        ("quilt_key", np.int8, (MAX_QUILTS,)),  # [quilt] 0 to 5 pattern, 6 to 11 colour; -1 past `quilt_count`
        ("quilt_chip", np.int8, (MAX_QUILTS,)),  # [quilt] points of the chip on it; 0 none
        ("hands", np.int8, (MAX_PLAYERS, CARD_TYPES)),  # [player, type]
        ("deck", np.int8, (CARD_TYPES,)),  # [type] cards face down
        ("discards", np.int8, (CARD_TYPES,)),  # [type]
        ("removed", np.int8, (CARD_TYPES,)),  # [type] useless cards that left the game
        ("swap_cards", np.int8, (2, CARD_TYPES)),  # [given/asked, type] named for a swap
        ("face_up", np.int8, (FACE_UP,)),  # [place] card type; -1 none
        ("exposed", np.int8, (STACKS,)),  # [stack] bit of its open tile; -1 none
        ("chips", np.int8, (MAX_PLAYERS,)),  # [player] bit c: has the chip of c + 1 points, on no quilt
        ("prizes", np.int8, (MAX_PRIZES,)),  # thousands, descending, while a show is on; 0 none
        ("swap_money", np.int8, (2,)),  # [given/asked] thousands named for a swap
        ("quilt_count", np.int8),  # finished quilts on the table and behind the screens
        ("open_count", np.int8),  # the first so many of them lie open; the rest are entries of this show
        ("markers", np.int8),  # time markers left, the large one included
        ("round", np.int8),  # shows that are over
        ("phase", np.int8),  # see `layout.PHASES`
        ("to_play", np.int8),  # player who decides; after the end the one who decided last
        ("picks", np.int8),  # cards drawn this turn
        ("dye_taken", np.int8),  # 1 when one of them was a face-up dye card
        ("paying", np.int8),  # stack whose tile is being paid; -1 none
        ("to_pay", np.int8),  # cards still to pay for it
        ("last_taker", np.int8),  # who took the large time marker last; -1 nobody yet
        ("entered", np.int8),  # players who are done entering this show
        ("sewing_key", np.int8),  # group of the quilt being sewn; -1 none
        ("proposer", np.int8),  # who proposes a swap; -1 nobody
        ("partner", np.int8),  # to whom; -1 nobody
        ("done", np.int8),  # 1 when nothing more can be decided
        ("truncated", np.int8),  # 1 when that is because of the limit of decisions
    ],
    align=True,
)

TABLES = np.dtype(
    [
        ("players", np.int64),
        ("by_color", np.int64),  # 1 when the stacks are colours
        ("stack_count", np.int64),
        ("stack_tiles", np.int64),  # tiles of one stack, as a word
        ("patterns", np.int64),
        ("rounds", np.int64),
        ("markers", np.int64),
        ("prize_count", np.int64),  # a show
        ("pool_size", np.int64),
        ("pool", np.int64, (12,)),  # prizes a show draws from, ascending
        ("tile_bonus", np.int64),  # points a quilt gets for each tile beyond what is printed
        ("swaps", np.int64),
        ("usable", np.int8, (CARD_TYPES, 6)),  # [type, colour]
        ("first_color", np.int8, (CARD_TYPES,)),  # colours of a card; the same twice for one colour
        ("second_color", np.int8, (CARD_TYPES,)),
        ("card_counts", np.int8, (CARD_TYPES,)),
        ("bit_points", np.int8, (GROUP_TILES,)),  # [bit] points of that tile of a group
        ("bit_cost", np.int8, (GROUP_TILES,)),  # [bit] cards that it takes
        ("size_from", np.int8, (LARGEST_QUILT + 2,)),  # [tiles] the smallest permitted size from there on; 99 none
    ],
    align=True,
)


@functools.lru_cache(maxsize=64)
def settings_tables(settings: Settings) -> NDArray[Any]:
    """The tables of some settings, computed once: an array with one `TABLES` record, read-only."""
    tables = np.zeros(1, TABLES)
    table = tables[0]
    table["players"] = settings.num_players
    table["by_color"] = settings.color_sorting
    table["stack_count"] = 6 if settings.color_sorting else settings.patterns
    table["stack_tiles"] = FULL_GROUP
    table["patterns"] = settings.patterns
    table["rounds"] = settings.rounds
    table["markers"] = settings.markers
    table["prize_count"] = settings.prizes_per_show
    table["pool_size"] = len(settings.prize_pool)
    table["pool"][: len(settings.prize_pool)] = settings.prize_pool
    table["tile_bonus"] = settings.large_quilts
    table["swaps"] = settings.block_swaps
    for card, colors in enumerate(CARD_COLORS):
        table["usable"][card, list(colors)] = 1
        table["first_color"][card] = colors[0]
        table["second_color"][card] = colors[1 if len(colors) == 2 else 0]
    table["card_counts"] = CARD_COUNTS
    table["bit_points"] = POINTS * 6
    table["bit_cost"] = COSTS * 6
    for size in range(LARGEST_QUILT + 2):
        table["size_from"][size] = min((allowed for allowed in QUILT_SIZES if allowed >= size), default=99)
    tables.flags.writeable = False
    return tables
