"""Step a thousand games at once on the batched core and count what happens."""

from __future__ import annotations

import argparse
import time

import numpy as np

from patchwork_env import PatchworkBatch, make_agent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()

    games = PatchworkBatch(arguments.games, edition="revised", seed=7)
    games.reset()
    agent = make_agent("random", seed=7)
    everyone = np.arange(arguments.games)
    finished, points = 0, 0
    start = time.perf_counter()
    for _ in range(arguments.steps):
        result = games.step(agent.act(games, everyone))
        finished += int(result.done.sum())
        points += int(result.final_scores[result.done].sum())
    decisions = arguments.games * arguments.steps
    print(f"{decisions:,} decisions, {decisions / (time.perf_counter() - start):,.0f} a second with choosing them")
    if finished:
        print(f"{finished:,} games finished, mean score {points / (2 * finished):.1f}")


if __name__ == "__main__":
    main()
