"""``patchwork replay FILE``: play a recorded game again, step by step, as a list of moves, or into a film."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from patchwork_env.games.patchwork.notation import GameRecord, parse_game
from patchwork_env.interfaces.game import GameView
from patchwork_env.interfaces.replay import check_result, replay
from patchwork_env.render.ansi import to_text
from patchwork_env.render.history import follow
from patchwork_env.render.scene import PLAYER_NAMES, make_scene

CLEAR = "\x1b[2J\x1b[H"
# heading of a file -> module whose `run_text` replays it; all other files are Patchwork's
OTHER_GAMES = {"quilt show game, notation 1": "patchwork_env.commands.quilt_show_replay"}
PROMPT = "Enter: next, b: back, a number: go there, q: quit > "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("file", type=Path, help="a game in the notation")
    parser.add_argument("--check", action="store_true", help="only check the moves and the result against the rules")
    parser.add_argument("--json", action="store_true", help="print the outcome for a script")
    parser.add_argument("--list", action="store_true", help="one line a move (the default where nobody can answer)")
    parser.add_argument("--boards", action="store_true", help="print the board after every move")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write the game as an animated GIF")
    parser.add_argument("--fps", type=float, default=2, help="positions a second in the film (default: 2)")
    parser.add_argument("--width", type=int, default=None, help="width of the film in pixels (default: 1120)")


def run(arguments: argparse.Namespace) -> int:
    """Replay the file; a game that the rules do not allow is an error that names the line."""
    source = str(arguments.file)
    text = arguments.file.read_text(encoding="utf-8")
    heading = text.partition("\n")[0].strip()
    if heading in OTHER_GAMES:
        code: int = importlib.import_module(OTHER_GAMES[heading]).run_text(text, arguments)
        return code
    record = parse_game(text, source)
    asked = arguments.check or arguments.json or arguments.list or arguments.boards or arguments.gif
    if not asked and sys.stdin.isatty() and sys.stdout.isatty():
        return _step_through(record, source)
    quiet = arguments.check or arguments.json or arguments.gif or arguments.boards
    for number, game in enumerate(replay(record, source)):
        if not quiet:
            print(_line(number, game, str(record.moves[number - 1]) if number else "start"))
    check_result(record, game, source)
    if arguments.boards:
        for board in _boards(record, source):
            print(board)
    if arguments.gif:
        from patchwork_env.render.film import film_of

        film_of(record, arguments.fps, arguments.width).save(arguments.gif)
    if arguments.json:
        outcome = {"moves": len(record.moves), "done": game.done, "scores": game.scores, "winner": game.winner}
        print(json.dumps(outcome))
    else:
        print(f"{source}: {len(record.moves)} moves of {record.edition.name}, all legal; {_outcome(game)}")
    return 0


def _step_through(record: GameRecord, source: str) -> int:
    """Show position after position, as the user asks for them."""
    boards = _boards(record, source)
    number = 0
    while True:
        print(f"{CLEAR}{boards[number]}\nposition {number} of {len(record.moves)}")
        try:
            answer = input(PROMPT).strip().lower()
        except EOFError:
            return 0
        if answer == "q":
            return 0
        number += {"": 1, "b": -1}.get(answer, 0)
        if answer.isdigit():
            number = int(answer)
        number = max(0, min(len(record.moves), number))


def _boards(record: GameRecord, source: str) -> list[str]:
    names = record.players or PLAYER_NAMES
    return [to_text(make_scene(game, history, names)) for game, history in follow(record, source)]


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
