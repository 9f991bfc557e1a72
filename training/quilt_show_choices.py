"""The choices of Quilt Show: what a learner decides between.

The view lists, for every game, the legal actions of the player to move, less those that no player needs: a card that
lies open twice is listed once, a block is paid as the greedy player would, useless cards are traded in their order,
and a quilt is sewn of the tiles with the most points. What the greedy player would do is always in the list. Whatever
is listed is an action of the environment; decisions with one choice need no network.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.quilt_show.greedy import default_weights, greedy_action, new_scratch
from patchwork_env.agents.quilt_show.ismcts import is_repeated
from patchwork_env.games.quilt_show.cards import QUILT_SIZES
from patchwork_env.games.quilt_show.layout import (
    ADD,
    CHIP,
    FINISH,
    IN_PAY,
    IN_SEW,
    NUM_ACTIONS,
    PROPOSE,
    SWAP_CARD,
    SWAP_TILE,
    TRADE,
)
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import group_word
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.kernels import count_bits, kernel, run_over
from training.quilt_show_features import GREEDY, KIND_OF, NUM_FEATURES, describe_choices, next_of_quilt
from training.quilt_show_situation import SHOWN, SITUATION_SIZE, write_situation

PLACES = 24  # choices that a list has room for; only swaps can have more, and lose tiles of few points

VIEW_VERSION = 1  # goes up when the list or a feature changes


class ChoiceView:
    """The choices of every game of a batch, in arrays that are allocated once.

    `update` brings them up to date; nothing is computed before.
    """

    size = PLACES

    def __init__(self, games: QuiltShowBatch) -> None:
        self.games = games
        count = games.num_games
        self.actions = np.zeros((count, PLACES), np.int64)  # (N, K) the environment's actions
        self.mask = np.zeros((count, PLACES), np.bool_)  # (N, K) which places are taken
        self.counts = np.zeros(count, np.int64)  # (N,) choices of each game
        self.features = np.zeros((count, PLACES, NUM_FEATURES), np.float32)  # (N, K, F)
        self.situations = np.zeros((count, SITUATION_SIZE), np.float32)  # (N, S) as the player to move sees it
        self._weights = default_weights()
        self._scratch = (*new_scratch(count), np.zeros((count, 2 * SHOWN)))
        self._everyone = np.arange(count)

    def update(self, indices: NDArray[np.int64] | None = None) -> None:
        """List the choices of all games, or of those named, as they stand now."""
        chosen = self._everyone if indices is None else indices
        run_over(
            len(chosen),
            self.games.threads,
            list_for_games,
            chosen,
            self.games.tables,
            self.games.state,
            self.games.action_mask,
            self._weights,
            self._scratch,
            (self.actions, self.mask, self.features, self.situations, self.counts),
        )

    def observation(self, indices: NDArray[np.int64] | None = None) -> dict[str, NDArray[np.float32]]:
        """What a network is told of all games, or of those named: copies."""
        chosen = slice(None) if indices is None else indices
        return {"state": self.situations[chosen].copy(), "choices": self.features[chosen].copy()}

    def everyones_situations(self) -> NDArray[np.float32]:
        """(N, players, S) the games as each player sees them, also those who wait for others."""
        games = self.games
        rows = np.zeros((games.num_games, games.num_players, SITUATION_SIZE), np.float32)
        run_over(
            games.num_games,
            games.threads,
            situations_for_games,
            games.tables,
            games.state,
            self._weights,
            self._scratch[0],
            rows,
        )
        return rows


@kernel
def situations_for_games(start, stop, tables, games, weights, words, rows):
    """Every player's situation in each game."""
    for i in range(start, stop):
        for player in range(tables[0]["players"]):
            write_situation(tables[0], games[i], player, weights, words[i], rows[i, player])


@kernel
def list_for_games(start, stop, indices, tables, games, masks, weights, scratch, out):
    """The choices of each game named; ``out`` is (actions, mask, features, situations, counts)."""
    words, numbers, best = scratch
    actions, mask, features, situations, counts = out
    for k in range(start, stop):
        i = indices[k]
        counts[i] = 0
        mask[i, :] = False
        features[i, :, :] = 0.0
        situations[i, :] = 0.0
        if games[i]["done"]:
            continue
        game = games[i]
        greedy = greedy_action(tables[0], game, masks[i], weights, words[i], numbers[i])
        count = list_choices(tables[0], game, masks[i], greedy, actions[i])
        counts[i] = count
        mask[i, :count] = True
        for place in range(count):
            features[i, place, KIND_OF[actions[i, place]]] = 1.0
            features[i, place, GREEDY] = actions[i, place] == greedy
        if count > 1:
            write_situation(tables[0], game, np.int64(game["to_play"]), weights, words[i], situations[i])
            tools = (weights, words[i], numbers[i], best[i])
            describe_choices(tables[0], game, tools, actions[i, :count], features[i])


@kernel
def list_choices(table, game, legal, greedy, actions):
    """Write the actions that are listed; how many. What the greedy player would do comes first."""
    actions[0] = greedy
    count = 1
    phase = game["phase"]
    if phase == IN_PAY or TRADE <= greedy < PROPOSE:
        return count
    if phase == IN_SEW:
        return list_sewing(game, legal, actions, count)
    for action in range(NUM_ACTIONS - 1, -1, -1):
        if not SWAP_TILE <= action < SWAP_CARD and not is_repeated(game, action):
            count = add_choice(legal, action, actions, count)
    # Tiles of a swap, those with most points first.
    for value in range(2, -1, -1):
        for action in range(SWAP_TILE + value, SWAP_CARD, 3):
            count = add_choice(legal, action, actions, count)
    return count


@kernel
def list_sewing(game, legal, actions, count):
    """The next tile of the best quilt of every size, and the ways to finish; all tiles if none of these fits."""
    sewn = np.int64(game["sewing_tiles"])
    fitting = group_word(game["loose"][game["to_play"]], game["sewing_key"]) | sewn
    for size in QUILT_SIZES:
        if size <= count_bits(fitting):
            bit = next_of_quilt(fitting, sewn, size)
            if bit != NONE:
                count = add_choice(legal, ADD + bit, actions, count)
    for action in range(CHIP, FINISH + 1):
        count = add_choice(legal, action, actions, count)
    return count


@kernel
def add_choice(legal, action, actions, count):
    """List an action if it is legal, not the first one, which is there already, and there is room; the new count."""
    if legal[action] and count < PLACES:
        for place in range(count):
            if actions[place] == action:
                return count
        actions[count] = action
        return count + 1
    return count
