"""``python -m training.compare_policies --minutes 3``: the networks that were tried, trained alike and measured.

Every variant has the same minutes of training and the same seed. A short trial tells how many decisions it takes in
during that time; then it trains on so many, with the learning rate falling to its end, and plays the opponents on
paired deals. Run again, it goes on where it was left.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from functools import partial
from pathlib import Path

from training.config import Config, config_file, load_config
from training.experiments import Experiment, Outcome, run_command, trained
from training.throughput import make_learner

CONFIG = "quickstart"
OPPONENTS = ("random", "greedy")
TRIAL_SHARE = 0.1  # of the minutes, spent on measuring the speed before
VARIANTS: dict[str, tuple[str, ...]] = {
    "candidates, 1 placement": ("network=candidates", "placements=1"),
    "candidates, 8 placements": ("network=candidates", "placements=8"),
    "candidates, all placements": ("network=candidates", "placements=448", "games=128", "steps=32"),
    "attention over the circle": ("network=attention", "placements=1"),
    "flat": ("network=flat",),
    "convolution": ("network=convolution", "hidden=32"),
}


def main(words: list[str] | None = None) -> int:
    """Train and measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m training.compare_policies", description=__doc__.partition("\n")[0])
    parser.add_argument("changes", nargs="*", metavar="key=value", help=f"fields that differ from {CONFIG}, in all")
    parser.add_argument("--minutes", type=float, default=3.0, help="of training for each (default %(default)s)")
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), default=list(VARIANTS), help="some of them")
    parser.add_argument("--out", type=Path, default=Path("runs/compare_policies"), help="folder (default %(default)s)")
    arguments = parser.parse_args(words)
    return run_command(
        arguments.out, lambda: measure(arguments.out, arguments.changes, 60 * arguments.minutes, arguments.only)
    )


def measure(folder: Path, changes: list[str], seconds: float, names: list[str]) -> list[Outcome]:
    """The outcomes of the variants named; runs what the folder does not have yet."""
    fixed = [*changes, "evaluate_every=0", f"baselines=[{', '.join(OPPONENTS)}]"]
    config = load_config(config_file(CONFIG), fixed)
    command = " ".join(["python -m training.compare_policies", f"--minutes {seconds / 60:g}", *changes])
    experiment = Experiment(folder, command, config)
    runs = {name: partial(_train_for, seconds, name, own, [*fixed, *own]) for name, own in VARIANTS.items()}
    return experiment.complete(runs, only=names)


def _train_for(seconds: float, name: str, own: tuple[str, ...], words: list[str], folder: Path) -> Outcome:
    """Train a variant for about so long."""
    file = config_file(CONFIG)
    decisions = max(1, int(seconds * _speed(load_config(file, words), folder, TRIAL_SHARE * seconds)))
    shutil.rmtree(folder)
    return trained(name, own, load_config(file, [*words, f"decisions={decisions}"]), folder)


def _speed(config: Config, folder: Path, seconds: float) -> float:
    """Decisions per second of a trial that takes about so long."""
    learn = make_learner(config, folder)
    learn()  # compile, warm up
    started = time.perf_counter()
    speeds = [learn()]
    while time.perf_counter() - started < seconds:
        speeds.append(learn())
    return sum(speeds) / len(speeds)


if __name__ == "__main__":
    sys.exit(main())
