"""``patchwork train CONFIG``: self-play PPO from a configuration, in a run directory that can be resumed."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from training.config import Config, config_file, configs_folder, load_config, reference, reference_page

DEFAULT_CONFIG = "quickstart"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Train a player by self-play PPO."
    parser.epilog = "fields of a configuration, each with its default:\n" + reference()
    parser.add_argument("config", nargs="?", help="a name in configs/ or a YAML file (default: quickstart)")
    parser.add_argument("changes", nargs="*", metavar="key=value", help="fields that differ from the file")
    parser.add_argument("--out", type=Path, help="run directory (default: runs/CONFIG, with a number if taken)")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="continue an interrupted run")
    parser.add_argument(
        "--reference", action="store_true", help="write the page of all fields, configs/README.md, and train nothing"
    )


def run(arguments: argparse.Namespace) -> int:
    """Train until the decisions are used up or Ctrl-C."""
    if arguments.reference:
        page = configs_folder() / "README.md"
        page.write_text(reference_page(), encoding="utf-8")
        print(f"wrote {page}")
        return 0
    # Threads that spin while they wait slow everything down as soon as anything else runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from training.run import RunDirectory
    from training.trainer import Trainer

    if arguments.resume is not None:
        if arguments.config is not None or arguments.out is not None:
            raise ValueError("--resume takes its configuration from the run: give neither CONFIG nor --out with it")
        directory, config, state = RunDirectory.resume(arguments.resume)
        trainer = Trainer(config, directory)
        if state:
            trainer.restore(state)
    else:
        name, config = _asked_for(arguments)
        directory = RunDirectory.create(arguments.out or _free_directory(name), config)
        trainer = Trainer(config, directory)
    print(f"training {trainer.game.title} for {config.decisions:,} decisions in {directory.path}")
    finished = trainer.train()
    if not finished:
        print(f"stopped and saved; continue with: patchwork train --resume {directory.path}", file=sys.stderr)
        return 130
    return 0


def _asked_for(arguments: argparse.Namespace) -> tuple[str, Config]:
    """The configuration that the words name, and a name for its runs."""
    words = [word for word in (arguments.config, *arguments.changes) if word is not None]
    name = DEFAULT_CONFIG
    if words and "=" not in words[0]:
        name = words.pop(0)
    path = config_file(name)
    return path.stem, load_config(path, words)


def _free_directory(name: str) -> Path:
    base = Path("runs") / name
    number = 1
    path = base
    while path.exists():
        number += 1
        path = base.with_name(f"{name}-{number}")
    return path
