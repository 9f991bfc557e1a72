"""``python -m training.learning_is_real``: three short trainings that show what the learning rests on.

The same short run as shipped, with the reward's sign flipped (it must learn to lose) and with a return that does not
know whose turn it is (it must miss the bar that the first one passes), beside the network that all three begin with.
Run again, it goes on where it was left.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from training.config import config_file, load_config
from training.console import INTERRUPTED

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
    # Threads that spin while they wait slow everything down as soon as anything else runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from training.experiments import TABLE

    try:
        measure(arguments.out, arguments.changes)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on where it was left\n")
        return INTERRUPTED
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print((arguments.out / TABLE).read_text(encoding="utf-8"), end="")
    return 0


def measure(folder: Path, changes: list[str]) -> dict[str, dict[str, float]]:
    """The win rates of every variant against the opponents of the bar; runs what the folder does not have yet."""
    from training.experiments import Experiment, Outcome, trained, untrained

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
