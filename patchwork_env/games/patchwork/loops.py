"""The rules over many games: the kernels that a batch calls.

Each works on positions ``start`` to ``stop`` of ``indices``, the numbers of the games concerned, so that
`patchwork_env.kernels.run_over` can share them out between threads.
"""

from __future__ import annotations

from patchwork_env.games.patchwork.observation import write_observation, write_tensor
from patchwork_env.games.patchwork.reward import is_shaped, potential, write_rewards
from patchwork_env.games.patchwork.rules import (
    SETUP_DRAW,
    deal,
    is_consistent,
    play,
    score,
    set_up,
    write_mask,
)
from patchwork_env.kernels import kernel
from patchwork_env.streams import drawn, stream_of

RANDOM_FIRST = 2  # as a first player: drawn from the game's stream


@kernel
def start_game(table, game, seed, index, episode, first_player):
    """Set up and deal the game of that episode."""
    stream = stream_of(seed, index, episode, SETUP_DRAW)
    deal(table, game, stream)
    if first_player == RANDOM_FIRST:
        first_player = drawn(stream, game["circle"].shape[0], 2)
    set_up(table, game, first_player)


@kernel
def reset_games(start, stop, indices, tables, games, masks, seed, episodes, first_players):
    """Start the next episode of each game named; an episode counter of -1 means that none has been played."""
    for k in range(start, stop):
        i = indices[k]
        episodes[i] += 1
        start_game(tables[0], games[i], seed, i, episodes[i], first_players[k])
        write_mask(tables[0], games[i], masks[i])


@kernel
def step_games(
    start, stop, indices, tables, games, masks, actions, seed, episodes, rule, results, watched, viewers, rows
):
    """Carry out checked actions.

    ``rule`` is (reward code, auto-reset?, first player of the next episode), ``results`` is (rewards, done,
    final scores). Where ``watched`` the new states are observed too (see `observe_games`), while they are at hand.
    """
    table = tables[0]
    code, auto_reset, first_player = rule
    rewards, done, final_scores = results
    quilts, patches, circle, scalars = rows
    for k in range(start, stop):
        i = indices[k]
        game = games[i]
        before = potential(table, game) if is_shaped(code) else 0.0
        play(table, game, actions[k], seed, i, episodes[i])
        write_rewards(table, game, code, before, rewards[i])
        done[i] = game["done"]
        if game["done"]:
            final_scores[i, 0] = score(table, game, 0)
            final_scores[i, 1] = score(table, game, 1)
            if auto_reset:
                episodes[i] += 1
                start_game(table, game, seed, i, episodes[i], first_player)
        write_mask(table, game, masks[i])
        if watched:
            write_observation(table, game, viewers[i], quilts[i], patches[i], circle[i], scalars[i])


@kernel
def observe_games(start, stop, tables, games, viewers, rows):
    """Structured observations; ``rows`` is (quilts, patches, circle, scalars)."""
    quilts, patches, circle, scalars = rows
    for i in range(start, stop):
        write_observation(tables[0], games[i], viewers[i], quilts[i], patches[i], circle[i], scalars[i])


@kernel
def tensors_of(start, stop, rows, scales, tensors):
    """Flat tensors from structured observations."""
    quilts, patches, circle, scalars = rows
    for i in range(start, stop):
        write_tensor(quilts[i], patches[i], circle[i], scalars[i], scales, tensors[i])


@kernel
def accept_game(tables, games, index, masks):
    """Whether a record that was put there from outside can be played; if so its mask is current."""
    if not is_consistent(tables[0], games[index]):
        return False
    write_mask(tables[0], games[index], masks[index])
    return True


@kernel
def mask_games(start, stop, indices, tables, games, masks):
    """Masks of games whose state was put there from outside."""
    for k in range(start, stop):
        write_mask(tables[0], games[indices[k]], masks[indices[k]])


@kernel
def score_games(start, stop, tables, games, scores):
    """Both players' scores as they stand."""
    for i in range(start, stop):
        scores[i, 0] = score(tables[0], games[i], 0)
        scores[i, 1] = score(tables[0], games[i], 1)
