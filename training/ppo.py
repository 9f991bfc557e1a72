"""Turn-aware PPO: sb3-contrib's MaskablePPO with a return that knows whose turn it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer

from training.vec_env import SelfPlayVecEnv


def turn_aware_advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    ended: NDArray[np.float32],
    signs: NDArray[np.float32],
    last_values: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Generalised advantages of a zero-sum game in which a player may decide several times in a row.

    All arrays are (steps, games) but ``last_values`` (games,). ``rewards`` and ``values`` are those of the player who
    decides in that step. ``ended`` is 1 where the step ended the game, ``signs`` +1 where the same player decides
    next and -1 where the other does: what is good for the next player is then bad for this one.
    """
    advantages = np.zeros_like(rewards)
    following = np.zeros_like(last_values)
    next_values = last_values
    for step in reversed(range(len(rewards))):
        link = signs[step] * (1.0 - ended[step])
        error = rewards[step] + gamma * link * next_values - values[step]
        following = error + gamma * gae_lambda * link * following
        advantages[step] = following
        next_values = values[step]
    return advantages


class TurnAwareBuffer(MaskableDictRolloutBuffer):
    """A rollout buffer that keeps, beside each decision, whether the next one is the same player's.

    Differs from the parent in `add`, which asks the environment for the signs, and in
    `compute_returns_and_advantage`, which uses them.
    """

    def __init__(self, *arguments: Any, env: SelfPlayVecEnv, turn_aware: bool = True, **settings: Any) -> None:
        self._env = env
        self._turn_aware = turn_aware
        super().__init__(*arguments, **settings)

    def reset(self) -> None:
        """Empty the buffer."""
        super().reset()
        self.signs = np.ones((self.buffer_size, self.n_envs), np.float32)

    def add(self, *arguments: Any, **named: Any) -> None:
        """Keep a step of all games; called right after the environment made it."""
        if self._turn_aware:
            self.signs[self.pos] = self._env.turn_signs
        super().add(*arguments, **named)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: NDArray[np.bool_]) -> None:
        """Fill in advantages and returns."""
        ended = np.concatenate([self.episode_starts[1:], np.asarray(dones, np.float32)[None]])
        self.advantages = turn_aware_advantages(
            self.rewards,
            self.values,
            ended,
            self.signs,
            last_values.clone().cpu().numpy().flatten(),
            self.gamma,
            self.gae_lambda,
        )
        self.returns = self.advantages + self.values


class TurnAwarePPO(MaskablePPO):
    """MaskablePPO on a `SelfPlayVecEnv`: both seats' decisions train one network."""

    def __init__(self, policy: Any, env: SelfPlayVecEnv, *, turn_aware: bool = True, **settings: Any) -> None:
        settings["rollout_buffer_class"] = TurnAwareBuffer
        settings["rollout_buffer_kwargs"] = {"env": env, "turn_aware": turn_aware}
        super().__init__(policy, env, **settings)
