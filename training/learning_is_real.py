"""``python -m training.learning_is_real``: three short trainings that show what the learning rests on.

The same short run as shipped, with the reward's sign flipped (it must learn to lose) and with a return that does not
know whose turn it is (it must miss the bar that the first one passes), beside the network that all three begin with.
Run again, it goes on where it was left.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from training.config import config_file, load_config
from training.experiments import Experiment, Outcome, run_command, trained, untrained

CONFIG = "quickstart"
BAR = {"random": 0.99, "greedy": 0.80}  # what the quickstart run must reach
VARIANTS: dict[str, tuple[str, ...]] = {
    "as shipped": (),
    "reward's sign flipped": ("reward_sign=-1",),
    "ordinary return": ("turn_aware=false",),
}


def main(words: list[str] | None = None) -> int:
    """Train and measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m training.learning_is_real", description=__doc__.partition("\n")[0])
    parser.add_argument("changes", nargs="*", metavar="key=value", help=f"fields that differ from {CONFIG}")
    parser.add_argument("--out", type=Path, default=Path("runs/learning_is_real"), help="folder (default %(default)s)")
    arguments = parser.parse_args(words)
    return run_command(arguments.out, lambda: measure(arguments.out, arguments.changes))


def measure(folder: Path, changes: list[str]) -> dict[str, dict[str, float]]:
    """The win rates of every variant against the opponents of the bar; runs what the folder does not have yet."""
    fixed = ["evaluate_every=0", f"baselines=[{', '.join(BAR)}]"]
    file = config_file(CONFIG)
    begin = load_config(file, [*changes, *fixed])
    experiment = Experiment(folder, " ".join(["python -m training.learning_is_real", *changes]), begin)
    runs: dict[str, Callable[[Path], Outcome]] = {"untrained": partial(untrained, begin)}
    for name, own in VARIANTS.items():
        runs[name] = partial(trained, name, own, load_config(file, [*changes, *fixed, *own]))
    return {
        outcome.variant: {name: rate.rate for name, rate in outcome.rates.items()}
        for outcome in experiment.complete(runs)
    }


if __name__ == "__main__":
    sys.exit(main())
