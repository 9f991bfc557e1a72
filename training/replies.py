"""What a learner is told of the answers to each kind of move: the same four kinds, for whoever decides next.

Decisions of one player may follow each other, so an answer can be the player's own. A row of `REPLY_FEATURES` tells
where both players stand once a kind of move and an answer to it are made, who decides then, and what is on offer to
that player. Where patches are laid is left out: a patch is taken to fit where it fits on the present quilts. Nothing
is compared or chosen here; what the rows are worth, and how the worst answer weighs, a network has to learn.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import empty_cells
from patchwork_env.kernels import kernel

KINDS = 1 + OFFERED
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

# A position without its quilts, as numbers: two each of buttons, income, space and empty cells (the player who is
# told, then the opponent), who decides, where in the circle the neutral token is, the places of the two patches that
# may be gone from it (-1 for none), and whether the game is over.
_BUTTONS, _INCOME, _SPACE, _EMPTY, _DECIDER, _TOKEN, _GONE, _OVER = 0, 2, 4, 6, 8, 9, 10, 12
OUTLINE_SIZE = 13
STEP_SIZE = 3  # the patch bought (-1 for none), the income paid, the special patches reached


@kernel
def describe_replies(table, game, ways, outlines, step, replies):
    """Write the rows (4, 4, `REPLY_SIZE`) of a position in which no special patch waits to be placed.

    ``ways`` (2, n) tells of the first patches of the circle how many ways there are to lay them; ``outlines``
    (3, `OUTLINE_SIZE`) and ``step`` (`STEP_SIZE`,) are scratch.
    """
    replies[:, :, :] = 0.0
    outline(table, game, outlines[0])
    for kind in range(KINDS):
        if not follow(table, game, ways, outlines[0], kind - 1, outlines[1], step) or outlines[1, _OVER]:
            continue
        decider = outlines[1, _DECIDER]
        for reply in range(KINDS):
            if follow(table, game, ways, outlines[1], reply - 1, outlines[2], step):
                row = replies[kind, reply]
                row[0] = 1.0
                row[1] = 1.0 if reply == 0 else 0.0
                row[2] = 1.0 if decider == 0 else -1.0
                describe_step(table, step, row)
                describe_outline(table, game, ways, outlines[2], row)


@kernel
def outline(table, game, out):
    """The outline of a position."""
    mover = np.int64(game["to_play"])
    for side in range(2):
        player = mover if side == 0 else 1 - mover
        out[_BUTTONS + side] = game["buttons"][player]
        out[_INCOME + side] = game["incomes"][player]
        out[_SPACE + side] = game["positions"][player]
        out[_EMPTY + side] = empty_cells(table, game, player)
    out[_DECIDER] = 0
    out[_TOKEN] = 0
    out[_GONE] = -1
    out[_GONE + 1] = -1
    out[_OVER] = 0


@kernel
def place_of_offer(game, outlined, number):
    """The place in the circle of a patch on offer; -1 if there are not so many."""
    size = np.int64(game["circle_size"])
    place = outlined[_TOKEN]
    for _ in range(size):
        if place >= size:
            place -= size
        if place not in (outlined[_GONE], outlined[_GONE + 1]):
            if number == 0:
                return place
            number -= 1
        place += 1
    return np.int64(-1)


@kernel
def follow(table, game, ways, before, slot, after, step):
    """Make a kind of move (-1 to advance, else the slot of a patch); False if it cannot be made."""
    for k in range(OUTLINE_SIZE):
        after[k] = before[k]
    player = before[_DECIDER]
    start = before[_SPACE + player]
    other = before[_SPACE + 1 - player]
    last = np.int64(table["last_space"])
    step[0] = -1
    if slot == -1:
        stop = min(other + 1, last)
        after[_BUTTONS + player] += stop - start
    else:
        place = place_of_offer(game, before, slot)
        if place == -1 or (place < ways.shape[1] and ways[player, place] == 0.0):
            return False
        patch = np.int64(game["circle"][place])
        if table["cost"][patch] > before[_BUTTONS + player] or table["size"][patch] > before[_EMPTY + player]:
            return False
        step[0] = patch
        after[_BUTTONS + player] -= table["cost"][patch]
        after[_INCOME + player] += table["income"][patch]
        after[_EMPTY + player] -= table["size"][patch]
        after[_GONE if before[_GONE] == -1 else _GONE + 1] = place
        after[_TOKEN] = place + 1
        stop = min(start + np.int64(table["time"][patch]), last)
    marks = np.int64(table["incomes_after"][start]) - np.int64(table["incomes_after"][stop])
    step[1] = marks * after[_INCOME + player]
    after[_BUTTONS + player] += step[1]
    step[2] = 0
    reached = np.int64(table["next_special"][max(start, other)])
    while reached != -1 and reached <= stop:
        step[2] += 1
        reached = np.int64(table["next_special"][reached])
    after[_EMPTY + player] = max(after[_EMPTY + player] - step[2], 0)
    after[_SPACE + player] = stop
    if stop > other or stop == last:
        if other < last:
            after[_DECIDER] = 1 - player
        elif stop == last:
            after[_OVER] = 1
    return True


@kernel
def describe_step(table, step, row):
    """What the answer itself is."""
    if step[0] >= 0:
        describe_patch(table, step[0], row[_PATCH:])
    row[_PATCH + 4] = step[1] * 0.05
    row[_PATCH + 5] = step[2]


@kernel
def describe_patch(table, patch, out):
    """The four numbers of a patch."""
    out[0] = table["cost"][patch] * 0.1
    out[1] = table["time"][patch] / 6.0
    out[2] = table["income"][patch] / 3.0
    out[3] = table["size"][patch] * 0.125


@kernel
def describe_outline(table, game, ways, outlined, row):
    """Where the players stand, and what is on offer to the one who decides."""
    player = outlined[_DECIDER]
    row[_HOLDINGS - 1] = 0.0 if outlined[_OVER] else 1.0 - 2.0 * player
    for side in range(2):
        out = row[_HOLDINGS + _OPPONENT * side : _HOLDINGS + _OPPONENT * (side + 1)]
        out[0] = outlined[_BUTTONS + side] * 0.05
        out[1] = outlined[_INCOME + side] * 0.1
        out[2] = (table["last_space"] - outlined[_SPACE + side]) / table["last_space"]
        out[3] = outlined[_EMPTY + side] / table["cells"]
    row[_LEAD] = (outlined[_SPACE] - outlined[_SPACE + 1]) * 0.1
    row[_LEAD + 1] = (worth(table, outlined, 0) - worth(table, outlined, 1)) * 0.05
    if outlined[_OVER]:
        return
    for k in range(OFFERED):
        place = place_of_offer(game, outlined, k)
        if place == -1:
            return
        patch = np.int64(game["circle"][place])
        out = row[_NEXT + _NEXT_SIZE * k : _NEXT + _NEXT_SIZE * (k + 1)]
        describe_patch(table, patch, out)
        out[4] = 1.0 if table["cost"][patch] <= outlined[_BUTTONS + player] else 0.0
        out[5] = ways[player, place] if place < ways.shape[1] else 0.5
        stop = outlined[_SPACE + player] + np.int64(table["time"][patch])
        out[6] = 1.0 if stop <= outlined[_SPACE + 1 - player] and stop < table["last_space"] else 0.0


@kernel
def worth(table, outlined, side):
    """What a player has, in points: as `patchwork_env.agents.balance`, but for how the quilt is packed."""
    space = outlined[_SPACE + side]
    left = table["last_space"] - space
    share = left / table["last_space"]
    to_come = outlined[_INCOME + side] * np.int64(table["incomes_after"][space])
    return (
        outlined[_BUTTONS + side] * (1.0 + 1.8 * share * share)
        + to_come * (1.05 + 0.35 * share * share)
        + left * (1.0 + 1.6 * share)
        - 2.2 * outlined[_EMPTY + side]
    )
