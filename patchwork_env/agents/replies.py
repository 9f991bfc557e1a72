"""What a learner is told of the answers to each kind of move: the same four kinds, for whoever decides next.

Decisions of one player may follow each other, so an answer can be the player's own. A row of `REPLY_FEATURES` tells
where both players stand once a kind of move and an answer to it are made, who decides then, and what is on offer to
that player. Where patches are laid is left out: a patch is taken to fit where it fits on the present quilts. Nothing
is compared or chosen here; what the rows are worth, and how the worst answer weighs, a network has to learn.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.agents.balance import means
from patchwork_env.agents.outline import (
    BUTTONS,
    DECIDER,
    EMPTY,
    INCOME,
    KINDS,
    OVER,
    SPACE,
    describe_patch,
    follow,
    place_of_offer,
)
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.kernels import kernel

REPLY_FEATURES = (
    "possible",  # 1; all is 0 where there is no such answer
    "advance",
    "own",  # 1 if the player answers itself, -1 if the opponent does
    "cost",
    "time",
    "income",
    "cells",
    "income_paid",  # buttons of income in the answer
    "specials_reached",
    "next_decider",  # 1 for the player, -1 for the opponent, 0 if the game is over
    *(f"{who}_{what}" for who in ("own", "opponent") for what in ("buttons", "income", "track_left", "empty_cells")),
    "lead",  # spaces ahead of the opponent
    "worth_ahead",  # by how much the player is ahead in all of these, see `worth`
    *(
        f"next_{k}_{number}"
        for k in range(OFFERED)
        for number in ("cost", "time", "income", "cells", "affordable", "ways", "keeps_turn")
    ),
)
REPLY_SIZE = len(REPLY_FEATURES)
_PATCH = REPLY_FEATURES.index("cost")
_HOLDINGS = REPLY_FEATURES.index("own_buttons")
_OPPONENT = REPLY_FEATURES.index("opponent_buttons") - _HOLDINGS
_LEAD = REPLY_FEATURES.index("lead")
_NEXT = REPLY_FEATURES.index("next_0_cost")
_NEXT_SIZE = REPLY_FEATURES.index("next_1_cost") - _NEXT


@kernel
def describe_replies(table, game, ways, outlines, step, replies):
    """Write the rows (4, `REPLY_SIZE`) of the answers to a move that has led to ``outlines[1]``.

    ``ways`` (2, n) tells of the first patches of the circle how many ways there are to lay them; ``outlines[2]`` and
    ``step`` are scratch.
    """
    if outlines[1, OVER]:
        return
    decider = outlines[1, DECIDER]
    for kind in range(KINDS):
        if follow(table, game, ways, outlines[1], kind - 1, outlines[2], step):
            row = replies[kind]
            row[0] = 1.0
            row[1] = 1.0 if kind == 0 else 0.0
            row[2] = 1.0 if decider == 0 else -1.0
            describe_step(table, step, row)
            describe_outline(table, game, ways, outlines[2], row)


@kernel
def describe_step(table, step, row):
    """What the answer itself is."""
    if step[0] >= 0:
        describe_patch(table, step[0], row[_PATCH:])
    row[_PATCH + 4] = step[1] * 0.05
    row[_PATCH + 5] = step[2]


@kernel
def describe_outline(table, game, ways, outlined, row):
    """Where the players stand, and what is on offer to the one who decides."""
    player = outlined[DECIDER]
    row[_HOLDINGS - 1] = 0.0 if outlined[OVER] else 1.0 - 2.0 * player
    for side in range(2):
        out = row[_HOLDINGS + _OPPONENT * side : _HOLDINGS + _OPPONENT * (side + 1)]
        out[0] = outlined[BUTTONS + side] * 0.05
        out[1] = outlined[INCOME + side] * 0.1
        out[2] = (table["last_space"] - outlined[SPACE + side]) / table["last_space"]
        out[3] = outlined[EMPTY + side] / table["cells"]
    row[_LEAD] = (outlined[SPACE] - outlined[SPACE + 1]) * 0.1
    row[_LEAD + 1] = (worth(table, outlined, 0) - worth(table, outlined, 1)) * 0.05
    if outlined[OVER]:
        return
    for k in range(OFFERED):
        place = place_of_offer(game, outlined, k)
        if place == -1:
            return
        patch = np.int64(game["circle"][place])
        out = row[_NEXT + _NEXT_SIZE * k : _NEXT + _NEXT_SIZE * (k + 1)]
        describe_patch(table, patch, out)
        out[4] = 1.0 if table["cost"][patch] <= outlined[BUTTONS + player] else 0.0
        out[5] = ways[player, place] if place < ways.shape[1] else 0.5
        stop = outlined[SPACE + player] + np.int64(table["time"][patch])
        out[6] = 1.0 if stop <= outlined[SPACE + 1 - player] and stop < table["last_space"] else 0.0


@kernel
def worth(table, outlined, side):
    """What a player has, in points: as `patchwork_env.agents.balance`, but for how the quilt is packed."""
    have = means(table, outlined[BUTTONS + side], outlined[INCOME + side], outlined[SPACE + side])
    return have - 2.2 * outlined[EMPTY + side]
