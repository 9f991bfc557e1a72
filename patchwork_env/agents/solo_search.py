"""Monte-Carlo search in the solo game, with the real Automa as the opponent.

The candidates of a decision are tried in simulations: the Automa turns cards drawn anew from those it may still
turn, the player goes on with the quick policy of `patchwork_env.agents.playout`. Simulation ``v`` of every candidate
uses the same draws, so that candidates are compared on the same luck. The next one to try is chosen as in the tree
search, by result so far and prior; the one tried most is played.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.candidates import MAX_CANDIDATES, candidate_scratch, list_candidates
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.playout import quick_choice
from patchwork_env.agents.tree import to_probabilities
from patchwork_env.agents.valuation import WEIGHTS, tuned_weights
from patchwork_env.games.patchwork.automa import AUTOMA, HUMAN
from patchwork_env.games.patchwork.automa_rules import automa_score, play_solo, solo_winner
from patchwork_env.games.patchwork.rules import score
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.solo import SoloBatch
from patchwork_env.kernels import kernel, run_over
from patchwork_env.streams import mixed, stream_of

EXPLORATION = 1.0  # weight of the prior against the results so far
TEMPERATURE = 3.0  # buttons of value by which a prior falls to a third
OUTCOME_SHARE = 0.5  # of winning, against the margin, in a result
MARGIN_SCALE = 15.0  # points of margin that count as much
NOISE = 2.0  # buttons of chance in the values of playouts
TIMED_PIECE = 16  # simulations between two looks at the clock

TRIES = np.dtype(
    [
        ("count", np.int64),
        ("actions", np.int16, (MAX_CANDIDATES,)),
        ("priors", np.float64, (MAX_CANDIDATES,)),
        ("totals", np.float64, (MAX_CANDIDATES,)),  # sums of results
        ("visits", np.int64, (MAX_CANDIDATES,)),
    ],
    align=True,
)


class SoloSearch:
    """Decides in solo games with a number of simulations each, or as many as fit into ``seconds``."""

    def __init__(self, simulations: int, seconds: float | None, seed: np.uint64) -> None:
        self.simulations, self.seconds, self.seed = simulations, seconds, seed

    def act(self, games: SoloBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The step that was tried most in each game."""
        count = len(indices)
        actions = np.empty(count, np.int64)
        work = np.zeros(count, GAME)
        scratch = (
            work,
            work.view(np.int64).reshape(count, -1),
            np.zeros(count, AUTOMA),
            np.zeros(count, TRIES),
            candidate_scratch(count, len(WEIGHTS)),
        )
        states = games.state.view(np.int64).reshape(games.num_games, -1)
        search: Callable[..., None] = search_solo_games if self.seconds is None else self._search_by_the_clock
        run_over(
            count,
            games.threads,
            search,
            *(indices, games.tables, games.automa_tables, games.state, states, games.automas, games.episodes),
            *(border_words(games.edition), tuned_weights(games.edition), scratch, self.seed),
            *(0, self.simulations, actions),
            smallest_part=1,
        )
        return actions

    def _search_by_the_clock(self, start: int, stop: int, *arguments: Any) -> None:
        *before, _, _, actions = arguments
        tries = arguments[9][3]
        search: Callable[..., None] = search_solo_games
        assert self.seconds is not None
        for k in range(start, stop):
            deadline = time.perf_counter() + self.seconds
            done = 0
            while done == 0 or (tries[k]["count"] > 1 and time.perf_counter() < deadline):
                search(k, k + 1, *before, done, TIMED_PIECE, actions)
                done += TIMED_PIECE


@kernel
def search_solo_games(
    start,
    stop,
    indices,
    tables,
    solos,
    games,
    states,
    automas,
    episodes,
    borders,
    weights,
    scratch,
    seed,
    done,
    simulations,
    actions,
):
    """Try the candidates of each game named; ``done`` simulations have been made before."""
    table, solo = tables[0], solos[0]
    work, words, work_automas, all_tries, (mixed_weights, places, place_values) = scratch
    for k in range(start, stop):
        i = indices[k]
        tries = all_tries[k]
        row = (mixed_weights[k], places[k], place_values[k])
        if done == 0:
            list_tries(table, games[i], borders, weights, row, tries)
        if tries["count"] > 1:
            stream = stream_of(seed, i, episodes[i], games[i]["decisions"])
            for _ in range(simulations):
                choice = next_try(tries)
                for word in range(words.shape[1]):
                    words[k, word] = states[i, word]
                copy_automa(automas[i], work_automas[k])
                draw = mixed(stream + np.uint64(tries["visits"][choice] + 1) * np.uint64(0x9E3779B97F4A7C15))
                action = np.int64(tries["actions"][choice])
                value = simulated(table, solo, work[k], work_automas[k], action, borders, weights, row, draw)
                tries["totals"][choice] += value
                tries["visits"][choice] += 1
        actions[k] = tries["actions"][most_tried(tries)]


@kernel
def list_tries(table, game, borders, weights, row, tries):
    """The candidates with their priors, none of them tried yet."""
    mixed_weights, places, place_values = row
    values = tries["priors"]
    count, _ = list_candidates(
        table, game, borders, weights, mixed_weights, places, place_values, tries["actions"], values
    )
    tries["count"] = count
    to_probabilities(values, count, TEMPERATURE, values)
    for k in range(count):
        tries["totals"][k] = 0.0
        tries["visits"][k] = 0


@kernel
def next_try(tries):
    """The candidate with the best result so far and exploration bonus; an untried one counts as average."""
    total = 0.0
    visits = 0
    for k in range(tries["count"]):
        total += tries["totals"][k]
        visits += tries["visits"][k]
    average = total / max(visits, 1)
    root = np.sqrt(visits + 1.0)
    best = 0
    best_value = -np.inf
    for k in range(tries["count"]):
        result = tries["totals"][k] / tries["visits"][k] if tries["visits"][k] > 0 else average
        value = result + EXPLORATION * tries["priors"][k] * root / (1 + tries["visits"][k])
        if value > best_value:
            best_value = value
            best = k
    return best


@kernel
def most_tried(tries):
    """The candidate tried most; of those tried equally often the one with the better results."""
    best = 0
    for k in range(1, tries["count"]):
        more = tries["visits"][k] - tries["visits"][best]
        if more > 0 or (more == 0 and tries["totals"][k] > tries["totals"][best]):
            best = k
    return best


@kernel
def copy_automa(source, target):
    """Make one record like another."""
    target["seen"] = source["seen"]
    target["shuffles"] = source["shuffles"]
    target["turned"] = source["turned"]
    target["card"] = source["card"]
    target["patches"] = source["patches"]


@kernel
def simulated(table, solo, game, automa, action, borders, weights, row, stream):
    """Play a copy of the game to its end; how it went for the player, from -1 to 1."""
    mixed_weights, place, value = row
    play_solo(table, solo, game, automa, action, stream, 0, 0)
    while not game["done"]:
        action = quick_choice(table, game, borders, weights, mixed_weights, place[:1], value[:1], stream, NOISE)
        play_solo(table, solo, game, automa, action, stream, 0, 0)
    margin = score(table, game, HUMAN) - automa_score(table, solo, game, automa)
    won = 1.0 if solo_winner(table, solo, game, automa) == HUMAN else -1.0
    return OUTCOME_SHARE * won + (1.0 - OUTCOME_SHARE) * np.tanh(margin / MARGIN_SCALE)
