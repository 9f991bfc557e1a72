"""Alpha-beta over the coming purchases of both players.

``lookahead:6`` looks six decisions ahead. At each it considers to advance and to buy each of the patches on offer,
laid where the greedy player would lay it. The last position of a line is worth the difference of what both players
have: their points, the income still to come, the spaces still before them and how well their quilts are packed.
Special patches are placed on the way and are not counted as decisions.

The patches that the player buys along the best line are then laid together: a beam of partial packings finds the
place for the first from which all of them lie best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.balance import balance
from patchwork_env.agents.candidates import MAX_CANDIDATES, candidate_scratch, list_candidates
from patchwork_env.agents.packing import border_words, rank_placements
from patchwork_env.agents.valuation import bonus_value, mix_weights, outlook_value, quilt_after, tuned_weights
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL, play, special_pending
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch, checked_seed
from patchwork_env.kernels import kernel, run_over
from patchwork_env.streams import stream_of

MAX_DEPTH = 20
CHOICES = 1 + OFFERED  # to advance, or one of the patches on offer
BEAM = 12  # partial packings that are kept

LEVEL = np.dtype(
    [
        ("actions", np.int64, (CHOICES,)),  # the steps considered, best first
        ("values", np.float64, (CHOICES,)),
        ("line", np.int64, (MAX_DEPTH,)),  # the best line found from here on
        ("best", np.float64),
        ("alpha", np.float64),  # what player 0 is sure of
        ("beta", np.float64),  # what player 1 is sure of
        ("count", np.int64),
        ("next", np.int64),  # the step that is looked at now is the one before
        ("length", np.int64),  # of the line
    ],
    align=True,
)
PACKING = np.dtype(
    [
        ("low", np.int64),  # empty cells
        ("high", np.int64),
        ("first", np.int64),  # where the first patch lies
        ("value", np.float64),
    ],
    align=True,
)


class LookaheadAgent:
    """Searches ``depth`` decisions deep.

    Where the order of patches has yet to be drawn the search draws one of its own, which is all that ``seed`` does.
    """

    def __init__(self, depth: int = 6, seed: int | None = None) -> None:
        if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"the depth must be a whole number from 1 to {MAX_DEPTH}, got {depth!r}")
        self.depth = depth
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on."""
        self._seed = checked_seed(seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first step of the best line in each game."""
        actions = np.empty(len(indices), np.int64)
        weights = tuned_weights(games.edition)
        run_over(
            len(indices),
            games.threads,
            search_games,
            *(indices, games.tables, games.state, games.episodes, border_words(games.edition), weights),
            *(self.depth, self._seed),
            *(lookahead_scratch(len(indices), self.depth, len(weights)), actions),
            smallest_part=1,
        )
        return actions


def lookahead_scratch(count: int, depth: int, weights: int) -> tuple[Any, ...]:
    """What a search works in, once for each of ``count`` callers."""
    return (
        np.zeros((count, depth + 1), GAME),
        np.zeros((count, depth + 1), LEVEL),
        np.zeros((count, 2, BEAM), PACKING),
        candidate_scratch(count, weights),
        np.empty((count, MAX_CANDIDATES), np.int16),
        np.empty((count, MAX_CANDIDATES)),
    )


@kernel
def search_games(start, stop, indices, tables, games, episodes, borders, weights, depth, seed, scratch, actions):
    """The first step of the best line of each game named."""
    table = tables[0]
    stack, levels, beams, (mixed_weights, places, place_values), listed, values = scratch
    lists = (mixed_weights[start], places[start], place_values[start], listed[start], values[start])
    for k in range(start, stop):
        i = indices[k]
        game = games[i]
        stream = stream_of(seed, i, episodes[i], game["decisions"])
        if special_pending(game):
            actions[k] = best_cell(table, game, borders, weights, lists)
            continue
        stack[start, 0] = game
        find_line(table, stack[start], levels[start], borders, weights, lists, depth, stream)
        actions[k] = levels[start, 0]["line"][0]
        if actions[k] != ADVANCE:
            line = levels[start, 0]
            actions[k] = lay_together(table, stack[start], line, borders, weights, lists, beams[start], stream)


@kernel
def best_cell(table, game, borders, weights, lists):
    """Where the greedy player puts a special patch."""
    mixed_weights, places, place_values, listed, values = lists
    list_candidates(table, game, borders, weights, mixed_weights, places, place_values, listed, values)
    return np.int64(listed[0])


@kernel
def enter(table, game, level, borders, weights, lists):
    """List the steps that are considered here, best first."""
    mixed_weights, places, place_values, listed, values = lists
    _, leaders = list_candidates(table, game, borders, weights, mixed_weights, places, place_values, listed, values)
    for k in range(leaders):
        position = k
        while position > 0 and level["values"][position - 1] < values[k]:
            level["values"][position] = level["values"][position - 1]
            level["actions"][position] = level["actions"][position - 1]
            position -= 1
        level["values"][position] = values[k]
        level["actions"][position] = listed[k]
    level["count"] = leaders
    level["next"] = 0
    level["length"] = 0
    level["best"] = -np.inf if game["to_play"] == 0 else np.inf


@kernel
def improve(level, player, value, action, rest, rest_length):
    """Take note of a line's value at the position where ``player`` chose its first step."""
    better = value > level["best"] if player == 0 else value < level["best"]
    if better:
        level["best"] = value
        level["line"][0] = action
        for k in range(rest_length):
            level["line"][k + 1] = rest[k]
        level["length"] = rest_length + 1
    if player == 0:
        level["alpha"] = max(level["alpha"], value)
    else:
        level["beta"] = min(level["beta"], value)


@kernel
def find_line(table, stack, levels, borders, weights, lists, depth, stream):
    """Leave in ``levels[0]`` the best line of at most ``depth`` decisions from the position ``stack[0]``."""
    now = 0
    levels[0]["alpha"] = -np.inf
    levels[0]["beta"] = np.inf
    enter(table, stack[0], levels[0], borders, weights, lists)
    while now >= 0:
        level = levels[now]
        player = stack[now]["to_play"]
        if level["next"] == level["count"] or level["alpha"] >= level["beta"]:
            now -= 1
            if now >= 0:
                parent = levels[now]
                chosen = parent["actions"][parent["next"] - 1]
                improve(parent, stack[now]["to_play"], level["best"], chosen, level["line"], level["length"])
            continue
        action = level["actions"][level["next"]]
        level["next"] += 1
        game = stack[now + 1]
        stack[now + 1] = stack[now]
        play(table, game, action, stream, 0, 0)
        while not game["done"] and special_pending(game):
            play(table, game, best_cell(table, game, borders, weights, lists), stream, 0, 0)
        if game["done"] or now + 1 == depth:
            value = balance(table, game, borders)
            improve(level, player, value, action, level["line"], 0)
            continue
        now += 1
        levels[now]["alpha"] = level["alpha"]
        levels[now]["beta"] = level["beta"]
        enter(table, game, levels[now], borders, weights, lists)


@kernel
def lay_together(table, stack, root, borders, weights, lists, beams, stream):
    """The purchase that the best line begins with, laid so that the player's purchases along it lie well together."""
    mixed_weights, places, place_values, _, _ = lists
    game = stack[0]
    player = game["to_play"]
    mix_weights(table, game, weights, mixed_weights)
    bonus = bonus_value(table, game, mixed_weights)
    block = (root["line"][0] - FIRST_SPECIAL - table["cells"]) // (MAX_ORIENTATIONS * table["cells"])
    current = 0
    count = 1
    beams[0, 0]["low"] = table["full"][0] & ~game["quilts"][player, 0]
    beams[0, 0]["high"] = table["full"][1] & ~game["quilts"][player, 1]
    beams[0, 0]["first"] = -1
    stack[1] = game
    ahead = stack[1]
    patch = np.int64(-1)
    bought = np.int64(-1)
    for step in range(root["length"]):
        action = root["line"][step]
        if ahead["to_play"] == player and action != ADVANCE:
            slot = (action - FIRST_SPECIAL - table["cells"]) // (MAX_ORIENTATIONS * table["cells"])
            patch = np.int64(ahead["circle"][slot])
            wider = widen_beam(
                table,
                borders,
                mixed_weights,
                bonus,
                patch,
                beams[current],
                count,
                beams[1 - current],
                places,
                place_values,
            )
            if wider == 0:
                break
            bought = patch
            count = wider
            current = 1 - current
        play(table, ahead, action, stream, 0, 0)
        while not ahead["done"] and special_pending(ahead):
            play(table, ahead, best_cell(table, ahead, borders, weights, lists), stream, 0, 0)
            mix_weights(table, game, weights, mixed_weights)
    best = 0
    for k in range(count):
        packing = beams[current, k]
        packing["value"] += outlook_value(table, game, mixed_weights, bought, packing["low"], packing["high"])
        if packing["value"] > beams[current, best]["value"]:
            best = k
    return FIRST_SPECIAL + table["cells"] * (1 + block * MAX_ORIENTATIONS) + beams[current, best]["first"]


@kernel
def widen_beam(table, borders, weights, bonus, patch, packings, count, wider, places, place_values):
    """Lay one more patch on every packing; how many of the results are kept in ``wider``, best first."""
    kept = 0
    for k in range(count):
        packing = packings[k]
        found = rank_placements(
            table, borders, weights, bonus, patch, packing["low"], packing["high"], places, place_values
        )
        for place in range(found):
            low, high = quilt_after(table, patch, places[place], packing["low"], packing["high"])
            first = packing["first"] if packing["first"] != -1 else places[place]
            kept = keep_packing(wider, kept, low, high, first, place_values[place])
    return kept


@kernel
def keep_packing(packings, count, low, high, first, value):
    """Insert a packing into a list sorted by falling value, unless it is there already; the list's new length."""
    for k in range(count):
        if packings[k]["low"] == low and packings[k]["high"] == high:
            return count
    if count == BEAM:
        if value <= packings[BEAM - 1]["value"]:
            return count
        count -= 1
    position = count
    while position > 0 and packings[position - 1]["value"] < value:
        packings[position] = packings[position - 1]
        position -= 1
    packings[position]["low"] = low
    packings[position]["high"] = high
    packings[position]["first"] = first
    packings[position]["value"] = value
    return count + 1
