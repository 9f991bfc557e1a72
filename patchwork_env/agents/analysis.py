"""How good a position is: chances to win, found by playing on from it many times.

An agent may have an opinion of its own, as a method ``evaluate(games, index) -> [(action, win probability), ...]``
(of the player to move, for the actions that it considers). For all others `evaluate` here does the same with quick
playouts of both sides.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.candidates import MAX_CANDIDATES, candidate_scratch, list_candidates
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.playout import play_out
from patchwork_env.agents.valuation import tuned_weights
from patchwork_env.games.patchwork.rules import play, score, winner
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.kernels import kernel
from patchwork_env.streams import stream_of

Evaluation = list[tuple[int, float]]
NOISE = 4.0  # buttons of chance in the values of playouts, so that they differ
MARGIN_SCALE = 4.0  # a playout that ends this many points ahead counts as three games won in four
PLAYOUTS = 96  # for each move considered


@runtime_checkable
class Evaluator(Protocol):
    """An agent with an opinion of a position."""

    def evaluate(self, games: PatchworkBatch, index: int) -> Evaluation:
        """Actions with the chance to win that the player to move has with each; the best first."""
        ...


def evaluate(games: PatchworkBatch, index: int, playouts: int = PLAYOUTS, seed: int = 0) -> Evaluation:
    """The candidate moves of a game with the mover's chance to win, best first; empty when the game is over.

    The chance is the mean over ``playouts`` quick games of how sure their outcomes look: a narrow one could have
    gone either way (see `MARGIN_SCALE`).
    """
    if games.state["done"][index]:
        return []
    weights = tuned_weights(games.edition)
    actions = np.zeros(MAX_CANDIDATES, np.int64)
    wins = np.zeros(MAX_CANDIDATES)
    count = try_candidates(
        games.tables,
        games.state,
        index,
        border_words(games.edition),
        weights,
        candidate_scratch(1, len(weights)),
        np.zeros(1, GAME),
        np.uint64(seed),
        playouts,
        actions,
        np.zeros(MAX_CANDIDATES),
        wins,
    )
    chances = [(int(actions[k]), float(wins[k]) / playouts) for k in range(count)]
    return sorted(chances, key=lambda chance: -chance[1])


def win_probabilities(games: PatchworkBatch, playouts: int = PLAYOUTS, seed: int = 0) -> NDArray[np.float64]:
    """(N,) player 0's chance to win each game as it stands; 0 or 1 where it is over."""
    weights = tuned_weights(games.edition)
    wins = np.zeros(games.num_games)
    play_games_out(
        games.tables,
        games.state,
        border_words(games.edition),
        weights,
        candidate_scratch(1, len(weights)),
        np.zeros(1, GAME),
        np.uint64(seed),
        playouts,
        wins,
    )
    return wins / playouts


def opinion(agent: Any, games: PatchworkBatch, index: int) -> tuple[Evaluation, str]:
    """What the agent thinks of its moves, or what playouts say if it does not tell; and which of the two it is."""
    if isinstance(agent, Evaluator):
        return sorted(agent.evaluate(games, index), key=lambda chance: -chance[1]), "agent"
    return evaluate(games, index), "playouts"


@kernel
def try_candidates(tables, games, index, borders, weights, scratch, work, seed, playouts, actions, values, wins):
    """List the candidates of a game and count the playouts that the mover wins after each; how many there are."""
    table = tables[0]
    mixed_weights, places, place_values = scratch
    count, _ = list_candidates(
        table, games[index], borders, weights, mixed_weights[0], places[0], place_values[0], actions, values
    )
    mover = games[index]["to_play"]
    for k in range(count):
        for number in range(playouts):
            work[0] = games[index]
            stream = stream_of(seed, number, 0, 0)  # the same luck for every candidate
            play(table, work[0], actions[k], stream, 0, 0)
            play_out(table, work[0], borders, weights, mixed_weights[0], places[0], place_values[0], stream, NOISE)
            wins[k] += certainty(table, work[0], mover)
    return count


@kernel
def certainty(table, game, player):
    """How surely a player won a finished playout, from 0 to 1."""
    margin = score(table, game, player) - score(table, game, 1 - player)
    return 1.0 / (1.0 + np.exp(-1.1 * margin / MARGIN_SCALE))


@kernel
def play_games_out(tables, games, borders, weights, scratch, work, seed, playouts, wins):
    """Count the playouts that player 0 wins from each game."""
    table = tables[0]
    mixed_weights, places, place_values = scratch
    for i in range(games.shape[0]):
        if games[i]["done"]:
            wins[i] = playouts * (winner(table, games[i]) == 0)
            continue
        for number in range(playouts):
            work[0] = games[i]
            stream = stream_of(seed, number, 0, 0)
            play_out(table, work[0], borders, weights, mixed_weights[0], places[0], place_values[0], stream, NOISE)
            wins[i] += certainty(table, work[0], 0)
