"""``patchwork replay FILE``: play a recorded game again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from patchwork_env.games.patchwork.notation import parse_game
from patchwork_env.interfaces.game import GameView
from patchwork_env.interfaces.replay import check_result, replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("file", type=Path, help="a game in the notation")
    parser.add_argument("--check", action="store_true", help="only check the moves and the result against the rules")
    parser.add_argument("--json", action="store_true", help="print the outcome for a script")


def run(arguments: argparse.Namespace) -> int:
    """Replay the file; a game that the rules do not allow is an error that names the line."""
    source = str(arguments.file)
    record = parse_game(arguments.file.read_text(encoding="utf-8"), source)
    quiet = arguments.check or arguments.json
    for number, game in enumerate(replay(record, source)):
        if not quiet:
            print(_line(number, game, str(record.moves[number - 1]) if number else "start"))
    check_result(record, game, source)
    if arguments.json:
        outcome = {"moves": len(record.moves), "done": game.done, "scores": game.scores, "winner": game.winner}
        print(json.dumps(outcome))
    else:
        print(f"{source}: {len(record.moves)} moves of {record.edition.name}, all legal; {_outcome(game)}")
    return 0


def _line(number: int, game: GameView, what: str) -> str:
    return (
        f"{number:>3}  {what:<48} spaces {game.positions[0]:>2} {game.positions[1]:>2}   "
        f"{game.edition.currency[1]} {game.buttons[0]:>2} {game.buttons[1]:>2}   "
        f"scores {game.scores[0]:>4} {game.scores[1]:>4}"
    )


def _outcome(game: GameView) -> str:
    if not game.done:
        return f"unfinished, player_{game.to_play} to play"
    return f"player_{game.winner} wins, {game.scores[0]} to {game.scores[1]}"
