"""The piles of one game: fabric cards, tile stacks, and what is turned face up from them.

Numbers in brackets are the rulings of SPEC.md. Kernels work on a `GAME` record in place; ``stream`` is where the
game's random numbers come from.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.cards import CARD_TYPES, DYE, FACE_UP, GROUP_TILES, STACKS
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.kernels import count_bits, kernel, lowest_bit
from patchwork_env.streams import drawn


@kernel
def next_number(game, stream, bound):
    """The game's next random number below ``bound``."""
    number = drawn(stream, game["draws"], bound)
    game["draws"] += 1
    return number


@kernel
def total(counts):
    """How many cards a pile or a hand has."""
    cards = 0
    for card in range(CARD_TYPES):
        cards += counts[card]
    return cards


@kernel
def cards_left(game):
    """Whether a card can be drawn."""
    deck = game["deck"]
    discards = game["discards"]
    for card in range(CARD_TYPES):
        if deck[card] > 0 or discards[card] > 0:
            return True
    return False


@kernel
def take_from_deck(game, stream):
    """The top card of the deck, into which the discards are shuffled first if it is empty [4]."""
    deck = game["deck"]
    cards = total(deck)
    if cards == 0:
        discards = game["discards"]
        for card in range(CARD_TYPES):
            deck[card] = discards[card]
            discards[card] = 0
        cards = total(deck)
    left = next_number(game, stream, cards)
    card = 0
    while left >= deck[card]:
        left -= deck[card]
        card += 1
    deck[card] -= 1
    return card


@kernel
def color_is_gone(game, color):
    """In games with stacks of colours: whether that colour's stack has run out."""
    return game["face_down"][color] == 0 and game["exposed"][color] == NONE


@kernel
def is_useless(table, game, card):
    """Whether no block can be made with that card any more [13]."""
    if table["by_color"] == 0 or card == DYE:
        return False
    return color_is_gone(game, table["first_color"][card]) and color_is_gone(game, table["second_color"][card])


@kernel
def next_open_card(table, game, stream):
    """A card to lay face up, or `NONE`; useless ones that appear leave the game."""
    while cards_left(game):
        card = take_from_deck(game, stream)
        if not is_useless(table, game, card):
            return card
        game["removed"][card] += 1
    return NONE


@kernel
def lay_out_cards(table, game, stream):
    """Fill the places without a card and replace useless cards.

    Then, while three dye cards lie open and deck or discards have any other card, all six are replaced [3].
    """
    face_up = game["face_up"]
    while True:
        dyes = 0
        for place in range(FACE_UP):
            card = face_up[place]
            if card != NONE and is_useless(table, game, card):
                game["removed"][card] += 1
                face_up[place] = NONE
            if face_up[place] == NONE:
                face_up[place] = next_open_card(table, game, stream)
            dyes += face_up[place] == DYE
        others = total(game["deck"]) + total(game["discards"]) - game["deck"][DYE] - game["discards"][DYE]
        if dyes < 3 or others == 0:
            return
        for place in range(FACE_UP):
            if face_up[place] != NONE:
                game["discards"][face_up[place]] += 1
                face_up[place] = NONE


@kernel
def reveal_tiles(game, stream):
    """Turn the top tile of every stack that shows none."""
    for stack in range(STACKS):
        word = np.int64(game["face_down"][stack])
        if game["exposed"][stack] == NONE and word != 0:
            for _ in range(next_number(game, stream, count_bits(word))):
                word &= word - 1
            bit = lowest_bit(word)
            game["exposed"][stack] = bit
            game["face_down"][stack] &= ~(np.int64(1) << bit)


@kernel
def tile_of(group, bit):
    """The tile that a bit of a group stands for: groups 0 to 5 are patterns, 6 to 11 colours."""
    if group < 6:
        return group * GROUP_TILES + bit
    return (bit // 3) * GROUP_TILES + (group - 6) * 3 + bit % 3


@kernel
def stack_group(table, stack):
    """The group of tiles that a stack has."""
    return stack + 6 * table["by_color"]


@kernel
def exposed_color(table, game, stack):
    """Colour of the tile that a stack shows."""
    return stack if table["by_color"] else game["exposed"][stack] // 3


@kernel
def group_word(rows, group):
    """The tiles of one group among ``rows``, six words by pattern."""
    if group < 6:
        return np.int64(rows[group])
    word = np.int64(0)
    for pattern in range(6):
        word |= ((np.int64(rows[pattern]) >> (3 * (group - 6))) & 7) << (3 * pattern)
    return word


@kernel
def flip_group(rows, group, word):
    """Put the tiles of a group's word into ``rows``, or take them out if they are there."""
    if group < 6:
        rows[group] ^= word
    else:
        for pattern in range(6):
            rows[pattern] ^= ((word >> (3 * pattern)) & 7) << (3 * (group - 6))


@kernel
def usable_cards(table, game, player, color):
    """How many cards of a hand serve for a block of that colour."""
    cards = 0
    hand = game["hands"][player]
    for card in range(CARD_TYPES):
        if table["usable"][card, color]:
            cards += hand[card]
    return cards


@kernel
def has_goods(game, player):
    """Whether a player has a tile or a card that could be swapped."""
    tiles = 0
    for pattern in range(6):
        tiles |= game["loose"][player, pattern]
    return tiles != 0 or total(game["hands"][player]) > 0


@kernel
def word_points(table, word):
    """The points printed on a group's tiles."""
    points = 0
    while word != 0:
        points += table["bit_points"][lowest_bit(word)]
        word &= word - 1
    return points
