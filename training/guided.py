"""Tree search that a trained network guides: ``pretrained+mcts:400``, or a checkpoint's path and ``+mcts:200ms``.

The policy's probabilities of the candidates are the priors, the critic's value of a new position is the result of a
simulation; nothing is played out. The games of a batch are searched in step: in every round each tree gives a few
leaves, and the network judges the leaves of all trees at once. The way to a leaf that waits counts as visited without
having become better or worse, so that the next leaf of the same tree is looked for elsewhere. (With 200 simulations and
up to 8 leaves a round this won 49% (45 to 53%) of 192 games against a search that takes leaves one by one; counting the
way as lost, as is usual, won 44% (38 to 49%).)

The tree is that of `patchwork_env.agents.tree`: positions that show what has yet to be drawn are not branched, their
value is the mean over the draws, and the part below the position that is reached is kept for the next decision.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.mcts import TreeAgent, most_visited, read_budget, read_settings
from patchwork_env.agents.playout import result_value
from patchwork_env.agents.tree import (
    MAX_DEPTH,
    NONE,
    ROOT,
    SETTINGS,
    TEMPERATURE,
    UNVISITED,
    add_node,
    add_up,
    attach,
    new_trees,
    plant,
    step_down,
    to_probabilities,
)
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import play
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.solo import SoloBatch
from patchwork_env.kernels import kernel, run_over
from patchwork_env.streams import mixed, stream_of
from training.agent import PolicyAgent, PretrainedAgent, policy_of
from training.checkpoint import Checkpoint, load_checkpoint
from training.vec_env import MARGIN_SCALE
from training.views import ActionView

# The numbers that steer the search; the meaning of those that `SETTINGS` has too is the same.
GUIDED_SETTINGS: dict[str, tuple[float, str]] = {
    "exploration": (1.0, "weight of the prior against the results so far"),
    "temperature": (1.0, "above 1 the policy's probabilities are evened out, below 1 sharpened"),
    "unvisited": (0.2, "how much worse than its parent a step is taken to be until it is tried"),
    "trust": (0.0, "share of the best line's end, against the mean, in what a step is worth"),
    "leaves": (8, "positions of one game that are judged together; 1 searches one after the other"),
}
SIMULATIONS_PER_MILLISECOND = 20  # more than two cores can do
MAX_LEAVES = 512  # positions judged in one pass
SIMULATIONS_PER_LEAF = 16  # simulations that a tree must have behind it for each further leaf of a round
GAMES_PER_THREAD = 16
LIST_STEP = 64  # lists have room for a multiple of so many candidates: kernels are compiled for each size anew

LEAF = np.dtype(
    [
        ("result", np.float64),  # of a game that is over, as player 0 sees it
        ("depth", np.int32),  # nodes on the path to it, the root included
        ("lent", np.int32),  # how many of them count as visited while it waits
        ("waits", np.int8),  # 1 if it is to be judged
        ("grows", np.int8),  # 1 if its last node is the position itself and may get a list
    ],
    align=True,
)


class GuidedAgent(TreeAgent):
    """Searches with the policy and the critic of a network.

    ``budget`` is a number of simulations a decision (400) or a time ("200ms", "1.5s"); the first simulation of a tree
    judges the root itself, so one simulation plays what the network alone would. ``settings`` overrides entries of
    `GUIDED_SETTINGS`, ``outcome_share`` says how the reward was mixed that the critic learned to foresee.

    The critic knows games between two players, in which a quilt of each counts, and no Automa: in the solo game its
    values mean nothing, so there the policy plays without a search.
    """

    def __init__(
        self,
        policy: PolicyAgent,
        budget: int | str = 400,
        seed: int | None = None,
        outcome_share: float = 0.5,
        **settings: float,
    ) -> None:
        simulations, seconds, self.leaves, steering = read_search(budget, settings)
        super().__init__(simulations, seconds, steering, seed)
        self.policy = policy
        self.outcome_share = outcome_share

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The step that was visited most in each game."""
        if isinstance(games, SoloBatch):
            return self.policy.act(games, indices)
        self._make_room(games)
        legal = games.action_mask[indices]
        actions: NDArray[np.int64] = legal.argmax(axis=1)
        open_choices = np.flatnonzero(legal.sum(axis=1) > 1)
        for first in range(0, len(open_choices), self._at_once):
            part = open_choices[first : first + self._at_once]
            actions[part] = self._search(games, indices[part])
        return actions

    def _make_trees(self, games: PatchworkBatch) -> None:
        self._at_once = min(games.num_games, max(1, MAX_LEAVES // self.leaves))
        count = self._at_once * self.leaves
        self._positions = PatchworkBatch(count, games.edition, seed=0, threads=games.threads, auto_reset=False)
        view = self._listed(np.zeros(0, np.int64))
        nodes = 4 * self.simulations + 64  # those kept, the new ones, and those that forced steps lead to
        self._trees = new_trees(games.num_games, nodes, nodes, -(-view.size // LIST_STEP) * LIST_STEP)
        self._work = (
            self._positions.state,
            self._positions.state.view(np.int64).reshape(count, -1),
            np.zeros(count, LEAF),
            np.empty((count, MAX_DEPTH), np.int32),
            np.empty((count, MAX_DEPTH)),
            np.empty((self._at_once, nodes), np.int32),
        )

    def _search(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The most visited steps of games that have a choice, not more than `_at_once`."""
        count = len(indices)
        made = np.zeros(count, np.int64)  # simulations of this decision
        taken = np.zeros(count, np.int64)  # leaves of this round
        actions = np.zeros(count, np.int64)
        deadline = np.inf if self.seconds is None else time.perf_counter() + self.seconds * count

        def over_games(function: Callable[..., None], *arguments: Any) -> None:
            run_over(
                count,
                games.threads,
                function,
                (indices, games.tables, games.state, games.episodes, self._seed),
                (self._trees, self._work, self.leaves, made, taken),
                *arguments,
                smallest_part=GAMES_PER_THREAD,
            )

        over_games(plant_trees)
        while (made < self.simulations).any() and (not made.any() or time.perf_counter() < deadline):
            over_games(find_leaves, self.simulations, self.settings, self.outcome_share)
            over_games(take_in, self.settings, *self._judged(over_games, count * self.leaves))
        over_games(choose, actions)
        return actions

    def _judged(self, over_games: Callable[..., None], count: int) -> tuple[NDArray[Any], ...]:
        """What the network says of the leaves that wait: candidates' actions, mask and logits, values, rows by leaf.

        Where there is a single candidate it is played, until there is a choice or the game is over.
        """
        leaves = self._work[2][:count]
        asked = waiting = np.flatnonzero(leaves["waits"])
        view = self._listed(waiting)
        while (forced := asked[view.counts[asked] == 1]).size:
            only = np.full(count, NONE)
            only[forced] = view.actions[forced, view.mask[forced].argmax(axis=1)]
            over_games(play_forced, self.outcome_share, only)
            waiting = np.flatnonzero(leaves["waits"])
            asked = forced[leaves["waits"][forced] == 1]
            view = self._listed(asked)
        rows = np.full(count, NONE)
        rows[waiting] = np.arange(len(waiting))
        logits, values = self.policy.judged(view, waiting)
        return view.actions, view.mask, logits.numpy(), values.numpy(), rows

    def _listed(self, leaves: NDArray[np.int64]) -> ActionView:
        """The choices in the positions of these leaves."""
        self._positions.renew_masks(leaves)  # their records were written to, and a view may go by the masks
        return self.policy.listed(self._positions, leaves)


class CheckpointSearch(GuidedAgent):
    """The network of a checkpoint folder, guiding a search."""

    def __init__(self, path: str, budget: int | str = 400, seed: int | None = None, **settings: float) -> None:
        checkpoint = load_checkpoint(path)
        super().__init__(policy_of(checkpoint), budget, seed, trained_share(checkpoint), **settings)


class PretrainedSearch(PretrainedAgent):
    """The network that is shipped for the games' edition, guiding a search."""

    def __init__(self, budget: int | str = 400, seed: int | None = None, **settings: float) -> None:
        read_search(budget, settings)  # a mistake is told now, not when the first game is met
        self._budget, self._settings = budget, settings
        super().__init__(seed)

    def _made(self, checkpoint: Checkpoint, edition: Edition) -> GuidedAgent:
        policy = policy_of(checkpoint, edition)
        return GuidedAgent(policy, self._budget, self._seed, trained_share(checkpoint), **self._settings)


def trained_share(checkpoint: Checkpoint) -> float:
    """The share of the outcome in the reward that a checkpoint's critic learned to foresee."""
    return float(checkpoint.config.get("outcome_share", 0.5))


def read_search(budget: int | str, given: dict[str, float]) -> tuple[int, float | None, int, NDArray[np.float64]]:
    """Simulations, seconds (None: any), leaves a round, and the numbers that steer the tree, in its own order."""
    simulations, seconds = read_budget(budget, SIMULATIONS_PER_MILLISECOND)
    values = dict(zip(GUIDED_SETTINGS, read_settings(given, GUIDED_SETTINGS).tolist(), strict=True))
    leaves = values.pop("leaves")
    if not 1 <= leaves <= MAX_LEAVES or not leaves.is_integer():
        raise ValueError(f"leaves must be a whole number from 1 to {MAX_LEAVES}, got {leaves:g}")
    if not values["temperature"] > 0:
        raise ValueError(f"temperature must be more than 0, got {values['temperature']:g}")
    return simulations, seconds, int(leaves), np.array([values.get(name, 0.0) for name in SETTINGS])


@kernel
def plant_trees(start, stop, source, search):
    """Make each game's position the root of its tree."""
    indices, tables, games, _, _ = source
    (heads, nodes, lists), (positions, words, _, _, _, places), leaves, _, _ = search
    for k in range(start, stop):
        i = indices[k]
        slot = k * leaves
        positions[slot] = games[i]
        plant(tables[0], heads[i], nodes[i], lists[i], positions[slot], words[slot], places[k])


@kernel
def find_leaves(start, stop, source, search, simulations, settings, outcome_share):
    """Take leaves from each tree: more as it grows, but none that waits already. What is over is judged at once."""
    indices, tables, games, episodes, seed = source
    (heads, nodes, lists), (positions, words, found, paths, loans, _), leaves, made, taken = search
    for k in range(start, stop):
        i = indices[k]
        first = k * leaves
        for slot in range(first, first + leaves):
            found[slot]["waits"] = 0
        stream = stream_of(seed, i, episodes[i], games[i]["decisions"])
        most = min(leaves, simulations - made[k], 1 + nodes[i, ROOT]["visits"] // SIMULATIONS_PER_LEAF)
        taken[k] = 0
        while taken[k] < most:
            slot = first + taken[k]
            leaf = found[slot]
            positions[slot] = games[i]
            draw = mixed(stream + np.uint64(made[k] + taken[k]))
            is_new = descend(
                tables[0], heads[i], nodes[i], lists[i], positions[slot], words[slot], settings, leaf, paths[slot], draw
            )
            if not is_new and taken[k] > 0:
                break
            leaf["lent"] = leaf["depth"]
            lend(nodes[i], paths[slot], leaf["lent"], settings, loans[slot])
            settle(tables[0], positions[slot], outcome_share, leaf)
            taken[k] += 1


@kernel
def descend(table, tree, nodes, lists, game, words, settings, leaf, path, stream):
    """Walk from the root to a position without a list; whether no other leaf waits there."""
    was_refilled = game["refilled"]
    depth = 1
    path[0] = ROOT
    number = np.int32(ROOT)
    is_new = nodes[number]["choices"] == NONE
    grows = True
    while nodes[number]["choices"] != NONE:
        if depth == MAX_DEPTH:
            grows = False
            break
        child = step_down(table, tree, nodes, lists, number, game, words, was_refilled, settings, stream)
        is_new = child == NONE or nodes[child]["visits"] == 0
        if child == NONE:
            grows = False
            break
        number = child
        path[depth] = number
        depth += 1
    leaf["depth"] = depth
    leaf["grows"] = 1 if grows and nodes[number]["can_branch"] else 0
    return is_new or not nodes[number]["can_branch"]


@kernel
def lend(nodes, path, depth, settings, loans):
    """Count a path as visited once more, with the results that its nodes have had so far on average.

    A node that is new is taken to be what `select` took it to be.
    """
    for k in range(depth):
        node = nodes[path[k]]
        if node["visits"] > 0:
            loans[k] = node["total"] / node["visits"]
        elif k > 0:
            sign = 1.0 if nodes[path[k - 1]]["to_play"] == 0 else -1.0
            loans[k] = loans[k - 1] - sign * settings[UNVISITED]
        else:
            loans[k] = 0.0
    for k in range(depth):
        nodes[path[k]]["visits"] += 1
        nodes[path[k]]["total"] += loans[k]


@kernel
def take_back(nodes, path, depth, loans):
    """Undo `lend`."""
    for k in range(depth):
        nodes[path[k]]["visits"] -= 1
        nodes[path[k]]["total"] -= loans[k]


@kernel
def settle(table, game, outcome_share, leaf):
    """Note the result if the game is over; if not the leaf waits for the network's."""
    leaf["waits"] = 0 if game["done"] else 1
    if game["done"]:
        leaf["result"] = result_value(table, game, outcome_share, MARGIN_SCALE)


@kernel
def play_forced(start, stop, source, search, outcome_share, only):
    """Play the only candidate of each leaf that ``only`` names one for; the tree goes along where it may grow."""
    indices, tables, games, episodes, seed = source
    (heads, nodes, lists), (positions, words, found, paths, _, _), leaves, made, taken = search
    table = tables[0]
    for k in range(start, stop):
        i = indices[k]
        stream = stream_of(seed, i, episodes[i], games[i]["decisions"])
        for slot in range(k * leaves, k * leaves + taken[k]):
            if only[slot] == NONE:
                continue
            leaf, game = found[slot], positions[slot]
            draw = mixed(stream + np.uint64(made[k] + slot - k * leaves))
            play(table, game, only[slot], draw, 0, 0)
            if leaf["grows"]:
                number = paths[slot, leaf["depth"] - 1]
                choices = lists[i, heads[i]["lists"]]
                choices["actions"][0] = only[slot]
                choices["priors"][0] = 1.0
                attach(heads[i], nodes[i], lists[i], number, 1, 1)
                if heads[i]["nodes"] == nodes.shape[1] or leaf["depth"] == MAX_DEPTH:
                    leaf["grows"] = 0
                else:
                    child = add_node(table, heads[i], nodes[i], words[slot], game, games[i]["refilled"], number)
                    choices["children"][0] = child
                    paths[slot, leaf["depth"]] = child
                    leaf["depth"] += 1
                    leaf["grows"] = nodes[i, child]["can_branch"]
            settle(table, game, outcome_share, leaf)


@kernel
def take_in(start, stop, source, search, settings, actions, mask, logits, values, rows):
    """Add up the results of a round, and give the new nodes their lists."""
    indices = source[0]
    (heads, nodes, lists), (positions, _, found, paths, loans, _), leaves, made, taken = search
    for k in range(start, stop):
        i = indices[k]
        for slot in range(k * leaves, k * leaves + taken[k]):
            leaf = found[slot]
            row = rows[slot]
            if row != NONE:
                sign = 1.0 if positions[slot]["to_play"] == 0 else -1.0
                leaf["result"] = sign * min(1.0, max(-1.0, values[row]))
            take_back(nodes[i], paths[slot], leaf["lent"], loans[slot])
            add_up(nodes[i], lists[i], paths[slot], leaf["depth"], leaf["result"], leaf["result"])
            if row != NONE and leaf["grows"]:
                number = paths[slot, leaf["depth"] - 1]
                list_judged(heads[i], nodes[i], lists[i], number, actions[slot], mask[slot], logits[row], settings)
        made[k] += taken[k]


@kernel
def list_judged(tree, nodes, lists, number, actions, mask, logits, settings):
    """Give a node the candidates of the view as its list, with the policy's probabilities."""
    choices = lists[tree["lists"]]
    count = 0
    for place in range(mask.shape[0]):
        if mask[place]:
            choices["actions"][count] = actions[place]
            choices["priors"][count] = logits[place]
            count += 1
    to_probabilities(choices["priors"], count, settings[TEMPERATURE], choices["priors"])
    attach(tree, nodes, lists, number, count, count)


@kernel
def choose(start, stop, source, search, actions):
    """The most visited step of each game."""
    indices = source[0]
    _, nodes, lists = search[0]
    for k in range(start, stop):
        actions[k] = most_visited(nodes[indices[k]], lists[indices[k]])
