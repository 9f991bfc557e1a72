"""A quilt show: sewing quilts behind the screen, revealing all together, and the prizes."""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.cards import MAX_PRIZES, SALE
from patchwork_env.games.quilt_show.layout import ADD, CHIP, DONE, IN_ENTER, IN_SEW, IN_TURN, START
from patchwork_env.games.quilt_show.state import MAX_QUILTS, NONE
from patchwork_env.games.quilt_show.supply import flip_group, next_number, word_points
from patchwork_env.kernels import count_bits, kernel


@kernel
def begin_show(table, game, stream):
    """Draw the prizes from the whole pool and lay them out; the players enter from the next beginner on [8]."""
    left = (np.int64(1) << table["pool_size"]) - 1
    for k in range(table["prize_count"]):
        number = next_number(game, stream, table["pool_size"] - k)
        for prize in range(table["pool_size"]):
            if (left >> prize) & 1:
                if number == 0:
                    left &= ~(np.int64(1) << prize)
                    break
                number -= 1
    rank = 0
    for prize in range(table["pool_size"] - 1, -1, -1):
        if not (left >> prize) & 1:
            game["prizes"][rank] = table["pool"][prize]
            rank += 1
    game["phase"] = IN_ENTER
    game["entered"] = 0


@kernel
def play_show(table, game, action):
    """One decision at a show."""
    if action == DONE:
        game["entered"] += 1
        if game["entered"] == table["players"]:
            judge(table, game)
        else:
            game["to_play"] = (game["to_play"] + 1) % table["players"]
    elif action < ADD:
        game["sewing_key"] = action - START
        game["sewing_tiles"] = 0
        game["phase"] = IN_SEW
    elif action < CHIP:
        word = np.int64(1) << (action - ADD)
        game["sewing_tiles"] |= word
        flip_group(game["loose"][game["to_play"]], game["sewing_key"], word)
    else:
        finish_quilt(table, game, 0 if action >= CHIP + 3 else action - CHIP + 1)


@kernel
def finish_quilt(table, game, chip):
    """The quilt being sewn becomes an entry, with a chip of so many points on it (0: none)."""
    player = game["to_play"]
    quilt = game["quilt_count"]
    word = np.int64(game["sewing_tiles"])
    game["quilt_owner"][quilt] = player
    game["quilt_key"][quilt] = game["sewing_key"]
    game["quilt_tiles"][quilt] = word
    game["quilt_chip"][quilt] = chip
    game["quilt_points"][quilt] = word_points(table, word) + chip + table["tile_bonus"] * count_bits(word)
    game["quilt_count"] += 1
    if chip > 0:
        game["chips"][player] &= ~(1 << (chip - 1))
    game["sewing_key"] = NONE
    game["sewing_tiles"] = 0
    game["phase"] = IN_ENTER


@kernel
def judge(table, game):
    """All entries are revealed and the prizes awarded; then comes the next round, or the end [10, 11]."""
    count = game["quilt_count"]
    points = game["quilt_points"]
    limit = 1 << 14  # all quilts with so many points or more have been dealt with
    rank = 0
    while rank < table["prize_count"]:
        best = -1
        tied = 0
        for quilt in range(count):
            if best < points[quilt] < limit:
                best = points[quilt]
                tied = 1
            elif points[quilt] == best:
                tied += 1
        if best < 0:
            break
        spanned = 0
        for place in range(rank, min(rank + tied, table["prize_count"])):
            spanned += game["prizes"][place]
        for quilt in range(count):
            if points[quilt] == best:
                game["money"][game["quilt_owner"][quilt]] += spanned // tied
        limit = best
        rank += tied
    clear_winners(game, limit)
    for place in range(MAX_PRIZES):
        game["prizes"][place] = 0
    next_round(table, game)


@kernel
def clear_winners(game, limit):
    """Quilts with at least ``limit`` points leave the game with their chips; the others close ranks and lie open."""
    kept = 0
    for quilt in range(game["quilt_count"]):
        if game["quilt_points"][quilt] >= limit:
            flip_group(game["gone"], game["quilt_key"][quilt], np.int64(game["quilt_tiles"][quilt]))
        else:
            game["quilt_owner"][kept] = game["quilt_owner"][quilt]
            game["quilt_key"][kept] = game["quilt_key"][quilt]
            game["quilt_tiles"][kept] = game["quilt_tiles"][quilt]
            game["quilt_chip"][kept] = game["quilt_chip"][quilt]
            game["quilt_points"][kept] = game["quilt_points"][quilt]
            kept += 1
    cut_quilts(game, kept)
    game["open_count"] = kept


@kernel
def cut_quilts(game, count):
    """Forget all quilts from number ``count`` on."""
    for quilt in range(count, MAX_QUILTS):
        game["quilt_owner"][quilt] = NONE
        game["quilt_key"][quilt] = NONE
        game["quilt_tiles"][quilt] = 0
        game["quilt_chip"][quilt] = 0
        game["quilt_points"][quilt] = 0
    game["quilt_count"] = count


@kernel
def next_round(table, game):
    """Markers back and the next player begins; after the last show what is left is sold."""
    game["round"] += 1
    game["entered"] = 0
    if game["round"] == table["rounds"]:
        for quilt in range(game["quilt_count"]):
            game["money"][game["quilt_owner"][quilt]] += SALE
        game["done"] = 1
        return
    game["markers"] = table["markers"]
    game["to_play"] = (game["last_taker"] + 1) % table["players"]
    game["phase"] = IN_TURN
