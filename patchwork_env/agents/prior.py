"""What a strong player is likely to do: a small network's opinion of the four kinds of move.

The network sees the position as `patchwork_env.agents.position` tells it, and what each kind of move leads to as
`patchwork_env.agents.situation` does. Its answers are added to the greedy player's values of the moves. It has learnt
them from the decisions of a tree search; ``training/fit_search.py`` trains it and writes the files in ``priors/``. In
an edition that has no file the greedy player's values stand alone.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.outline import KINDS
from patchwork_env.agents.position import FEATURES, layer, network_of, write_features
from patchwork_env.agents.replies import REPLY_SIZE
from patchwork_env.agents.situation import MOVE_SIZE, count_all_ways, describe_moves, situation_scratch
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.kernels import kernel

HIDDEN = 48  # of the position
JOINED = 32  # of the position and a move together
BUTTONS_PER_UNIT = 8.0  # buttons of the greedy value that count as much as 1 in the network's answers
PARAMETERS = (FEATURES + 1) * HIDDEN + (HIDDEN + 1) * JOINED + (MOVE_SIZE + 1) * JOINED + JOINED + 1
PRIORS_FOLDER = Path(__file__).parent / "priors"


@functools.lru_cache(maxsize=64)
def prior_network(edition: Edition) -> NDArray[np.float32]:
    """The network for an edition, read-only: its `PARAMETERS` numbers, or none at all if it has no network."""
    return network_of(edition, PRIORS_FOLDER, PARAMETERS)


def prior_scratch(count: int, weights: int) -> tuple[Any, ...]:
    """What `add_opinion` works in, once for each of ``count`` callers; ``weights`` are the greedy player's."""
    sizes = (FEATURES, HIDDEN, JOINED, JOINED, 1)
    return (
        situation_scratch(count, weights),
        np.zeros((count, KINDS, MOVE_SIZE), np.float32),
        np.zeros((0, KINDS, REPLY_SIZE), np.float32),  # the network is not told of answers
        tuple(np.zeros((count, size), np.float32) for size in sizes),
    )


@kernel
def add_opinion(table, game, borders, weights, network, scratch, row, actions, count, values):
    """Add to the greedy values of the first ``count`` actions, none of a special patch, what the network thinks.

    ``scratch`` is that of `prior_scratch`, of which ``row`` is used.
    """
    (mixed_weights, counts, ways, outlines, step), moves, replies, (features, hidden, joined, move, answer) = scratch
    work = (mixed_weights[row], counts[row], ways[row], outlines[row], step[row])
    write_features(table, game, borders, counts[row], features[row])
    count_all_ways(table, game, ways[row])
    describe_moves(table, game, borders, weights, work, moves[row], replies)
    start = layer(network, 0, features[row], hidden[row])
    for j in range(HIDDEN):
        hidden[row, j] = max(hidden[row, j], np.float32(0.0))
    start = layer(network, start, hidden[row], joined[row])
    per_slot = MAX_ORIENTATIONS * table["cells"]
    for kind in range(KINDS):
        last = layer(network, start, moves[row, kind], move[row])
        for j in range(JOINED):
            move[row, j] = max(move[row, j] + joined[row, j], np.float32(0.0))
        layer(network, last, move[row], answer[row])
        opinion = BUTTONS_PER_UNIT * answer[row, 0]
        for k in range(count):
            slot = (np.int64(actions[k]) - FIRST_SPECIAL - table["cells"]) // per_slot
            if kind == (0 if actions[k] == ADVANCE else 1 + slot):
                values[k] += opinion
