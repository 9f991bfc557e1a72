"""What a learner is told of a position and of each kind of move, before any patch is laid.

A player has at most four kinds of move: to advance, or to buy the first, second or third patch on offer. A *situation*
describes the position once (``state``) and what each kind of move leads to (``moves``): buttons, income and time, whose
turn it is then, and the patches that will then be on offer, with what they are worth to whom. Where on the quilt a
patch is laid makes no difference to any of this; `training.candidates` tells of that.

Nothing here names a cell. Quilts are told by counts that stay the same when a quilt is turned or mirrored, so a
network that sees nothing else treats the eight symmetric pictures of a quilt alike by construction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.outline import (
    BUTTONS,
    DECIDER,
    INCOME,
    KINDS,
    OUTLINE_SIZE,
    OVER,
    SPACE,
    STEP_SIZE,
    describe_patch,
    follow,
    outline,
    place_of_offer,
    stay,
)
from patchwork_env.agents.packing import QUILT_FEATURES, count_ways, quilt_value
from patchwork_env.agents.position import FEATURES as POSITION_FEATURES
from patchwork_env.agents.position import SHOWN, write_features
from patchwork_env.agents.replies import describe_replies
from patchwork_env.agents.valuation import mix_weights_at, patch_value, track_value
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import empty_cells, special_pending
from patchwork_env.kernels import kernel

AHEAD = 10  # patches from the neutral token on that a position tells of
UPCOMING = 6  # patches from the neutral token on that a move tells of, as they lie when it is made

_WAYS = POSITION_FEATURES  # two for each patch ahead: the logarithm of the ways to lay it, own quilt and opponent's
_FURTHER = _WAYS + 2 * AHEAD  # cost, time, income and cells of those that the position's own features leave out
_MARKS = _FURTHER + 4 * (AHEAD - SHOWN)  # spaces to the next income mark, own and opponent's
STATE_SIZE = _MARKS + 2

MOVE_FEATURES = (
    "advance",
    "buy",
    "special",
    "decline",
    "cost",
    "time",
    "income",
    "cells",
    "income_to_come",  # what the patch's income will still pay
    "buttons_after",
    "income_after",
    "spaces_moved",
    "income_paid",  # buttons of income in this move
    "specials_reached",
    "keeps_turn",
    "lead_after",  # spaces ahead of the opponent after the move
    "reply_advance",  # the greedy value of advancing, to whoever decides next
    "reply_best",  # and that of the best step, as far as it is known without a placement
    *(f"reply_{k}_keeps_turn" for k in range(OFFERED)),  # 1 if buying that patch leaves the turn where it is
    *(
        f"next_{k}_{number}"
        for k in range(UPCOMING)
        for number in (
            "cost",
            "time",
            "income",
            "cells",
            "affordable",  # 1 if the player can then pay for it
            "opponent_affordable",
            "ways",  # logarithm of the ways to lay it on the present quilt
            "opponent_ways",
            "worth",  # the greedy value of buying it less that of advancing, to whoever decides next
        )
    ),
)
MOVE_SIZE = len(MOVE_FEATURES)
_REPLY = MOVE_FEATURES.index("reply_advance")
_NEXT = MOVE_FEATURES.index("next_0_cost")
_NEXT_SIZE = MOVE_FEATURES.index("next_1_cost") - _NEXT
_OUT_OF_REACH = 20.0  # buttons by which a patch that cannot be bought is taken to be worse than advancing


def situation_scratch(count: int, weights: int) -> tuple[NDArray[Any], ...]:
    """What `describe_situation` works in, once for each of ``count`` callers; ``weights`` are the greedy player's."""
    return (
        np.empty((count, weights)),
        np.empty((count, QUILT_FEATURES)),
        np.empty((count, 2, AHEAD)),
        np.empty((count, 3, OUTLINE_SIZE), np.int64),
        np.empty((count, STEP_SIZE), np.int64),
    )


@kernel
def describe_situation(table, game, borders, weights, scratch, state, moves, replies):
    """Write the position, its four kinds of move and the answers to them, working in a row of
    `situation_scratch`. ``weights`` are those of the greedy player.
    """
    _, counts, ways, _, _ = scratch
    write_features(table, game, borders, counts, state[:POSITION_FEATURES])
    count_all_ways(table, game, ways)
    for side in range(2):
        for k in range(AHEAD):
            state[_WAYS + 2 * k + side] = ways[side, k]
        position = np.int64(game["positions"][game["to_play"] if side == 0 else 1 - game["to_play"]])
        mark = np.int64(table["next_income"][position])
        state[_MARKS + side] = 1.0 if mark == -1 else (mark - position) * 0.15
    for k in range(SHOWN, AHEAD):
        out = state[_FURTHER + 4 * (k - SHOWN) : _FURTHER + 4 * (k - SHOWN + 1)]
        out[:] = 0.0
        if k < game["circle_size"]:
            describe_patch(table, np.int64(game["circle"][k]), out)
    replies[:, :, :] = 0.0
    describe_moves(table, game, borders, weights, scratch, moves, replies)


@kernel
def count_all_ways(table, game, ways):
    """The logarithm of the ways to lay each of the first patches of the circle: own quilt, then the opponent's."""
    mover = np.int64(game["to_play"])
    for side in range(2):
        quilt = game["quilts"][mover if side == 0 else 1 - mover]
        low = table["full"][0] & ~quilt[0]
        high = table["full"][1] & ~quilt[1]
        for k in range(ways.shape[1]):
            ways[side, k] = 0.0
            if k < game["circle_size"]:
                ways[side, k] = np.log2(1.0 + count_ways(table, np.int64(game["circle"][k]), low, high)) * 0.2


@kernel
def describe_moves(table, game, borders, weights, scratch, moves, replies):
    """Write the four kinds of move (4, `MOVE_SIZE`); in ``scratch`` the ways are counted already.

    A row of a move that cannot be made is left at 0. The answers to each go into ``replies``, unless it has no rows.
    """
    mixed_weights, _, ways, outlines, step = scratch
    moves[:, :] = 0.0
    outline(table, game, outlines[0])
    pending = special_pending(game)
    for kind in range(KINDS):
        if pending:
            stay(table, outlines[0], outlines[1], step)
        elif not follow(table, game, ways, outlines[0], kind - 1, outlines[1], step):
            continue
        describe_move(table, pending, kind, outlines, step, moves[kind])
        space = outlines[1, SPACE if keeps_turn(outlines[1]) else SPACE + 1]
        mix_weights_at(table, space, weights, mixed_weights)
        describe_offer(table, game, borders, mixed_weights, ways, outlines[1], moves[kind])
        if not pending and replies.shape[0] > 0:
            describe_replies(table, game, ways, outlines, step, replies[kind])


@kernel
def keeps_turn(outlined):
    """Whether the player who has moved decides again."""
    return outlined[DECIDER] == 0 and not outlined[OVER]


@kernel
def describe_move(table, pending, kind, outlines, step, row):
    """What a kind of move, which leads from the first outline to the second, does to buttons, income and the track.

    With a special patch ``pending``, the first kind is to decline it and all others are to place it.
    """
    before, after = outlines[0], outlines[1]
    if pending:
        row[3 if kind == 0 else 2] = 1.0
        row[7] = 0.0 if kind == 0 else 0.125
    elif kind == 0:
        row[0] = 1.0
    else:
        row[1] = 1.0
        describe_patch(table, step[0], row[4:8])
        row[8] = table["income"][step[0]] * table["incomes_after"][before[SPACE]] * 0.05
    row[9] = after[BUTTONS] * 0.05
    row[10] = after[INCOME] * 0.1
    row[11] = (after[SPACE] - before[SPACE]) * 0.1
    row[12] = step[1] * 0.05
    row[13] = step[2]
    row[14] = 1.0 if keeps_turn(after) else 0.0
    row[15] = (after[SPACE] - after[SPACE + 1]) * 0.1


@kernel
def describe_offer(table, game, borders, weights, ways, outlined, row):
    """The patches that lie ahead after a move, and what they are worth to whoever decides next.

    ``outlined`` is what the move has led to; ``weights`` are those that hold for that player there.
    """
    mover = np.int64(game["to_play"])
    side = 0 if keeps_turn(outlined) else 1
    who = mover if side == 0 else 1 - mover
    money, income = outlined[BUTTONS + side], outlined[INCOME + side]
    space, other = outlined[SPACE + side], outlined[SPACE + 1 - side]
    quilt = game["quilts"][who]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    # Until a place is looked for, a patch is taken to use up its share of what the empty cells are worth.
    share = quilt_value(table, borders, weights, low, high) / max(empty_cells(table, game, who), 1)
    step = min(other + 1, table["last_space"])
    advance = step - space + track_value(table, weights, space, other, step, income)
    best = advance
    for k in range(UPCOMING):
        position = place_of_offer(game, outlined, k)
        if position == -1:
            break
        patch = np.int64(game["circle"][position])
        out = row[_NEXT + _NEXT_SIZE * k : _NEXT + _NEXT_SIZE * (k + 1)]
        describe_patch(table, patch, out)
        cost = np.int64(table["cost"][patch])
        out[4] = 1.0 if cost <= outlined[BUTTONS] else 0.0
        out[5] = 1.0 if cost <= outlined[BUTTONS + 1] else 0.0
        out[6] = ways[0, position]
        out[7] = ways[1, position]
        value = patch_value(table, weights, patch, space, other, income) - share * table["size"][patch]
        if cost > money or ways[side, position] == 0.0:
            value = advance - _OUT_OF_REACH
        out[8] = (value - advance) * 0.1
        if k < OFFERED:
            best = max(best, value)
            stop = space + table["time"][patch]
            row[_REPLY + 2 + k] = 1.0 if stop <= other and stop < table["last_space"] else 0.0
    row[_REPLY] = advance * 0.1
    row[_REPLY + 1] = best * 0.1
