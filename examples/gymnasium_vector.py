"""A learner's seat in many games at once: Gymnasium's vector interface with action masks."""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np

import patchwork_env  # noqa: F401 (registers the ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--opponent", default="random")
    arguments = parser.parse_args()

    env = gymnasium.make_vec(
        "patchwork_env/Patchwork-v0", num_envs=arguments.envs, opponent=arguments.opponent, seat="random"
    )
    env.reset(seed=7)
    generator = np.random.default_rng(7)
    wins, games = 0, 0
    for _ in range(arguments.steps):
        masks = env.unwrapped.action_masks()  # type: ignore[attr-defined]
        actions = np.argmax(generator.random(masks.shape) * masks, axis=1)
        _, rewards, terminated, _, _ = env.step(actions)
        wins += int((rewards[terminated] > 0).sum())
        games += int(terminated.sum())
    print(f"random play won {wins} of {games} games against {arguments.opponent}")


if __name__ == "__main__":
    main()
