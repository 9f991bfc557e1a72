"""A position without its quilts, as a few numbers, and what a kind of move does to them.

Where on the quilt a patch is laid makes no difference to buttons, income, the time track and the circle, so what a
kind of move leads to can be told without a placement, and without playing it in a game.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import empty_cells
from patchwork_env.kernels import kernel

KINDS = 1 + OFFERED  # to advance (or decline a special patch), or one of the patches on offer (or place a special one)

# Two each of buttons, income, space and empty cells (the player to move in the game, then the opponent), who decides,
# where in the circle the neutral token is, the places of the two patches that may be gone from it (-1 for none), and
# whether the game is over.
BUTTONS, INCOME, SPACE, EMPTY, DECIDER, TOKEN, GONE, OVER = 0, 2, 4, 6, 8, 9, 10, 12
OUTLINE_SIZE = 13
STEP_SIZE = 3  # the patch bought (-1 for none), the income paid, the special patches reached


@kernel
def outline(table, game, out):
    """The outline of a position."""
    mover = np.int64(game["to_play"])
    for side in range(2):
        player = mover if side == 0 else 1 - mover
        out[BUTTONS + side] = game["buttons"][player]
        out[INCOME + side] = game["incomes"][player]
        out[SPACE + side] = game["positions"][player]
        out[EMPTY + side] = empty_cells(table, game, player)
    out[DECIDER] = 0
    out[TOKEN] = 0
    out[GONE] = -1
    out[GONE + 1] = -1
    out[OVER] = 0


@kernel
def place_of_offer(game, outlined, number):
    """The place in the circle of a patch on offer; -1 if there are not so many."""
    size = np.int64(game["circle_size"])
    place = outlined[TOKEN]
    for _ in range(size):
        if place >= size:
            place -= size
        if place not in (outlined[GONE], outlined[GONE + 1]):
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
    player = before[DECIDER]
    start = before[SPACE + player]
    other = before[SPACE + 1 - player]
    last = np.int64(table["last_space"])
    step[0] = -1
    if slot == -1:
        stop = min(other + 1, last)
        after[BUTTONS + player] += stop - start
    else:
        place = place_of_offer(game, before, slot)
        if place == -1 or (place < ways.shape[1] and ways[player, place] == 0.0):
            return False
        patch = np.int64(game["circle"][place])
        if table["cost"][patch] > before[BUTTONS + player] or table["size"][patch] > before[EMPTY + player]:
            return False
        step[0] = patch
        after[BUTTONS + player] -= table["cost"][patch]
        after[INCOME + player] += table["income"][patch]
        after[EMPTY + player] -= table["size"][patch]
        after[GONE if before[GONE] == -1 else GONE + 1] = place
        after[TOKEN] = place + 1
        stop = min(start + np.int64(table["time"][patch]), last)
    arrive(table, before, stop, after, step)
    return True


@kernel
def stay(table, before, after, step):
    """Place or decline a special patch: nobody moves."""
    for k in range(OUTLINE_SIZE):
        after[k] = before[k]
    step[0] = -1
    arrive(table, before, before[SPACE + before[DECIDER]], after, step)


@kernel
def arrive(table, before, stop, after, step):
    """The decider's token reaches a space: income, special patches, and who decides next."""
    player = before[DECIDER]
    start = before[SPACE + player]
    other = before[SPACE + 1 - player]
    last = np.int64(table["last_space"])
    marks = np.int64(table["incomes_after"][start]) - np.int64(table["incomes_after"][stop])
    step[1] = marks * after[INCOME + player]
    after[BUTTONS + player] += step[1]
    step[2] = 0
    reached = np.int64(table["next_special"][max(start, other)])
    while reached != -1 and reached <= stop:
        step[2] += 1
        reached = np.int64(table["next_special"][reached])
    after[EMPTY + player] = max(after[EMPTY + player] - step[2], 0)
    after[SPACE + player] = stop
    if stop > other or stop == last:
        if other < last:
            after[DECIDER] = 1 - player
        elif stop == last:
            after[OVER] = 1


@kernel
def describe_patch(table, patch, out):
    """The four numbers of a patch."""
    out[0] = table["cost"][patch] * 0.1
    out[1] = table["time"][patch] / 6.0
    out[2] = table["income"][patch] / 3.0
    out[3] = table["size"][patch] * 0.125
