"""A trained player of Quilt Show at a table with greedy ones: every deal once for each rotation of the seats."""

from __future__ import annotations

import argparse

from training.rotations import play_rotations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player", nargs="?", default="pretrained", help="or the folder of a checkpoint")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--deals", type=int, default=100)
    arguments = parser.parse_args()

    seats = [arguments.player, *["greedy"] * (arguments.players - 1)]
    result = play_rotations(seats, arguments.deals, seed=7)
    low, high = result.interval(0)
    print(f"{arguments.player} won {result.win_rates[0]:.1%} of {result.games} games for {arguments.players} players")
    print(f"95% interval {low:.1%} to {high:.1%}; equal players win {1 / arguments.players:.1%} each")


if __name__ == "__main__":
    main()
