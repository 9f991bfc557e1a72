"""Play one random game through PettingZoo's turn-by-turn interface."""

from __future__ import annotations

import argparse

import numpy as np

from patchwork_env import patchwork_v0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edition", default="revised")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()

    env = patchwork_v0.env(edition=arguments.edition)
    env.reset(seed=arguments.seed)
    generator = np.random.default_rng(arguments.seed)
    game = env.unwrapped.game
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            print(f"{agent} ends with reward {reward:+.0f}")
            env.step(None)
            continue
        action = int(generator.choice(np.flatnonzero(observation["action_mask"])))
        info = game.describe(action)
        what = f"{info.kind} patch {info.patch} at {info.cells[0]}" if info.kind == "buy" else info.kind
        print(f"{agent}: {what}")
        env.step(action)
    print(f"scores {game.scores}, player_{game.winner} wins")


if __name__ == "__main__":
    main()
