"""Kernels that do not care which game is played."""

from __future__ import annotations

from patchwork_env.kernels import kernel
from patchwork_env.streams import drawn, stream_of

LEGAL = -1  # what `first_illegal` answers when nothing is wrong


@kernel
def first_illegal(count, indices, masks, actions):
    """Position of the first action that is out of range or illegal, or `LEGAL`."""
    for k in range(count):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[indices[k], action] == 0:
            return k
    return LEGAL


@kernel
def draw_for_games(indices, seed, episodes, purpose, bound, numbers):
    """A number below ``bound`` for each game named, from its stream for that purpose."""
    for k in range(indices.shape[0]):
        i = indices[k]
        numbers[k] = drawn(stream_of(seed, i, episodes[i], purpose), 0, bound)
