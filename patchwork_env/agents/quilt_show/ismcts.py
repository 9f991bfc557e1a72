"""Information-set Monte-Carlo tree search.

Every simulation first samples what the player cannot know (`hidden.determinize` does the same for a whole batch),
then goes down one tree that all samples share: a node is a sequence of decisions, not a state, and a decision is
named by what it means (which card, which tile), not by where it lay. From the first new node on, all players play
greedily until the next show is over, and what everybody has then is the result.

Decisions about payments, about the tiles of a quilt that was started, and about proposals of swaps are made by the
greedy player, in the tree and outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.quilt_show.greedy import default_weights, greedy_action, new_scratch
from patchwork_env.agents.quilt_show.planning import (
    CHIP_WORTH,
    TILE_WORTH,
    best_entry,
    chip_points,
    enter_all,
    points_of,
)
from patchwork_env.games.quilt_show.cards import CARD_TYPES, MAX_PLAYERS
from patchwork_env.games.quilt_show.hidden import sample_cards, withdraw_entries
from patchwork_env.games.quilt_show.layout import (
    DECK,
    DONE,
    IN_ANSWER,
    IN_DRAW,
    IN_ENTER,
    IN_MAKE,
    IN_TURN,
    MAKE,
    NUM_ACTIONS,
    PAY,
    PROPOSE,
    START,
)
from patchwork_env.games.quilt_show.masks import write_mask
from patchwork_env.games.quilt_show.rules import best_standing, play, standing
from patchwork_env.games.quilt_show.show import finish_quilt
from patchwork_env.games.quilt_show.state import GAME, NONE
from patchwork_env.games.quilt_show.supply import flip_group, stack_group, tile_of, total
from patchwork_env.interfaces.base import checked_seed
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.kernels import kernel, run_over
from patchwork_env.streams import mixed, stream_of

MAX_SIMULATIONS = 100_000
MAX_DEPTH = 200
ROOT = 0

NODE = np.dtype(
    [
        ("total", np.float64),  # sum of the results of the player who decided for it
        ("prior", np.float64),
        ("visits", np.int32),
        ("available", np.int32),  # visits of its parent in which it was possible
        ("first", np.int32),  # its first child; -1 none
        ("next", np.int32),  # the next child of its parent; -1 none
        ("decision", np.int16),  # see `decision_of`
        ("player", np.int8),  # who decided for it
    ],
    align=True,
)

# name -> (value, what it is)
SETTINGS: dict[str, tuple[float, str]] = {
    "exploration": (0.9, "weight of the prior against the results so far"),
    "trust": (0.4, "prior of the greedy decision; the others share the rest"),
    "unvisited": (0.1, "how much worse than its parent a decision is taken to be until it is tried"),
    "scale": (8.0, "thousands of lead that make a result of three quarters"),
    "card_worth": (0.3, "thousands for a card in hand when a simulation ends"),
}
EXPLORATION, TRUST, UNVISITED, SCALE, CARD_WORTH = range(len(SETTINGS))


class IsmctsAgent:
    """``ismcts:N`` searches with N simulations a decision."""

    def __init__(self, simulations: int = 200, seed: int | None = None, **settings: float) -> None:
        if isinstance(simulations, bool) or not isinstance(simulations, int) or not 1 <= simulations <= MAX_SIMULATIONS:
            raise ValueError(f"the number of simulations must be from 1 to {MAX_SIMULATIONS}, got {simulations!r}")
        for name in settings:
            if name not in SETTINGS:
                raise ValueError(f"unknown setting {name!r}; known are seed, {', '.join(SETTINGS)}")
        self.simulations = simulations
        self.settings = np.array([float(settings.get(name, value)) for name, (value, _) in SETTINGS.items()])
        self.weights = default_weights()
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on."""
        self._seed = checked_seed(seed)

    def act(self, games: QuiltShowBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The most visited decision for each game."""
        actions = np.empty(len(indices), np.int64)
        # A row of scratch for each game of the batch part by part: what is not touched costs nothing.
        scratch = _scratch(len(indices), self.simulations)
        run_over(
            len(indices),
            games.threads,
            search_games,
            indices,
            games.tables,
            games.state,
            games.action_mask,
            games.episodes,
            self.weights,
            self.settings,
            scratch,
            self._seed,
            self.simulations,
            actions,
            smallest_part=1,
        )
        return actions


def _scratch(count: int, simulations: int) -> tuple[Any, ...]:
    words, numbers = new_scratch(count)
    return (
        np.empty((count, simulations + 2), NODE),
        np.zeros(count, GAME),
        np.zeros((count, NUM_ACTIONS), np.uint8),
        words,
        numbers,
        np.zeros((count, CARD_TYPES), np.int64),
        np.zeros((count, MAX_DEPTH + 2), np.int32),
        np.zeros((count, MAX_PLAYERS)),
    )


@kernel
def search_games(
    start, stop, indices, tables, games, masks, episodes, weights, settings, scratch, seed, simulations, actions
):
    """Search each game named. Row ``start`` of the scratch serves all games of this part."""
    table = tables[0]
    trees, works, work_masks, words, numbers, pools, paths, results = scratch
    nodes = trees[start]
    tools = (work_masks[start], weights, settings, words[start], numbers[start])
    for k in range(start, stop):
        i = indices[k]
        if not is_searched(games[i]) or count_legal(masks[i]) == 1:
            actions[k] = greedy_action(table, games[i], masks[i], weights, words[start], numbers[start])
            continue
        stream = stream_of(seed, i, episodes[i], games[i]["decisions"])
        viewer = np.int64(games[i]["to_play"])
        used = plant(nodes)
        for number in range(simulations):
            works[start] = games[i]
            here = mixed(stream + np.uint64(number))
            used = simulate(
                table, nodes, used, works[start], viewer, tools, pools[start], paths[start], results[start], here
            )
        actions[k] = most_visited(table, nodes, games[i], masks[i])


@kernel
def plant(nodes):
    """An empty tree; the number of its nodes."""
    nodes[ROOT]["visits"] = 0
    nodes[ROOT]["total"] = 0.0
    nodes[ROOT]["first"] = NONE
    nodes[ROOT]["next"] = NONE
    nodes[ROOT]["player"] = NONE
    return 1


@kernel
def is_searched(game):
    """Whether a decision of this kind is searched; the others are the greedy player's."""
    return game["phase"] in (IN_TURN, IN_DRAW, IN_MAKE, IN_ENTER, IN_ANSWER)


@kernel
def count_legal(mask):
    """Number of legal actions."""
    count = np.int64(0)
    for action in range(mask.shape[0]):
        count += mask[action]
    return count


@kernel
def decision_of(table, game, action):
    """What an action means, whatever place the card or tile has; -1 for actions that are not searched.

    0 to 12 take a card of that type, 13 the deck's, 20 + tile make it; the others are 200 + action.
    """
    if action < DECK:
        return np.int64(game["face_up"][action])
    if action == DECK:
        return np.int64(CARD_TYPES)
    if MAKE <= action < PAY:
        return np.int64(20 + tile_of(stack_group(table, action - MAKE), game["exposed"][action - MAKE]))
    if PROPOSE <= action < PROPOSE + MAX_PLAYERS - 1:
        return np.int64(NONE)
    return np.int64(200 + action)


@kernel
def simulate(table, nodes, used, work, viewer, tools, pool, path, results, stream):
    """One simulation; how many nodes the tree has then."""
    mask, weights, settings, words, _ = tools
    sample_hidden(table, work, viewer, weights, words, pool, stream)
    last_round = work["round"]
    depth = 0
    path[0] = ROOT
    node = ROOT
    while depth < MAX_DEPTH:
        to_next_choice(table, work, last_round, tools, stream)
        if work["done"] or work["round"] != last_round:
            break
        write_mask(table, work, mask)
        player = work["to_play"]
        action, child = select(table, nodes, node, work, tools)
        is_new = child == NONE
        if is_new:
            child = used
            used += 1
            add_child(nodes, node, child, decision_of(table, work, action), player, settings)
        depth += 1
        path[depth] = child
        node = child
        carry_out(table, work, action, weights, words, stream)
        if is_new:
            break
    roll_out(table, work, last_round, tools, stream)
    write_results(table, work, weights, settings, results)
    nodes[ROOT]["visits"] += 1
    for step in range(1, depth + 1):
        nodes[path[step]]["visits"] += 1
        nodes[path[step]]["total"] += results[nodes[path[step]]["player"]]
    return used


@kernel
def sample_hidden(table, game, viewer, weights, words, pool, stream):
    """What the viewer does not know: cards at random, and secret entries as the greedy player makes them."""
    sample_cards(table, game, viewer, mixed(stream), pool)
    if game["phase"] == IN_ENTER:
        withdraw_entries(game, viewer)
        for step in range(game["entered"]):
            game["to_play"] = (game["last_taker"] + 1 + step) % table["players"]
            if game["to_play"] != viewer:
                enter_all(table, game, weights, words)
        game["to_play"] = viewer
        game["phase"] = IN_ENTER


@kernel
def to_next_choice(table, game, last_round, tools, stream):
    """Play on greedily to the next decision that is searched and has alternatives."""
    mask, weights, _, words, numbers = tools
    while not game["done"] and game["round"] == last_round:
        write_mask(table, game, mask)
        if is_searched(game) and count_legal(mask) > 1:
            return
        action = greedy_action(table, game, mask, weights, words, numbers)
        play(table, game, action, stream)


@kernel
def select(table, nodes, node, game, tools):
    """The action to follow and its node, -1 if it has none yet; the first one of a node is the greedy one."""
    mask, weights, settings, words, numbers = tools
    if nodes[node]["first"] == NONE:
        return greedy_action(table, game, mask, weights, words, numbers), np.int64(NONE)
    mean = 0.5
    visits = 0
    total_result = 0.0
    child = nodes[node]["first"]
    count = 0
    while child != NONE:
        visits += nodes[child]["visits"]
        total_result += nodes[child]["total"]
        child = nodes[child]["next"]
        count += 1
    if visits > 0:
        mean = total_result / visits
    legal = max(count_legal(mask), 2)
    root = np.sqrt(np.float64(visits + 1))
    best_action = np.int64(NONE)
    best_child = np.int64(NONE)
    best_score = -1e9
    for action in range(mask.shape[0]):
        if mask[action] == 0:
            continue
        decision = decision_of(table, game, action)
        if decision == NONE or is_repeated(game, action):
            continue
        child = find_child(nodes, node, decision)
        if child == NONE:
            score = mean - settings[UNVISITED]
            score += settings[EXPLORATION] * (1.0 - settings[TRUST]) / (legal - 1) * root
        else:
            nodes[child]["available"] += 1
            share = nodes[child]["prior"] if nodes[child]["prior"] > 0 else (1.0 - settings[TRUST]) / (legal - 1)
            bonus = np.sqrt(np.float64(nodes[child]["available"])) / (1.0 + nodes[child]["visits"])
            score = nodes[child]["total"] / max(nodes[child]["visits"], 1) + settings[EXPLORATION] * share * bonus
        if score > best_score:
            best_score = score
            best_action = np.int64(action)
            best_child = np.int64(child)
    return best_action, best_child


@kernel
def is_repeated(game, action):
    """Whether a card like the one in that face-up place lies in an earlier place."""
    if action < DECK:
        for place in range(action):
            if game["face_up"][place] == game["face_up"][action]:
                return True
    return False


@kernel
def find_child(nodes, node, decision):
    """The child for a decision, or -1."""
    child = nodes[node]["first"]
    while child != NONE and nodes[child]["decision"] != decision:
        child = nodes[child]["next"]
    return np.int64(child)


@kernel
def add_child(nodes, node, child, decision, player, settings):
    """Put a new node first among its parent's children."""
    record = nodes[child]
    record["total"] = 0.0
    record["visits"] = 0
    record["available"] = 1
    record["prior"] = settings[TRUST] if nodes[node]["first"] == NONE else 0.0
    record["first"] = NONE
    record["next"] = nodes[node]["first"]
    record["decision"] = decision
    record["player"] = player
    nodes[node]["first"] = child


@kernel
def carry_out(table, game, action, weights, words, stream):
    """Play an action; a quilt that it starts is sewn as the greedy player would."""
    if START <= action < START + 12:
        player = game["to_play"]
        game["sewing_key"] = action - START
        game["sewing_tiles"] = 0
        _, word, chip = best_entry(table, game, player, np.int64(action - START), weights, words)
        flip_group(game["loose"][player], game["sewing_key"], word)
        game["sewing_tiles"] = word
        finish_quilt(table, game, chip)
    else:
        play(table, game, action, stream)


@kernel
def roll_out(table, game, last_round, tools, stream):
    """Greedy play of all players until the show is over."""
    mask, weights, _, words, numbers = tools
    while not game["done"] and game["round"] == last_round:
        if game["phase"] == IN_ENTER:
            enter_all(table, game, weights, words)
            play(table, game, DONE, stream)
            continue
        write_mask(table, game, mask)
        play(table, game, greedy_action(table, game, mask, weights, words, numbers), stream)


@kernel
def prospects(table, game, player, weights, settings):
    """Thousands that a player has, or may hope for from what is kept."""
    worth = np.float64(game["money"][player])
    if not game["done"]:
        points = 0
        for pattern in range(6):
            points += points_of(np.int64(game["loose"][player, pattern]))
        worth += weights[TILE_WORTH] * points + weights[CHIP_WORTH] * chip_points(game["chips"][player])
        worth += settings[CARD_WORTH] * total(game["hands"][player])
        for quilt in range(game["quilt_count"]):
            if game["quilt_owner"][quilt] == player:
                worth += weights[TILE_WORTH] * game["quilt_points"][quilt]
    return worth


@kernel
def write_results(table, game, weights, settings, results):
    """What the simulation is worth to each player, from 0 to 1."""
    players = table["players"]
    best, sharing = best_standing(table, game)
    for player in range(players):
        rival = -1e9
        for other in range(players):
            if other != player:
                rival = max(rival, prospects(table, game, other, weights, settings))
        lead = prospects(table, game, player, weights, settings) - rival
        # The logistic curve, by which a lead of `scale` counts three quarters.
        results[player] = 1.0 / (1.0 + np.exp(-1.0986 * lead / settings[SCALE]))
        if game["done"] and not game["truncated"]:
            won = 1.0 / sharing if standing(game, player) == best else 0.0
            results[player] = 0.8 * won + 0.2 * results[player]


@kernel
def most_visited(table, nodes, game, mask):
    """The legal action whose node was visited most."""
    best = np.int64(NONE)
    most = -1
    for action in range(mask.shape[0]):
        if mask[action] == 0 or is_repeated(game, action):
            continue
        decision = decision_of(table, game, action)
        if decision == NONE:
            continue
        child = find_child(nodes, ROOT, decision)
        if child != NONE and nodes[child]["visits"] > most:
            most = nodes[child]["visits"]
            best = np.int64(action)
    return best
