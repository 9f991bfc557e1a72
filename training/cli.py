"""The `patchwork` command. Each subcommand is a module that is imported when it is used."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from patchwork_env.version import __version__

# subcommand -> (module with add_arguments and run, what it does)
COMMANDS: dict[str, tuple[str, str]] = {
    "bench": ("patchwork_env.bench", "measure decisions per second on this machine"),
    "editions": ("patchwork_env.commands.editions", "list the editions, or show one"),
    "evaluate": ("training.evaluate", "measure an agent or a checkpoint against a pool of opponents"),
    "export": ("training.export", "write a checkpoint's network as ONNX, for other runtimes"),
    "match": ("training.match", "play two agents against each other on paired deals"),
    "play": ("patchwork_env.commands.play", "play against agents on a page in the browser"),
    "quilt-show": ("training.quilt_match", "play two to four agents of Quilt Show against each other"),
    "replay": ("patchwork_env.commands.replay", "play a recorded game again, and check it"),
    "solo": ("training.solo", "play an agent against the Automa, the solo opponent"),
    "tournament": ("training.tournament", "play every agent against every other and rate them"),
    "train": ("training.train", "train a player by self-play"),
    "watch": ("patchwork_env.commands.watch", "see two agents play each other in the terminal"),
}


def main(words: list[str] | None = None) -> int:
    """Run a subcommand; what a user got wrong is told in one line."""
    words = sys.argv[1:] if words is None else words
    parser = argparse.ArgumentParser(prog="patchwork", description="Patchwork for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"patchwork {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name in words[:1]:  # the others' modules need not be imported
            importlib.import_module(module).add_arguments(subparser)
    arguments = parser.parse_args(words)
    try:
        code: int = importlib.import_module(COMMANDS[arguments.command][0]).run(arguments)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ModuleNotFoundError, ValueError, OSError) as error:
        print(f"patchwork {arguments.command}: {error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
