"""What a player knows: the structured arrays of one game, and the flat tensor made of them.

Everything is told from the viewer's side: seat 0 is the viewer, seat 1 the player to the left, and so on. Where the
others' tiles lie is known as long as they took them in public; which of them they enter in a show is not, until all
have. SPEC.md has the layout; `tensor_layout` gives the slices of the tensor by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.quilt_show.cards import (
    CARD_TYPES,
    DYE,
    FACE_UP,
    GROUP_TILES,
    MAX_PLAYERS,
    MAX_PRIZES,
    STACKS,
    TILES,
)
from patchwork_env.games.quilt_show.layout import IN_ENTER, IN_SEW, PHASES
from patchwork_env.games.quilt_show.state import MAX_QUILTS, NOBODY, NONE
from patchwork_env.games.quilt_show.supply import stack_group, tile_of, total
from patchwork_env.kernels import count_bits, kernel, lowest_bit

OBSERVATION_VERSION = 1  # counts up whenever an array changes
MOVER = MAX_PLAYERS  # as a viewer: whoever is to move

# What `tiles` says of a tile.
UNSEEN, EXPOSED, GONE = 0, 1, 2
WITH_SEAT = 3  # + seat: in that player's sewing room, or in an entry of hers that is still secret
IN_OPEN_QUILT = 7  # + seat
IN_OWN_ENTRY = 11
IN_OWN_SEWING = 12  # the quilt that the viewer is sewing
TILE_PLANES = 9  # exposed, gone, with seat 0 to 3, in an open quilt, in an own entry, being sewn

# What a row of `quilts` says.
QUILT_COLUMNS = ("seat", "key", "tiles", "chip", "points", "entry")
QUILT_NUMBERS = 8  # of a row in the tensor: four flags for the seat, then tiles, chip, points, entry

SCALARS = (
    *(f"phase_{name}" for name in PHASES),  # 1 for the phase; others see "enter" while a player sews
    "mover",  # seat of the player who decides
    "own_turn",  # 1 when that is the viewer
    "players",
    "round",  # shows that are over
    "rounds",
    "markers",
    "deck",  # cards
    "discards",
    "removed",
    "picks",  # cards taken this turn
    "dye_taken",
    "paying",  # stack whose tile is being paid; -1 none
    "to_pay",
    "entered",  # players who are done entering
    "last_taker",  # seat of who took the last large marker; -1 nobody
    "sewing_key",  # own quilt being sewn: 0 to 5 pattern, 6 to 11 colour; -1 none
    "sewing_tiles",
    "proposer",  # seat; -1 nobody
    "partner",
    "given_money",
    "asked_money",
    *(f"money_{seat}" for seat in range(MAX_PLAYERS)),
    *(f"cards_{seat}" for seat in range(MAX_PLAYERS)),  # in hand
    *(f"stack_{stack}" for stack in range(STACKS)),  # tiles face down
    "tile_bonus",
    "by_color",
    "game_over",
    "truncated",
)
_MOVER_SCALAR = len(PHASES)


@kernel
def write_observation(table, game, viewer, rows):
    """Fill the arrays of one game; ``rows`` are those of `observation_shapes` in that order."""
    tiles, quilts, hand, face_up, chips, prizes, swap_tiles, swap_cards, scalars = rows
    if viewer == MOVER:
        viewer = game["to_play"]
    write_tiles(table, game, viewer, tiles)
    write_quilts(table, game, viewer, tiles, quilts)
    for card in range(CARD_TYPES):
        hand[card] = game["hands"][viewer, card]
        swap_cards[0, card] = game["swap_cards"][0, card]
        swap_cards[1, card] = game["swap_cards"][1, card]
    for place in range(FACE_UP):
        face_up[place] = game["face_up"][place]
        prizes[place] = game["prizes"][place]
    write_chips(table, game, viewer, chips)
    for pattern in range(6):
        given = np.int64(game["swap_tiles"][0, pattern])
        asked = np.int64(game["swap_tiles"][1, pattern])
        for bit in range(GROUP_TILES):
            swap_tiles[pattern * GROUP_TILES + bit] = ((given >> bit) & 1) + 2 * ((asked >> bit) & 1)
    write_scalars(table, game, viewer, scalars)


@kernel
def mark_word(group, word, code, tiles):
    """Write a code for the tiles of a group's word."""
    word = np.int64(word)
    while word != 0:
        tiles[tile_of(group, lowest_bit(word))] = code
        word &= word - 1


@kernel
def write_tiles(table, game, viewer, tiles):
    """Where every tile is, as far as the viewer knows; quilts are added by `write_quilts`."""
    players = table["players"]
    for tile in range(TILES):
        tiles[tile] = UNSEEN
    for stack in range(STACKS):
        if game["exposed"][stack] != NONE:
            tiles[tile_of(stack_group(table, stack), game["exposed"][stack])] = EXPOSED
        mark_word(stack, game["gone"][stack], GONE, tiles)
    for seat in range(players):
        player = (viewer + seat) % players
        for pattern in range(6):
            mark_word(pattern, game["loose"][player, pattern], WITH_SEAT + seat, tiles)
    if game["sewing_key"] != NONE:
        mover = game["to_play"]
        code = IN_OWN_SEWING if mover == viewer else WITH_SEAT + (mover - viewer) % players
        mark_word(game["sewing_key"], game["sewing_tiles"], code, tiles)


@kernel
def write_quilts(table, game, viewer, tiles, quilts):
    """The open quilts and the viewer's own entries; the others' entries look like tiles in their sewing rooms."""
    players = table["players"]
    row = 0
    for quilt in range(game["quilt_count"]):
        key = game["quilt_key"][quilt]
        word = np.int64(game["quilt_tiles"][quilt])
        seat = (game["quilt_owner"][quilt] - viewer) % players
        is_open = quilt < game["open_count"]
        if not is_open and seat != 0:
            mark_word(key, word, WITH_SEAT + seat, tiles)
            continue
        mark_word(key, word, IN_OPEN_QUILT + seat if is_open else IN_OWN_ENTRY, tiles)
        quilts[row, 0] = seat
        quilts[row, 1] = key
        quilts[row, 2] = count_bits(word)
        quilts[row, 3] = game["quilt_chip"][quilt]
        quilts[row, 4] = game["quilt_points"][quilt]
        quilts[row, 5] = 0 if is_open else 1
        row += 1
    for empty in range(row, MAX_QUILTS):
        quilts[empty, 0] = NOBODY
        quilts[empty, 1] = NONE
        for column in range(2, 6):
            quilts[empty, column] = 0


@kernel
def write_chips(table, game, viewer, chips):
    """Which chips each player still has; of the others also those on entries that are secret."""
    players = table["players"]
    for seat in range(MAX_PLAYERS):
        held = game["chips"][(viewer + seat) % players] if seat < players else 0
        for chip in range(3):
            chips[seat, chip] = (held >> chip) & 1
    for quilt in range(game["open_count"], game["quilt_count"]):
        seat = (game["quilt_owner"][quilt] - viewer) % players
        chip = game["quilt_chip"][quilt]
        if seat != 0 and chip > 0:
            chips[seat, chip - 1] = 1


@kernel
def seat_of(table, viewer, player):
    """A player's seat from the viewer's side; -1 for nobody."""
    return NOBODY if player == NOBODY else (player - viewer) % table["players"]


@kernel
def write_scalars(table, game, viewer, scalars):
    """The numbers named in `SCALARS`."""
    players = table["players"]
    mover = game["to_play"]
    phase = game["phase"]
    sews = phase == IN_SEW and mover == viewer
    if phase == IN_SEW and not sews:
        phase = IN_ENTER
    for k in range(_MOVER_SCALAR):
        scalars[k] = k == phase
    k = _MOVER_SCALAR
    scalars[k] = (mover - viewer) % players
    scalars[k + 1] = mover == viewer and not game["done"]
    scalars[k + 2] = players
    scalars[k + 3] = game["round"]
    scalars[k + 4] = table["rounds"]
    scalars[k + 5] = game["markers"]
    scalars[k + 6] = total(game["deck"])
    scalars[k + 7] = total(game["discards"])
    scalars[k + 8] = total(game["removed"])
    scalars[k + 9] = game["picks"]
    scalars[k + 10] = game["dye_taken"]
    scalars[k + 11] = game["paying"]
    scalars[k + 12] = game["to_pay"]
    scalars[k + 13] = game["entered"]
    scalars[k + 14] = seat_of(table, viewer, game["last_taker"])
    scalars[k + 15] = game["sewing_key"] if sews else NONE
    scalars[k + 16] = count_bits(game["sewing_tiles"]) if sews else 0
    scalars[k + 17] = seat_of(table, viewer, game["proposer"])
    scalars[k + 18] = seat_of(table, viewer, game["partner"])
    scalars[k + 19] = game["swap_money"][0]
    scalars[k + 20] = game["swap_money"][1]
    k += 21
    for seat in range(MAX_PLAYERS):
        player = (viewer + seat) % players
        scalars[k + seat] = game["money"][player] if seat < players else 0
        scalars[k + MAX_PLAYERS + seat] = total(game["hands"][player]) if seat < players else 0
    k += 2 * MAX_PLAYERS
    for stack in range(STACKS):
        scalars[k + stack] = count_bits(game["face_down"][stack])
    k += STACKS
    scalars[k] = table["tile_bonus"]
    scalars[k + 1] = table["by_color"]
    scalars[k + 2] = game["done"]
    scalars[k + 3] = game["truncated"]


@kernel
def write_planes(tiles, quilts, scales, tensor):
    """The tensor's first part: a plane of flags for each whereabouts of a tile, then the quilts."""
    for tile in range(TILES):
        code = np.int64(tiles[tile])
        if code != UNSEEN:
            plane = code - 1
            if code >= IN_OWN_ENTRY:
                plane = code - IN_OWN_ENTRY + 7
            elif code >= IN_OPEN_QUILT:
                plane = np.int64(6)
            tensor[plane * TILES + tile] = 1
    for row in range(MAX_QUILTS):
        if quilts[row, 0] == NOBODY:
            break
        start = TILE_PLANES * TILES + row * QUILT_NUMBERS
        tensor[start + np.int64(quilts[row, 0])] = 1
        for column in range(2, 6):
            tensor[start + 2 + column] = quilts[row, column] * scales[start + 2 + column]


@kernel
def write_tensor(rows, scales, tensor):
    """The arrays of one game as one row of numbers of about unit size; codes become flags."""
    tiles, quilts, hand, face_up, chips, prizes, swap_tiles, swap_cards, scalars = rows
    tensor[:] = 0
    write_planes(tiles, quilts, scales, tensor)
    place = TILE_PLANES * TILES + MAX_QUILTS * QUILT_NUMBERS
    for card in range(CARD_TYPES):
        tensor[place + card] = hand[card] * scales[place + card]
    place += CARD_TYPES
    for position in range(FACE_UP):
        if face_up[position] != NONE:
            tensor[place + position * CARD_TYPES + np.int64(face_up[position])] = 1
    place += FACE_UP * CARD_TYPES
    for value in chips.flat:
        tensor[place] = value
        place += 1
    for rank in range(MAX_PRIZES):
        tensor[place] = prizes[rank] * scales[place]
        place += 1
    for tile in range(TILES):
        tensor[place + tile] = swap_tiles[tile] * scales[place + tile]
    place += TILES
    for value in swap_cards.flat:
        tensor[place] = value * scales[place]
        place += 1
    for k in range(scalars.shape[0]):
        tensor[place] = scalars[k] * scales[place]
        place += 1


# name -> (shape without the axis of games, dtype)
OBSERVATION_SHAPES: dict[str, tuple[tuple[int, ...], type[np.generic]]] = {
    "tiles": ((TILES,), np.int8),
    "quilts": ((MAX_QUILTS, len(QUILT_COLUMNS)), np.int8),
    "hand": ((CARD_TYPES,), np.int8),
    "face_up": ((FACE_UP,), np.int8),
    "chips": ((MAX_PLAYERS, 3), np.int8),
    "prizes": ((MAX_PRIZES,), np.int8),
    "swap_tiles": ((TILES,), np.int8),
    "swap_cards": ((2, CARD_TYPES), np.int8),
    "scalars": ((len(SCALARS),), np.int16),
}

_TENSOR_SIZES = {
    "tiles": TILE_PLANES * TILES,
    "quilts": MAX_QUILTS * QUILT_NUMBERS,
    "hand": CARD_TYPES,
    "face_up": FACE_UP * CARD_TYPES,
    "chips": MAX_PLAYERS * 3,
    "prizes": MAX_PRIZES,
    "swap_tiles": TILES,
    "swap_cards": 2 * CARD_TYPES,
    "scalars": len(SCALARS),
}

# scalar -> (largest value, value that becomes 1); those not named are flags
_SCALAR_RANGES: dict[str, tuple[int, int]] = {
    "mover": (3, 3),
    "players": (4, 4),
    "round": (3, 3),
    "rounds": (3, 3),
    "markers": (28, 28),
    "deck": (96, 96),
    "discards": (96, 96),
    "removed": (96, 96),
    "picks": (3, 3),
    "paying": (5, 5),
    "to_pay": (3, 3),
    "entered": (4, 4),
    "last_taker": (3, 3),
    "sewing_key": (11, 11),
    "sewing_tiles": (12, 12),
    "proposer": (3, 3),
    "partner": (3, 3),
    "given_money": (5, 5),
    "asked_money": (5, 5),
    **{f"money_{seat}": (260, 30) for seat in range(MAX_PLAYERS)},
    **{f"cards_{seat}": (96, 15) for seat in range(MAX_PLAYERS)},
    **{f"stack_{stack}": (18, 18) for stack in range(STACKS)},
}


@dataclass(frozen=True)
class TensorLayout:
    """Where things stand in the flat tensor, and by what each entry was multiplied."""

    slices: dict[str, slice]  # by the names of `OBSERVATION_SHAPES`
    scales: NDArray[np.float32]  # (size,)
    low: NDArray[np.float32]  # (size,) bounds of the observation space
    high: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Entries of the tensor."""
        return len(self.scales)


def tensor_layout() -> TensorLayout:
    """The layout of the tensor, the same for all settings."""
    slices: dict[str, slice] = {}
    start = 0
    for name, size in _TENSOR_SIZES.items():
        slices[name] = slice(start, start + size)
        start += size
    largest, scales = np.ones(start), np.ones(start)
    quilt = np.array([1, 1, 1, 1, 12, 3, 75, 1], np.float64)  # largest values of a row
    largest[slices["quilts"]] = np.tile(quilt, MAX_QUILTS)
    scales[slices["quilts"]] = 1 / np.tile([1, 1, 1, 1, 12, 3, 30, 1], MAX_QUILTS)
    largest[slices["hand"]] = [7] * DYE + [12]
    scales[slices["hand"]] = 1 / 4
    largest[slices["prizes"]], scales[slices["prizes"]] = 15, 1 / 15
    largest[slices["swap_tiles"]], scales[slices["swap_tiles"]] = 2, 1 / 2
    largest[slices["swap_cards"]], scales[slices["swap_cards"]] = 4, 1 / 4
    pairs = np.array([_SCALAR_RANGES.get(name, (1, 1)) for name in SCALARS], np.float64)
    largest[slices["scalars"]], scales[slices["scalars"]] = pairs[:, 0], 1 / pairs[:, 1]
    low = np.zeros(start)
    low[slices["scalars"]] = -scales[slices["scalars"]]  # "none" is -1
    return TensorLayout(
        slices, scales.astype(np.float32), low.astype(np.float32), (largest * scales).astype(np.float32)
    )
