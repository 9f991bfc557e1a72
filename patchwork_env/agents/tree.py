"""The search tree of one game, in arrays that are allocated once.

A node is a position that was reached. It gets a list of candidate steps when it is visited for the second time.
Nodes carry a fingerprint of their position, by which the next decision finds the part of the tree it can go on
with. What a game has yet to draw is drawn anew in every simulation, so a position that shows some of it is never
given a list: its value is the mean over the draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.balance import balance
from patchwork_env.agents.candidates import MAX_CANDIDATES, list_candidates
from patchwork_env.agents.playout import MARGIN_SCALE, OUTCOME_SHARE, play_out, result_value
from patchwork_env.agents.position import position_value
from patchwork_env.agents.prior import add_opinion
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import play, special_pending
from patchwork_env.kernels import kernel
from patchwork_env.streams import mixed

NONE = -1
ROOT = 0
MAX_DEPTH = 512  # decisions that one simulation may add to its path

NODE = np.dtype(
    [
        ("fingerprint", np.uint64),
        ("total", np.float64),  # sum of the results, as player 0 sees them
        (
            "outlook",
            np.float32,
        ),  # the position judged for player 0, -1 to 1; once there are children that of the best one
        ("visits", np.int32),
        ("parent", np.int32),
        ("choices", np.int32),  # number of its list; -1 none
        ("to_play", np.int8),
        ("can_branch", np.int8),  # 0 if the game is over or what is offered here depends on a draw
    ],
    align=True,
)
TREE = np.dtype([("nodes", np.int32), ("lists", np.int32)], align=True)  # how much of the arrays is in use

CLEAR_LEAD = 25.0  # points of balance that make a game look all but decided

# The numbers that steer the search, in this order.
SETTINGS: dict[str, tuple[float, str]] = {
    "exploration": (3.0, "weight of the prior against the results so far"),
    "temperature": (8.0, "buttons of value by which a prior falls to a third"),
    "unvisited": (0.2, "how much worse than its parent a step is taken to be until it is tried"),
    "widening": (0.1, "placements considered beside the leaders: this times the root of the visits"),
    "playout_share": (0.5, "share of the playout, against the judgement of the position, in a result"),
    "trust": (0.4, "share of the best line's end, against the mean, in what a step is worth"),
    "noise": (2.0, "buttons of chance in the values of playouts"),
}
EXPLORATION, TEMPERATURE, UNVISITED, WIDENING, PLAYOUT_SHARE, TRUST, NOISE = range(len(SETTINGS))


def choices_type(size: int) -> np.dtype[Any]:
    """The record of a list of up to ``size`` candidates."""
    return np.dtype(
        [
            ("node", np.int32),  # whose list it is
            ("count", np.int16),
            ("leaders", np.int16),  # those at the front that are considered from the start
            ("actions", np.int16, (size,)),
            ("priors", np.float32, (size,)),
            ("children", np.int32, (size,)),  # nodes; -1 not yet visited
        ],
        align=True,
    )


def new_trees(
    count: int, nodes: int, lists: int, size: int = MAX_CANDIDATES
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Empty trees for ``count`` games, for lists of up to ``size``. Memory is taken up only as it is used."""
    return np.zeros(count, TREE), np.empty((count, nodes), NODE), np.empty((count, lists), choices_type(size))


@kernel
def fingerprint_of(words):
    """A number that tells a position, given as the words of its record, from all others that a search meets."""
    key = np.uint64(0x9E3779B97F4A7C15)
    for k in range(words.shape[0]):
        key = mixed(key ^ np.uint64(words[k]))
    return key


@kernel
def add_node(table, tree, nodes, words, game, was_refilled, parent):
    """Append a node for that position; its number."""
    number = tree["nodes"]
    tree["nodes"] = number + 1
    node = nodes[number]
    node["fingerprint"] = fingerprint_of(words)
    node["total"] = 0.0
    node["outlook"] = 0.0
    node["visits"] = 0
    node["parent"] = parent
    node["choices"] = NONE
    node["to_play"] = game["to_play"]
    node["can_branch"] = 0 if game["done"] or shows_draw(table, game, was_refilled) else 1
    return np.int32(number)


@kernel
def shows_draw(table, game, was_refilled):
    """Whether the patches on offer are among those that were drawn after the search began."""
    if game["refilled"] == was_refilled:
        return False
    drawn_patches = 0
    for slot in range(min(OFFERED, game["circle_size"])):
        if game["circle"][slot] >= table["first_circle"]:
            drawn_patches += 1
    return drawn_patches > 0


@kernel
def add_choices(table, game, tree, nodes, lists, number, borders, weights, prior, settings, scratch_row, values):
    """Give a node its list of candidates with priors. ``prior`` is a network and what its opinion is made in."""
    mixed_weights, places, place_values = scratch_row
    network, prior_scratch, row = prior
    choices = lists[tree["lists"]]
    actions = choices["actions"]
    count, leaders = list_candidates(
        table, game, borders, weights, mixed_weights, places, place_values, actions, values
    )
    if network.shape[0] > 0 and not special_pending(game):
        add_opinion(table, game, borders, weights, network, prior_scratch, row, actions, count, values)
        sort_falling(actions, values, leaders, count)
    attach(tree, nodes, lists, number, count, leaders)
    to_probabilities(values, count, settings[TEMPERATURE], choices["priors"])


@kernel
def sort_falling(actions, values, start, stop):
    """Sort a part of a list by falling value."""
    for k in range(start + 1, stop):
        action, value = actions[k], values[k]
        position = k
        while position > start and values[position - 1] < value:
            actions[position] = actions[position - 1]
            values[position] = values[position - 1]
            position -= 1
        actions[position] = action
        values[position] = value


@kernel
def attach(tree, nodes, lists, number, count, leaders):
    """Make the next list, in which so many actions are written already, that of a node; none of them is tried yet."""
    position = tree["lists"]
    tree["lists"] = position + 1
    choices = lists[position]
    choices["node"] = number
    choices["count"] = count
    choices["leaders"] = leaders
    for k in range(count):
        choices["children"][k] = NONE
    nodes[number]["choices"] = position


@kernel
def to_probabilities(values, count, temperature, out):
    """The softmax of the first ``count`` values; ``out`` may be the same array."""
    best = values[0]
    for k in range(1, count):
        best = max(best, values[k])
    total = 0.0
    for k in range(count):
        out[k] = np.exp((values[k] - best) / temperature)
        total += out[k]
    for k in range(count):
        out[k] /= total


@kernel
def select(nodes, choices, node, settings):
    """The candidate with the best result and exploration bonus.

    A result is the mean of the simulations, mixed with the judgement at the end of the best line.
    """
    trust = settings[TRUST]
    visits = max(node["visits"], 1)
    sign = 1.0 if node["to_play"] == 0 else -1.0
    root = np.sqrt(np.float64(visits))
    unvisited = sign * ((1.0 - trust) * node["total"] / visits + trust * node["outlook"]) - settings[UNVISITED]
    considered = min(np.int64(choices["count"]), choices["leaders"] + np.int64(settings[WIDENING] * root))
    best = 0
    best_value = -np.inf
    for k in range(considered):
        child = choices["children"][k]
        tried = 0
        value = unvisited
        if child != NONE:
            tried = nodes[child]["visits"]
            mean = nodes[child]["total"] / max(tried, 1)
            value = sign * ((1.0 - trust) * mean + trust * nodes[child]["outlook"])
        value += settings[EXPLORATION] * choices["priors"][k] * root / (1.0 + tried)
        if value > best_value:
            best_value = value
            best = k
    return best


@kernel
def step_down(table, tree, nodes, lists, number, game, words, was_refilled, settings, stream):
    """Play the best looking step of a node that has a list; the node it leads to, -1 if there is no room for it."""
    choices = lists[nodes[number]["choices"]]
    chosen = select(nodes, choices, nodes[number], settings)
    play(table, game, np.int64(choices["actions"][chosen]), stream, 0, 0)
    child = choices["children"][chosen]
    if child == NONE and tree["nodes"] < nodes.shape[0]:
        child = add_node(table, tree, nodes, words, game, was_refilled, number)
        choices["children"][chosen] = child
    return child


@kernel
def simulate(table, tree, nodes, lists, game, words, borders, weights, networks, settings, scratch, path, stream):
    """One simulation from the position in ``game``, the root: descend, add a node, play out, add the result up."""
    mixed_weights, places, place_values, values, rows, prior_scratch, row = scratch
    network, prior = networks
    was_refilled = game["refilled"]
    depth = 1
    path[0] = ROOT
    number = np.int32(ROOT)
    fresh = False
    while not fresh and nodes[number]["can_branch"] and depth < MAX_DEPTH:
        if nodes[number]["choices"] == NONE:
            if (nodes[number]["visits"] == 0 and number != ROOT) or tree["lists"] == lists.shape[0]:
                break
            add_choices(
                table,
                game,
                tree,
                nodes,
                lists,
                number,
                borders,
                weights,
                (prior, prior_scratch, row),
                settings,
                (mixed_weights, places, place_values),
                values,
            )
        child = step_down(table, tree, nodes, lists, number, game, words, was_refilled, settings, stream)
        if child == NONE:
            break
        fresh = nodes[child]["visits"] == 0
        number = child
        path[depth] = number
        depth += 1
    result = 0.0
    share = 1.0
    if not game["done"]:
        share = settings[PLAYOUT_SHARE]
        if network.shape[0] > 0:
            result = position_value(table, game, borders, network, rows)
        else:
            result = np.tanh(balance(table, game, borders) / CLEAR_LEAD)
    outlook = result
    if share > 0.0:
        play_out(table, game, borders, weights, mixed_weights, places[:1], place_values[:1], stream, settings[NOISE])
        end = result_value(table, game, OUTCOME_SHARE, MARGIN_SCALE)
        result = share * end + (1.0 - share) * result
        if share == 1.0:
            outlook = result
    add_up(nodes, lists, path, depth, result, outlook)


@kernel
def add_up(nodes, lists, path, depth, result, outlook):
    """Add a result to the nodes of a path, and renew their outlook."""
    for k in range(depth - 1, -1, -1):
        node = nodes[path[k]]
        node["visits"] += 1
        node["total"] += result
        if node["choices"] == NONE:
            # Several draws may lead here: the mean is taken of what is said of them.
            node["outlook"] += (outlook - node["outlook"]) / node["visits"]
            continue
        choices = lists[node["choices"]]
        best = -np.inf
        sign = 1.0 if node["to_play"] == 0 else -1.0
        for candidate in range(choices["count"]):
            child = choices["children"][candidate]
            if child != NONE:
                best = max(best, sign * nodes[child]["outlook"])
        if best > -np.inf:
            node["outlook"] = sign * best


@kernel
def plant(table, tree, nodes, lists, game, words, places):
    """Make the position in ``game`` the root: with the part of the tree that lies below it, if it is known."""
    fingerprint = fingerprint_of(words)
    if tree["nodes"] > 0 and nodes[ROOT]["fingerprint"] == fingerprint:
        return
    for number in range(tree["nodes"]):
        if nodes[number]["fingerprint"] == fingerprint and nodes[number]["can_branch"]:
            keep_below(tree, nodes, lists, number, places)
            return
    tree["nodes"] = 0
    tree["lists"] = 0
    add_node(table, tree, nodes, words, game, game["refilled"], NONE)


@kernel
def keep_below(tree, nodes, lists, number, places):
    """Throw away all nodes but one and those below it. ``places`` is scratch, one number a node.

    A node is younger than its parent, so its parent's new place is known when its turn comes.
    """
    kept = 0
    for old in range(tree["nodes"]):
        parent = nodes[old]["parent"]
        places[old] = NONE
        if old == number or (old > number and parent != NONE and places[parent] != NONE):
            places[old] = kept
            nodes[kept] = nodes[old]
            nodes[kept]["parent"] = NONE if old == number else places[parent]
            nodes[kept]["choices"] = NONE
            kept += 1
    tree["nodes"] = kept
    kept = 0
    for old in range(tree["lists"]):
        node = places[lists[old]["node"]]
        if node == NONE:
            continue
        lists[kept] = lists[old]
        choices = lists[kept]
        choices["node"] = node
        for k in range(choices["count"]):
            if choices["children"][k] != NONE:
                choices["children"][k] = places[choices["children"][k]]
        nodes[node]["choices"] = kept
        kept += 1
    tree["lists"] = kept
