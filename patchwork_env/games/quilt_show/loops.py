"""The rules over many games: the kernels that a batch calls.

Each works on positions ``start`` to ``stop`` of ``indices``, the numbers of the games concerned, so that
`patchwork_env.kernels.run_over` can share them out between threads.
"""

from __future__ import annotations

from patchwork_env.games.quilt_show.checks import is_consistent
from patchwork_env.games.quilt_show.masks import write_mask
from patchwork_env.games.quilt_show.observation import write_observation, write_tensor
from patchwork_env.games.quilt_show.reward import begin_rewards, finish_rewards
from patchwork_env.games.quilt_show.rules import GAME_DRAW, play, set_up
from patchwork_env.kernels import kernel
from patchwork_env.streams import stream_of


@kernel
def row_of(rows, i):
    """The arrays of game ``i``."""
    tiles, quilts, hand, face_up, chips, prizes, swap_tiles, swap_cards, scalars = rows
    return (
        tiles[i],
        quilts[i],
        hand[i],
        face_up[i],
        chips[i],
        prizes[i],
        swap_tiles[i],
        swap_cards[i],
        scalars[i],
    )


@kernel
def reset_games(start, stop, indices, tables, games, masks, seed, episodes, first_players):
    """Start the next episode of each game named; an episode counter of -1 means that none has been played."""
    for k in range(start, stop):
        i = indices[k]
        episodes[i] += 1
        set_up(tables[0], games[i], stream_of(seed, i, episodes[i], GAME_DRAW), first_players[k])
        write_mask(tables[0], games[i], masks[i])


@kernel
def step_games(
    start, stop, indices, tables, games, masks, actions, seed, episodes, rule, results, watched, viewers, rows
):
    """Carry out checked actions.

    ``rule`` is (reward code, auto-reset?, first player of the next episode), ``results`` is (rewards, done,
    truncated, final money). Where ``watched`` the new states are observed too, while they are at hand.
    """
    table = tables[0]
    code, auto_reset, first_player = rule
    rewards, done, truncated, final_money = results
    for k in range(start, stop):
        i = indices[k]
        game = games[i]
        begin_rewards(table, game, code, rewards[i])
        play(table, game, actions[k], stream_of(seed, i, episodes[i], GAME_DRAW))
        finish_rewards(table, game, code, rewards[i])
        done[i] = game["done"]
        truncated[i] = game["truncated"]
        if game["done"]:
            for player in range(table["players"]):
                final_money[i, player] = game["money"][player]
            if auto_reset:
                episodes[i] += 1
                set_up(table, game, stream_of(seed, i, episodes[i], GAME_DRAW), first_player)
        write_mask(table, game, masks[i])
        if watched:
            write_observation(table, game, viewers[i], row_of(rows, i))


@kernel
def observe_games(start, stop, tables, games, viewers, rows):
    """Structured observations."""
    for i in range(start, stop):
        write_observation(tables[0], games[i], viewers[i], row_of(rows, i))


@kernel
def tensors_of(start, stop, rows, scales, tensors):
    """Flat tensors from structured observations."""
    for i in range(start, stop):
        write_tensor(row_of(rows, i), scales, tensors[i])


@kernel
def accept_game(tables, games, index, masks):
    """Whether a record that was put there from outside can be played; if so its mask is current."""
    if not is_consistent(tables[0], games[index]):
        return False
    write_mask(tables[0], games[index], masks[index])
    if games[index]["done"]:
        return True
    for action in range(masks.shape[1]):
        if masks[index, action]:
            return True
    return False


@kernel
def mask_games(start, stop, indices, tables, games, masks):
    """Masks of games whose state was put there from outside."""
    for k in range(start, stop):
        write_mask(tables[0], games[indices[k]], masks[indices[k]])
