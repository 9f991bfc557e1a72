"""``python -m training.compare_policies --minutes 3``: the networks that were tried, trained alike and measured.

Every variant has the same minutes of training and the same seed. A short trial tells how many decisions it takes in
during that time; then it trains on so many, with the learning rate falling to its end, and plays the opponents on
paired deals. Run again, it goes on where it was left.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from training.config import config_file, load_config
from training.console import INTERRUPTED

if TYPE_CHECKING:
    from training.experiments import Outcome

CONFIG = "quickstart"
OPPONENTS = ("random", "greedy")
TRIAL_SHARE = 0.1  # of the minutes, spent on measuring the speed before
VARIANTS: dict[str, tuple[str, ...]] = {
    "candidates, 8 placements": ("network=candidates", "placements=8"),
    "candidates, 16 placements": ("network=candidates", "placements=16"),
    "candidates, all placements": ("network=candidates", "placements=448", "games=128", "steps=32"),
    "attention over the circle": ("network=attention", "placements=8"),
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
    # Threads that spin while they wait slow everything down as soon as anything else runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from training.experiments import TABLE

    try:
        measure(arguments.out, arguments.changes, 60 * arguments.minutes, arguments.only)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on where it was left\n")
        return INTERRUPTED
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print((arguments.out / TABLE).read_text(encoding="utf-8"), end="")
    return 0


def measure(folder: Path, changes: list[str], seconds: float, names: list[str]) -> list[Outcome]:
    """The outcomes of the variants named; runs what the folder does not have yet."""
    from training.experiments import Experiment

    fixed = [*changes, "evaluate_every=0", f"baselines=[{', '.join(OPPONENTS)}]"]
    config = load_config(config_file(CONFIG), fixed)
    command = " ".join(["python -m training.compare_policies", f"--minutes {seconds / 60:g}", *changes])
    experiment = Experiment(folder, command, config)
    return experiment.complete(
        {name: partial(_train_for, name, VARIANTS[name], fixed, seconds) for name in VARIANTS if name in names}
    )


def _train_for(name: str, own: tuple[str, ...], words: list[str], seconds: float, folder: Path) -> Outcome:
    """Train a variant for about so long."""
    from training.experiments import trained
    from training.throughput import make_learner

    config = load_config(config_file(CONFIG), [*words, *own])
    learn = make_learner(config, folder)
    learn()  # compile, warm up
    started = time.perf_counter()
    speeds = [learn()]
    while time.perf_counter() - started < TRIAL_SHARE * seconds:
        speeds.append(learn())
    shutil.rmtree(folder)
    decisions = max(1, int(seconds * sum(speeds) / len(speeds)))
    return trained(name, own, load_config(config_file(CONFIG), [*words, *own, f"decisions={decisions}"]), folder)


if __name__ == "__main__":
    sys.exit(main())
