"""Two agents on paired deals, with the 95% interval of the win rate."""

from __future__ import annotations

import argparse

from training.arena import play_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", nargs="?", default="greedy")
    parser.add_argument("second", nargs="?", default="random")
    parser.add_argument("--deals", type=int, default=250)
    arguments = parser.parse_args()

    result = play_pairs(arguments.first, arguments.second, arguments.deals, seed=7)
    interval = result.interval
    print(f"{arguments.first} won {result.win_rate:.1%} of {result.games} games against {arguments.second}")
    print(f"95% interval {interval.low:.1%} to {interval.high:.1%}, mean margin {result.margin:+.1f}")


if __name__ == "__main__":
    main()
