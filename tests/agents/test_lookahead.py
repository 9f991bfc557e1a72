"""Alpha-beta against plain minimax, and the packing of several patches together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.balance import balance
from patchwork_env.agents.candidates import list_candidates
from patchwork_env.agents.lookahead import BEAM, PACKING, best_cell, find_line, keep_packing, lookahead_scratch
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.valuation import tuned_weights
from patchwork_env.games.patchwork.rules import play, special_pending

STREAM = np.uint64(5)


def plain_minimax(games: PatchworkBatch, game: Any, lists: Any, depth: int) -> float:
    """The value of a position for player 0, by trying everything."""
    table, borders, weights = games.tables[0], border_words(games.edition), tuned_weights(games.edition)
    if game["done"] or depth == 0:
        return float(balance(table, game, borders))
    mixed_weights, places, place_values, listed, values = lists
    _, leaders = list_candidates(table, game, borders, weights, mixed_weights, places, place_values, listed, values)
    found = []
    for action in listed[:leaders].tolist():
        after = np.array([game.copy()])
        play(table, after[0], np.int64(action), STREAM, 0, 0)
        while not after[0]["done"] and special_pending(after[0]):
            play(table, after[0], best_cell(table, after[0], borders, weights, lists), STREAM, 0, 0)
        found.append(plain_minimax(games, after[0], lists, depth - 1))
    return max(found) if game["to_play"] == 0 else min(found)


@pytest.mark.parametrize("edition", ["revised", "stack_n_stuff"])
def test_alpha_beta_finds_the_minimax_value(edition: str) -> None:
    games = PatchworkBatch(8, edition, seed=6, auto_reset=False)
    games.reset()
    mover = make_agent("greedy")
    borders, weights = border_words(games.edition), tuned_weights(games.edition)
    depth = 3
    stack, levels, _, (mixed_weights, places, place_values), listed, values = lookahead_scratch(1, depth, len(weights))
    lists = (mixed_weights[0], places[0], place_values[0], listed[0], values[0])
    checked = 0
    for _ in range(40):
        playing = np.flatnonzero(~games.done)
        if not playing.size:
            break
        game = games.state[playing[0]]
        if not special_pending(game):
            stack[0, 0] = game
            find_line(games.tables[0], stack[0], levels[0], borders, weights, lists, depth, STREAM)
            assert np.isclose(levels[0, 0]["best"], plain_minimax(games, game, lists, depth))
            checked += 1
        games.step(mover.act(games, playing), playing)
    assert checked > 15


def test_a_beam_keeps_the_best_packings_once() -> None:
    packings = np.zeros(BEAM, PACKING)
    dice = np.random.default_rng(1)
    numbers = dice.permutation(40)
    count = 0
    for number in [*numbers, *numbers]:  # the second time all are known already or too poor
        count = keep_packing(packings, count, np.int64(number), np.int64(0), np.int64(number), float(number))
    assert count == BEAM
    assert packings["low"].tolist() == list(range(39, 39 - BEAM, -1))


def test_looking_further_plays_better() -> None:
    """A player that sees three decisions ahead beats the greedy player clearly: 48 games, both seats."""
    won = 0
    for seat in range(2):
        games = PatchworkBatch(24, "revised", seed=4, auto_reset=False)
        games.reset()
        agents = [make_agent("lookahead:3", seed=1), make_agent("greedy")]
        while not games.done.all():
            for which, agent in enumerate(agents):
                own = np.flatnonzero(~games.done & (games.to_play == (which ^ seat)))
                if own.size:
                    games.step(agent.act(games, own), own)
        won += int((games.scores[:, seat] > games.scores[:, 1 - seat]).sum())
    assert won >= 34
