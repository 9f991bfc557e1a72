"""Monte-Carlo tree search over purchases and placements, guided by the greedy player's value.

``mcts:400`` makes 400 simulations a decision, ``mcts:200ms`` as many as fit into 200 milliseconds. A decision with
one legal action costs nothing. `patchwork_env.agents.tree` has the search itself; in the solo game, where the
opponent's choices are known but for its cards, `patchwork_env.agents.solo_search` is used.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.candidates import MAX_CANDIDATES, candidate_scratch
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.position import position_network, position_scratch
from patchwork_env.agents.prior import prior_network, prior_scratch
from patchwork_env.agents.solo_search import SoloSearch
from patchwork_env.agents.tree import MAX_DEPTH, NONE, ROOT, SETTINGS, new_trees, plant, simulate
from patchwork_env.agents.valuation import WEIGHTS, tuned_weights
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch, checked_seed
from patchwork_env.interfaces.solo import SoloBatch
from patchwork_env.kernels import kernel, run_over
from patchwork_env.streams import mixed, stream_of

MAX_SIMULATIONS = 1_000_000
SIMULATIONS_PER_MILLISECOND = 60  # more than a core can do
TIMED_PIECE = 16  # simulations between two looks at the clock
_WORDS = GAME.itemsize // 8


@dataclass(frozen=True)
class Findings:
    """What searches have found out about the decisions of some games: of each the most visited steps, best first."""

    actions: NDArray[np.int64]  # (n, m) steps; -1 where there are fewer
    visits: NDArray[np.int64]  # (n, m) simulations of each
    results: NDArray[np.float64]  # (n, m) their mean result for the player to move, -1 to 1
    values: NDArray[np.float64]  # (n,) the mean over all simulations


class TreeAgent:
    """Searches each game with a tree of its own, which it keeps for that game's next decision.

    A decision has so many ``simulations``, or as many of them as fit into ``seconds``.
    """

    def __init__(
        self, simulations: int, seconds: float | None, settings: NDArray[np.float64], seed: int | None
    ) -> None:
        self.simulations, self.seconds, self.settings = simulations, seconds, settings
        self._edition: Edition | None = None
        self._trees: tuple[NDArray[Any], ...] = ()
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on, and forget what was found so far."""
        self._seed = checked_seed(seed)
        self._edition = None

    def _make_room(self, games: PatchworkBatch) -> None:
        """Trees for the games of this batch; those of an earlier batch are kept where they may be of use."""
        if self._edition != games.edition or len(self._trees[0]) != games.num_games:
            self._make_trees(games)
            self._edition = games.edition

    def _make_trees(self, games: PatchworkBatch) -> None:
        """Empty trees for the games of this batch, and all that is worked in."""
        raise NotImplementedError

    def findings(self, indices: NDArray[np.int64], most: int = 8) -> Findings:
        """Of games that `act` has just searched, because they had a choice: up to ``most`` steps of each."""
        count = len(indices)
        _, nodes, lists = self._trees
        actions = np.full((count, most), NONE, np.int64)
        visits, results, values = np.zeros((count, most), np.int64), np.zeros((count, most)), np.zeros(count)
        read_roots(indices, nodes, lists, actions, visits, results, values)
        return Findings(actions, visits, results, values)


class MctsAgent(TreeAgent):
    """Guesses results by playing on, and by judging positions.

    ``budget`` is a number of simulations a decision (400) or a time ("200ms", "1.5s"). With a number of simulations
    the play depends on the seed and the games only. ``settings`` overrides entries of `tree.SETTINGS`.
    """

    def __init__(self, budget: int | str = 400, seed: int | None = None, **settings: float) -> None:
        super().__init__(*read_budget(budget), read_settings(settings), seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The step that was visited most in each game."""
        if isinstance(games, SoloBatch):
            return SoloSearch(self.simulations, self.seconds, self._seed).act(games, indices)
        self._make_room(games)
        actions = np.empty(len(indices), np.int64)
        search: Callable[..., None] = search_games if self.seconds is None else self._search_by_the_clock
        run_over(
            len(indices),
            games.threads,
            search,
            *(indices, games.tables, games.state, games.action_mask, games.episodes),
            *(
                border_words(games.edition),
                tuned_weights(games.edition),
                (position_network(games.edition), prior_network(games.edition)),
                self.settings,
            ),
            *(self._trees, self._scratch, self._seed, 0, self.simulations, actions),
            smallest_part=1,
        )
        return actions

    def _make_trees(self, games: PatchworkBatch) -> None:
        count = games.num_games
        nodes = 2 * self.simulations + 64
        self._trees = new_trees(count, nodes, self.simulations + 64)
        work = np.zeros(count, GAME)
        self._scratch = (
            work,
            work.view(np.int64).reshape(count, _WORDS),
            candidate_scratch(count, len(WEIGHTS)),
            np.empty((count, MAX_CANDIDATES)),
            np.empty((count, max(MAX_DEPTH, nodes)), np.int32),
            position_scratch(count),
            prior_scratch(count, len(WEIGHTS)),
        )

    def _search_by_the_clock(self, start: int, stop: int, *arguments: Any) -> None:
        indices, masks, actions = arguments[0], arguments[3], arguments[-1]
        search: Callable[..., None] = search_games
        before = arguments[:-3]  # all but the simulations done and to do, and the actions
        assert self.seconds is not None
        for k in range(start, stop):
            deadline = time.perf_counter() + self.seconds
            done = 0
            while done == 0 or (done < self.simulations and time.perf_counter() < deadline):
                search(k, k + 1, *before, done, TIMED_PIECE, actions)
                done = done + TIMED_PIECE if masks[indices[k]].sum() > 1 else self.simulations


def read_budget(budget: int | str, per_millisecond: int = SIMULATIONS_PER_MILLISECOND) -> tuple[int, float | None]:
    """The most simulations a decision, and the seconds it may take; None if only the former counts.

    ``per_millisecond`` is more than can be done, and sets how large the tree of a timed search may grow.
    """
    if isinstance(budget, int) and not isinstance(budget, bool) and 1 <= budget <= MAX_SIMULATIONS:
        return budget, None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", budget) if isinstance(budget, str) else None
    if found is None or not float(found[1]):
        raise ValueError(
            f"the budget must be a number of simulations (1 to {MAX_SIMULATIONS}) or a time such as 200ms or 1.5s, "
            f"got {budget!r}"
        )
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
    return min(int(seconds * 1000 * per_millisecond) + TIMED_PIECE, MAX_SIMULATIONS), seconds


def read_settings(given: dict[str, Any], known: dict[str, tuple[float, str]] = SETTINGS) -> NDArray[np.float64]:
    """The numbers that steer the search, in the order of ``known``."""
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"unknown setting {name!r}; known are seed, {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number, got {value!r}")
    return np.array([float(given.get(name, default)) for name, (default, _) in known.items()])


@kernel
def search_games(
    start,
    stop,
    indices,
    tables,
    games,
    masks,
    episodes,
    borders,
    weights,
    networks,
    settings,
    trees,
    scratch,
    seed,
    done,
    simulations,
    actions,
):
    """Search each game named; ``done`` simulations of this decision were made before."""
    table = tables[0]
    heads, nodes, lists = trees
    work, words, listing, values, path, judging, prior_scratch = scratch
    mixed_weights, places, place_values = listing
    counts, inputs, first, second, answer = judging
    rows = (counts[start], inputs[start], first[start], second[start], answer[start])
    row = (mixed_weights[start], places[start], place_values[start], values[start], rows, prior_scratch, start)
    for k in range(start, stop):
        i = indices[k]
        only = single_action(masks[i])
        if only != NONE:
            actions[k] = only
            continue
        stream = stream_of(seed, i, episodes[i], games[i]["decisions"])
        work[start] = games[i]
        plant(table, heads[i], nodes[i], lists[i], work[start], words[start], path[start])
        for number in range(done, done + simulations):
            work[start] = games[i]
            simulate(
                table,
                heads[i],
                nodes[i],
                lists[i],
                work[start],
                words[start],
                borders,
                weights,
                networks,
                settings,
                row,
                path[start],
                mixed(stream + np.uint64(number)),
            )
        actions[k] = most_visited(nodes[i], lists[i])


@kernel
def read_roots(indices, nodes, lists, actions, visits, results, values):
    """Write what is known of the roots of the trees named; see `Findings`."""
    for n in range(indices.shape[0]):
        tree = nodes[indices[n]]
        root = tree[ROOT]
        sign = 1.0 if root["to_play"] == 0 else -1.0
        values[n] = sign * root["total"] / max(root["visits"], 1)
        choices = lists[indices[n], root["choices"]]
        for k in range(choices["count"]):
            child = choices["children"][k]
            if child == NONE or tree[child]["visits"] <= visits[n, -1]:
                continue
            place = visits.shape[1] - 1
            while place > 0 and visits[n, place - 1] < tree[child]["visits"]:
                actions[n, place] = actions[n, place - 1]
                visits[n, place] = visits[n, place - 1]
                results[n, place] = results[n, place - 1]
                place -= 1
            actions[n, place] = choices["actions"][k]
            visits[n, place] = tree[child]["visits"]
            results[n, place] = sign * tree[child]["total"] / tree[child]["visits"]


@kernel
def single_action(mask):
    """The only legal action, or -1 if there are more."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    if count != 1:
        return NONE
    for action in range(mask.shape[0]):
        if mask[action]:
            return action
    return NONE


@kernel
def most_visited(nodes, lists):
    """The root's candidate with the most visits; of those with equally many the likeliest."""
    choices = lists[nodes[ROOT]["choices"]]
    best = 0
    most = -1
    for k in range(choices["count"]):
        child = choices["children"][k]
        visits = nodes[child]["visits"] if child != NONE else 0
        if visits > most or (visits == most and choices["priors"][k] > choices["priors"][best]):
            most = visits
            best = k
    return np.int64(choices["actions"][best])
