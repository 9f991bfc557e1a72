"""A solo game against the Automa, with a scripted agent in the human's place."""

from __future__ import annotations

import argparse

import numpy as np

from patchwork_env import SoloBatch, make_agent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", default="greedy")
    parser.add_argument("--level", default="fellow")
    parser.add_argument("--games", type=int, default=200)
    arguments = parser.parse_args()

    games = SoloBatch(arguments.games, seed=7, auto_reset=False, level=arguments.level)
    games.reset()
    agent = make_agent(arguments.agent, seed=7)
    wins = 0
    while not games.done.all():
        playing = np.flatnonzero(~games.done)
        result = games.step(agent.act(games, playing), playing)
        wins += int((result.rewards[:, 0] > 0).sum())
    print(f"{arguments.agent} won {wins} of {arguments.games} solo games at level {arguments.level}")
    print("mean scores: {:.1f} against {:.1f}".format(*games.scores.mean(axis=0)))


if __name__ == "__main__":
    main()
