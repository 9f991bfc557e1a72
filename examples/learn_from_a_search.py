"""Let a small network learn from a tree search, then from searches of its own, and play what came of it.

With the numbers of a real run (`configs/taught.yaml`) this is how the shipped network was made.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from training.arena import play_pairs
from training.config import load_config
from training.run import RunDirectory
from training.trainer import Trainer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=256, help="games of a round of lessons (default %(default)s)")
    parser.add_argument("--simulations", type=int, default=50, help="of the searches (default %(default)s)")
    parser.add_argument("--deals", type=int, default=50, help="of the match at the end (default %(default)s)")
    arguments = parser.parse_args()
    config = load_config(
        None,
        [
            f"teacher=mcts:{arguments.simulations}",
            f"lesson_search={arguments.simulations}",
            f"lesson_games={arguments.games}",
            *("lesson_rounds=2", "rehearsal=4", "decisions=65536", "evaluate_every=0"),
            *("baselines=[random]", "final_deals=10"),
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        Trainer(config, RunDirectory.create(run, config)).train()
        for name in (str(run / "best"), f"{run / 'best'}+mcts:{arguments.simulations}"):
            result = play_pairs(name, "greedy", arguments.deals, seed=1)
            print(f"{name.removeprefix(folder)} won {result.win_rate:.0%} of {result.games} games against greedy")


if __name__ == "__main__":
    main()
