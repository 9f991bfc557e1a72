"""The batch's hidden draws, laid open for the reference game."""

from __future__ import annotations

import numpy as np

from patchwork_env import SoloBatch
from patchwork_env.games.patchwork.automa import new_automas
from patchwork_env.games.patchwork.automa_rules import turn_card
from patchwork_env.games.patchwork.rules import REFILL_DRAW, refill
from patchwork_env.games.patchwork.state import new_games
from patchwork_env.streams import stream_of


def card_order(games: SoloBatch, shuffles: int, index: int = 0) -> list[int]:
    """The order of the whole deck after that many shuffles; the last two cards are those set aside."""
    automa = new_automas(1)[0]
    solo = games.automa_tables.copy()[0]
    solo["set_aside"] = 0
    automa["shuffles"] = shuffles
    turns = range(solo["card_count"])
    return [int(turn_card(solo, automa, games._seed, index, games.episodes[index])) for _ in turns]


def refill_order(games: SoloBatch, index: int = 0) -> list[int]:
    """The order in which the later patches will join the circle."""
    game = new_games(1)[0]
    stream = np.uint64(stream_of(games._seed, index, games.episodes[index], REFILL_DRAW))
    refill(games.tables[0], game, stream)
    return [int(patch) for patch in np.array(game["circle"][: game["circle_size"]])]
