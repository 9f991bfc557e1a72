"""What ``patchwork replay`` does with a game of Quilt Show."""

from __future__ import annotations

import argparse
import json

from patchwork_env.games.quilt_show.notation import parse_game
from patchwork_env.interfaces.quilt_show_game import QuiltShowView
from patchwork_env.interfaces.quilt_show_replay import replay
from patchwork_env.render.quilt_show_ansi import to_text
from patchwork_env.render.quilt_show_scene import OPEN, scene_of


def run_text(text: str, arguments: argparse.Namespace) -> int:
    """Replay a game; one that the rules do not allow, or that other cards would be drawn in, is an error."""
    if arguments.gif:
        raise ValueError("films are made of Patchwork games only; --boards prints every position of this one")
    source = str(arguments.file)
    record = parse_game(text, source)
    quiet = arguments.check or arguments.json
    for number, game in enumerate(replay(record, source)):
        if arguments.boards and not quiet:
            print(to_text(scene_of(game, OPEN, record.agents)))
        elif not quiet:
            what = str(record.moves[number - 1]) if number else "start"
            print(f"{number:>4}  {what:<70} round {game.round + 1}, {game.markers:>2} markers, money {game.money}")
    if arguments.json:
        outcome = {
            "moves": len(record.moves),
            "done": game.done,
            "truncated": game.truncated,
            "money": game.money,
            "winners": game.winners,
        }
        print(json.dumps(outcome))
    else:
        print(f"{source}: {len(record.moves)} decisions of Quilt Show, all legal; {_outcome(game)}")
    return 0


def _outcome(game: QuiltShowView) -> str:
    if not game.done:
        return f"unfinished, player_{game.to_play} to decide"
    money = " to ".join(map(str, game.money))
    if game.truncated:
        return f"cut off at {money}"
    winners = " and ".join(f"player_{winner}" for winner in game.winners)
    return f"{winners} {'wins' if len(game.winners) == 1 else 'share the win'}, {money} thousand"
