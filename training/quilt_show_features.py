"""What a learner of Quilt Show is told of each of its choices.

All of it follows from what the player knows: own cards, the tiles that all have taken in public, what lies open, and
what the greedy player makes of it.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.agents.quilt_show.greedy import card_worths, goods, tile_worth
from patchwork_env.agents.quilt_show.planning import (
    SHOWN_POINTS,
    best_plan,
    best_tiles,
    plan_worth,
    points_of,
    show_known,
)
from patchwork_env.games.quilt_show.actions import KINDS
from patchwork_env.games.quilt_show.cards import DYE, QUILT_SIZES, STACKS
from patchwork_env.games.quilt_show.layout import (
    ACCEPT,
    ADD,
    CHIP,
    DECK,
    FINISH,
    IN_ENTER,
    IN_SEW,
    MAKE,
    NUM_ACTIONS,
    PAY,
    START,
)
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import exposed_color, group_word, stack_group, tile_of, usable_cards
from patchwork_env.kernels import count_bits, kernel, lowest_bit
from training.quilt_show_situation import SHOWN, worth_to_others, write_best_quilts

FEATURES = (
    *(kind for _, kind, _ in KINDS),  # a flag
    "greedy",  # 1 for what the greedy player would do
    # a card that is taken
    "card_worth",  # for the open tiles, as the greedy player sees it
    "card_gain",  # the same over the mean of all cards
    "card_joins",  # colours that it joins
    "card_owned",  # cards of that type in hand
    "card_serves",  # open tiles that need it
    "card_completes",  # open tiles that it is the last missing card for
    "card_best",  # worth of the best of these tiles
    # a block that is made
    "tile_worth",
    "tile_points",
    "tile_cost",
    "tile_pattern",  # own tiles of its pattern
    "tile_color",
    "tile_others",  # its worth to others
    "tile_spare",  # cards that could still be used for its colour
    "tile_ends",  # 1 if its marker is the last
    "tile_best",  # points that the best quilt gains by it
    "tile_all",  # points that the best quilts together gain by it
    # a quilt that is started
    "quilt_tiles",  # tiles that fit it
    "quilt_three",  # points of its best three, four and six tiles
    "quilt_four",
    "quilt_six",
    "quilt_worth",  # worth of the best plan that begins with it, over entering nothing more
    # a tile that is added
    "add_points",
    *(f"add_{size}" for size in QUILT_SIZES),  # 1 if it is the next one of the best quilt of that size
    # a quilt that is finished
    "end_points",  # with its chip
    "end_chip",
    "end_better",  # quilts that are better, as far as they are known or guessed
    "end_prize",  # the prize that this place wins
    "end_tied",
    # an answer
    "swap_gain",
)
NUM_FEATURES = len(FEATURES)
GREEDY = FEATURES.index("greedy")
_CARD = FEATURES.index("card_worth")
_TILE = FEATURES.index("tile_worth")
_QUILT = FEATURES.index("quilt_tiles")
_ADD = FEATURES.index("add_points")
_END = FEATURES.index("end_points")
_SWAP = FEATURES.index("swap_gain")
KIND_OF = np.searchsorted([first for first, _, _ in KINDS], np.arange(NUM_ACTIONS), "right") - 1  # [action]


@kernel
def describe_choices(table, game, tools, actions, features):
    """Fill in the features of all choices; ``tools`` are weights and scratch."""
    weights, words, numbers, best = tools
    phase = game["phase"]
    player = game["to_play"]
    if phase == IN_ENTER:
        known = show_known(table, game, player, words)
        nothing = plan_worth(table, game, player, known, (3, 0, 0), NONE, weights, words)
        for place in range(len(actions)):
            if START <= actions[place] < ADD:
                key = np.int64(actions[place] - START)
                worth, _, _, _ = best_plan(table, game, player, known, key, weights, words)
                describe_quilt(table, game, key, worth - nothing, features[place])
        return
    if phase == IN_SEW:
        describe_sewing(table, game, words, actions, features)
        return
    mean = card_worths(table, game, player, weights, numbers)
    copy_tiles(game, player, words)
    best[:SHOWN] = 0.0
    write_best_quilts(table, words[:6], best[:SHOWN])
    for place in range(len(actions)):
        action = actions[place]
        row = features[place]
        if action < DECK:
            describe_card(table, game, np.int64(game["face_up"][action]), mean, weights, numbers, row)
        elif action == DECK:
            row[_CARD] = mean / 8.0
        elif MAKE <= action < PAY:
            describe_tile(table, game, action - MAKE, weights, words, best, row)
        elif action == ACCEPT:
            row[_SWAP] = (goods(game, 0) - goods(game, 1)) / 10.0


@kernel
def copy_tiles(game, player, words):
    """A player's loose tiles into the first six words of the scratch."""
    for pattern in range(6):
        words[pattern] = game["loose"][player, pattern]


@kernel
def describe_card(table, game, card, mean, weights, numbers, row):
    """A face-up card: how it goes with the open tiles."""
    player = game["to_play"]
    row[_CARD] = numbers[6 + card] / 8.0
    row[_CARD + 1] = (numbers[6 + card] - mean) / 8.0
    row[_CARD + 2] = 0.0 if card < 6 else 0.5 if card < DYE else 1.0
    row[_CARD + 3] = game["hands"][player, card] / 4.0
    for stack in range(STACKS):
        bit = game["exposed"][stack]
        if bit == NONE:
            continue
        color = exposed_color(table, game, stack)
        missing = table["bit_cost"][bit] - usable_cards(table, game, player, color)
        if table["usable"][card, color] and missing > 0:
            row[_CARD + 4] += 0.5
            row[_CARD + 5] += 0.5 if missing == 1 else 0.0
            row[_CARD + 6] = max(row[_CARD + 6], tile_worth(table, game, player, stack, weights) / 8.0)


@kernel
def describe_tile(table, game, stack, weights, words, best, row):
    """A block that is made: what the tile is good for, and what is left."""
    player = game["to_play"]
    bit = game["exposed"][stack]
    tile = tile_of(stack_group(table, stack), bit)
    pattern = tile // 18
    color = (tile % 18) // 3
    loose = game["loose"][player]
    row[_TILE] = tile_worth(table, game, player, stack, weights) / 8.0
    row[_TILE + 1] = table["bit_points"][bit] / 5.0
    row[_TILE + 2] = table["bit_cost"][bit] / 3.0
    row[_TILE + 3] = count_bits(group_word(loose, pattern)) / 4.0
    row[_TILE + 4] = count_bits(group_word(loose, 6 + color)) / 4.0
    row[_TILE + 5] = worth_to_others(table, game, player, stack, weights) / 8.0
    row[_TILE + 6] = (usable_cards(table, game, player, color) - table["bit_cost"][bit]) / 4.0
    row[_TILE + 7] = game["markers"] == 1
    copy_tiles(game, player, words)
    words[pattern] |= np.int64(1) << (tile % 18)
    best[SHOWN:] = 0.0
    write_best_quilts(table, words[:6], best[SHOWN:])
    row[_TILE + 8] = best[SHOWN] - best[0]
    for number in range(SHOWN):
        row[_TILE + 9] += best[SHOWN + number] - best[number]


@kernel
def describe_quilt(table, game, key, worth, row):
    """A quilt that is started: what could be made of it."""
    fitting = group_word(game["loose"][game["to_play"]], key)
    available = count_bits(fitting)
    row[_QUILT] = available / 6.0
    for number in range(3):
        size = QUILT_SIZES[number]
        if available >= size:
            points = points_of(best_tiles(fitting, size)) + table["tile_bonus"] * size
            row[_QUILT + 1 + number] = points / 15.0
    row[_QUILT + 4] = worth / 10.0


@kernel
def describe_sewing(table, game, words, actions, features):
    """Tiles that could be added, and what the quilt would win if it were finished."""
    sewn = np.int64(game["sewing_tiles"])
    fitting = group_word(game["loose"][game["to_play"]], game["sewing_key"]) | sewn
    points = points_of(sewn) + table["tile_bonus"] * count_bits(sewn)
    known = show_known(table, game, game["to_play"], words)
    for place in range(len(actions)):
        action = actions[place]
        row = features[place]
        if action < CHIP:
            bit = action - ADD
            row[_ADD] = table["bit_points"][bit] / 5.0
            for number in range(5):
                if QUILT_SIZES[number] <= count_bits(fitting):
                    row[_ADD + 1 + number] = next_of_quilt(fitting, sewn, QUILT_SIZES[number]) == bit
        else:
            chip = 0 if action == FINISH else action - CHIP + 1
            describe_end(table, game, known, points + chip, words, row)
            row[_END + 1] = chip / 3.0


@kernel
def describe_end(table, game, known, points, words, row):
    """A quilt with these points among the ``known`` ones that `show_known` wrote."""
    better = 0
    tied = 0
    for quilt in range(known):
        better += words[SHOWN_POINTS + quilt] > points
        tied += words[SHOWN_POINTS + quilt] == points
    row[_END] = points / 15.0
    row[_END + 2] = better / 6.0
    row[_END + 3] = game["prizes"][better] / 15.0 if better < table["prize_count"] else 0.0
    row[_END + 4] = tied / 2.0


@kernel
def next_of_quilt(fitting, sewn, size):
    """The tile to add on the way to the best quilt of a size; -1 if the tiles sewn so far are not those of it."""
    word = best_tiles(fitting, size)
    if (sewn & ~word) != 0 or word == sewn:
        return NONE
    return lowest_bit(word & ~sewn)
