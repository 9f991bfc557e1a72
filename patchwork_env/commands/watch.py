"""``patchwork watch A B``: see two agents play each other in the terminal."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from patchwork_env.agents.base import make_agent
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.interfaces.batch import FIRST_PLAYERS, PatchworkBatch
from patchwork_env.interfaces.replay import Recorder
from patchwork_env.render.ansi import to_text
from patchwork_env.render.history import History
from patchwork_env.render.scene import describe_move, make_scene

CLEAR = "\x1b[2J\x1b[H"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs=2, metavar="AGENT", help="who plays, such as greedy or mcts:400")
    parser.add_argument("--edition", default="revised", help="a published edition or a file (default: revised)")
    parser.add_argument("--seed", type=int, default=None, help="of the game and of agents that draw at random")
    parser.add_argument("--first", default="player_0", choices=list(FIRST_PLAYERS), help="who begins")
    parser.add_argument("--delay", type=float, default=0.7, help="seconds between moves (default: 0.7)")
    parser.add_argument("--lines", action="store_true", help="one line a move instead of the board")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the game in notation")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write the game as an animated GIF")


def run(arguments: argparse.Namespace) -> int:
    """Play one game and show it. The board is redrawn in place on a terminal; elsewhere moves are lines."""
    if not 0 <= arguments.delay <= 60:
        raise ValueError(f"--delay must be between 0 and 60 seconds, got {arguments.delay}")
    record = _play(arguments)
    if arguments.save:
        arguments.save.write_text(str(record), encoding="utf-8")
        print(f"written to {arguments.save}")
    if arguments.gif:
        from patchwork_env.render.film import film_of

        film_of(record).save(arguments.gif)
        print(f"filmed in {arguments.gif}")
    return 0


def _play(arguments: argparse.Namespace) -> GameRecord:
    names = (arguments.agents[0], arguments.agents[1])
    games = PatchworkBatch(1, arguments.edition, arguments.seed, threads=1, auto_reset=False)
    seed = arguments.seed
    agents = [make_agent(name, None if seed is None else seed + number) for number, name in enumerate(names)]
    games.reset(first_players=arguments.first)
    game, history, recorder = games.game(0), History(), Recorder(games)
    live = sys.stdout.isatty() and not arguments.lines
    if live:
        print(CLEAR + to_text(make_scene(game, history, names)), flush=True)
    while not game.done:
        began = time.perf_counter()
        action = int(agents[game.to_play].act(games, np.zeros(1, np.int64))[0])
        history.announce(game, action)
        games.step(np.array([action]))
        history.settle(game)
        recorder.note(action, game.scores if game.done else None)
        if live:
            time.sleep(max(0.0, arguments.delay - (time.perf_counter() - began)))
            print(CLEAR + to_text(make_scene(game, history, names)), flush=True)
        else:
            move = history.moves[-1]
            spaces = f"{game.positions[0]:>2} {game.positions[1]:>2}"
            print(f"{move.number + 1:>3}  {describe_move(game.edition, move, names):<72} spaces {spaces}", flush=True)
    if not live:
        print(to_text(make_scene(game, history, names)), end="")
    return recorder.record(seed, names)
