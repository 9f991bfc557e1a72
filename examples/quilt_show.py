"""A game of Quilt Show for three, each player seeing only what it knows."""

from __future__ import annotations

import numpy as np

from patchwork_env import quilt_show_v0


def main() -> None:
    env = quilt_show_v0.env(num_players=3, large_quilts=True)
    env.reset(seed=7)
    generator = np.random.default_rng(7)
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        env.step(int(generator.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += 1
    game = env.unwrapped.game
    print(f"{decisions} decisions; money {game.money}, won by {game.winners}")


if __name__ == "__main__":
    main()
