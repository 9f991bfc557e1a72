"""Fit what the final margin owes to what the players have.

    python -m training.fit_balance

Games of an agent against itself, with some random moves; for each fifth of the time track a least-squares fit of
the final margin to the differences between the player to move and the other. The weights of
`patchwork_env.agents.balance` come from an earlier fit of this kind with ten differences instead of these seven: those
of buttons, income and time agree with it, those of empty cells, pairs and squares do not.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.packing import border_words, quilt_counts
from patchwork_env.games.patchwork.rules import empty_cells

BATCH_GAMES = 512  # games played together
STAGES = 5
NAMES = ("buttons", "income to come", "spaces left", "empty cells", "pairs", "squares", "bonus points")


def holdings_of(games: PatchworkBatch, index: int, player: int) -> list[int]:
    """What a player has, in the order of `NAMES`."""
    table, game = games.tables[0], games.state[index]
    low, high = (full & ~word for full, word in zip(table["full"], game["quilts"][player], strict=True))
    pairs, squares, *_ = quilt_counts(table, border_words(games.edition), low, high)
    position = int(game["positions"][player])
    return [
        int(game["buttons"][player]),
        int(game["incomes"][player]) * int(table["incomes_after"][position]),
        int(table["last_space"]) - position,
        int(empty_cells(table, game, player)),
        int(pairs),
        int(squares),
        int(table["bonus_points"]) * int(game["bonus_holder"] == player),
    ]


def play_games(arguments: argparse.Namespace) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of the positions met: differences of holdings, the share of the track left to the mover, the final margin."""
    differences, shares, margins = [], [], []
    for first in range(0, arguments.games, BATCH_GAMES):
        count = min(BATCH_GAMES, arguments.games - first)
        games = PatchworkBatch(count, arguments.edition, seed=arguments.seed + first, auto_reset=False)
        games.reset()
        player = make_agent(arguments.player, seed=arguments.seed)
        stray = make_agent("random", seed=arguments.seed + first)
        dice = np.random.default_rng(arguments.seed + first)
        seen: list[tuple[int, int]] = []
        while not games.done.all():
            playing = np.flatnonzero(~games.done)
            for index in playing.tolist():
                mover = int(games.to_play[index])
                own, other = (holdings_of(games, index, seat) for seat in (mover, 1 - mover))
                differences.append(np.subtract(own, other))
                shares.append(own[2] / games.edition.last_space)
                seen.append((index, mover))
            actions = player.act(games, playing)
            strays = dice.random(len(playing)) < arguments.random
            if strays.any():
                actions[strays] = stray.act(games, playing[strays])
            games.step(actions, playing)
        scores = games.scores.astype(np.int64)
        margins += [scores[index, mover] - scores[index, 1 - mover] for index, mover in seen]
    return np.array(differences, np.float64), np.array(shares), np.array(margins, np.float64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--edition", default="revised", help="edition to play (default: %(default)s)")
    parser.add_argument("--player", default="greedy", help="agent whose games are looked at (default: %(default)s)")
    parser.add_argument("--games", type=int, default=3072, help="games to play (default: %(default)s)")
    parser.add_argument("--random", type=float, default=0.04, help="share of random moves (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=9, help="seed of the games (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Play, fit and print."""
    differences, shares, margins = play_games(arguments)
    print(f"{'track left':<12}{'positions':>10}{'explained':>10}" + "".join(f"{name:>16}" for name in NAMES))
    for stage in reversed(range(STAGES)):
        low, high = stage / STAGES, (stage + 1) / STAGES
        chosen = (shares > low) & (shares <= high)
        inputs = np.column_stack([differences[chosen], np.ones(chosen.sum())])
        weights, *_ = np.linalg.lstsq(inputs, margins[chosen], rcond=None)
        explained = 1 - np.square(margins[chosen] - inputs @ weights).mean() / margins[chosen].var()
        figures = "".join(f"{weight:>16.2f}" for weight in weights[:-1])
        print(f"{low:.1f} to {high:.1f}  {chosen.sum():>10}{explained:>10.1%}{figures}")
    return 0


def main(words: list[str] | None = None) -> int:
    """Read the words of a command line and run."""
    parser = argparse.ArgumentParser(prog="python -m training.fit_balance", description=__doc__.splitlines()[0])
    add_arguments(parser)
    return run(parser.parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
