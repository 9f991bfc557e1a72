"""Turn-aware PPO: sb3-contrib's MaskablePPO with a return that knows whose turn it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer

from training.quilt_show_env import QuiltShowVecEnv
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


def per_player_advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    ended: NDArray[np.float32],
    movers: NDArray[np.integer[Any]],
    last_values: NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Generalised advantages of a game for any number of players, in which nothing is known of one from another.

    Each player's decisions form a chain of their own: what a player is paid between two of its decisions, whoever
    moves in that time, belongs to the earlier one, and that one is continued by the player's own value at its next
    decision. ``values``, ``ended`` and ``movers`` are (steps, games): the deciding player's value, 1 where the step
    ended the game, and who decided. ``rewards`` are (steps, games, players): what each player is paid from that step
    to the next. ``last_values`` (games, players) are every player's own values after the last step.
    """
    advantages = np.zeros_like(values)
    everyone = np.arange(values.shape[1])
    paid = np.zeros_like(last_values)  # to each player since the step at hand and before its next decision
    next_values = last_values.copy()  # each player's value at its next decision
    following = np.zeros_like(last_values)  # the advantage there
    for step in reversed(range(len(values))):
        over = ended[step] > 0
        for chain in (paid, next_values, following):
            chain[over] = 0
        paid += rewards[step]
        mover = movers[step]
        ahead = gamma * (next_values[everyone, mover] + gae_lambda * following[everyone, mover])
        advantages[step] = paid[everyone, mover] + ahead - values[step]
        paid[everyone, mover] = 0
        next_values[everyone, mover] = values[step]
        following[everyone, mover] = advantages[step]
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


class PerPlayerBuffer(MaskableDictRolloutBuffer):
    """A rollout buffer that keeps, beside each decision, whose it was and what all players were paid after it.

    Differs from the parent in `add`, which asks the environment for these, and in `compute_returns_and_advantage`,
    which makes a chain of each player's decisions. ``predict_values`` gives the values of observations.
    """

    def __init__(self, *arguments: Any, env: QuiltShowVecEnv, **settings: Any) -> None:
        self._env = env
        self.predict_values: Callable[[dict[str, torch.Tensor]], torch.Tensor]
        super().__init__(*arguments, **settings)

    def reset(self) -> None:
        """Empty the buffer."""
        super().reset()
        self.movers = np.zeros((self.buffer_size, self.n_envs), np.int8)
        self.player_rewards = np.zeros((*self.movers.shape, self._env.games.num_players), np.float32)

    def add(self, *arguments: Any, **named: Any) -> None:
        """Keep a step of all games; called right after the environment made it."""
        self.movers[self.pos] = self._env.movers
        self.player_rewards[self.pos] = self._env.player_rewards
        super().add(*arguments, **named)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: NDArray[np.bool_]) -> None:
        """Fill in advantages and returns.

        ``last_values`` are those of the players to move only, so everybody's are asked for: a player who waits is
        worth what its own observation says.
        """
        seen = {name: torch.from_numpy(array) for name, array in self._env.everyones_observations().items()}
        with torch.no_grad():
            everyones = self.predict_values(seen).reshape(self.n_envs, -1).numpy()
        self.advantages = per_player_advantages(
            self.player_rewards,
            self.values,
            np.concatenate([self.episode_starts[1:], np.asarray(dones, np.float32)[None]]),
            self.movers,
            everyones,
            self.gamma,
            self.gae_lambda,
        )
        self.returns = self.advantages + self.values


class TurnAwarePPO(MaskablePPO):
    """MaskablePPO on a `SelfPlayVecEnv`: both seats' decisions train one network.

    ``rehearse`` is called at the end of every update, if it is set.
    """

    rehearse: Callable[[], None] | None = None

    def __init__(self, policy: Any, env: SelfPlayVecEnv, *, turn_aware: bool = True, **settings: Any) -> None:
        settings["rollout_buffer_class"] = TurnAwareBuffer
        settings["rollout_buffer_kwargs"] = {"env": env, "turn_aware": turn_aware}
        super().__init__(policy, env, **settings)

    def train(self) -> None:
        """Learn from the decisions in the buffer."""
        super().train()
        if self.rehearse is not None:
            self.rehearse()


class PerPlayerPPO(MaskablePPO):
    """MaskablePPO on a `QuiltShowVecEnv`: all seats' decisions train one network."""

    def __init__(self, policy: Any, env: QuiltShowVecEnv, **settings: Any) -> None:
        settings["rollout_buffer_class"] = PerPlayerBuffer
        settings["rollout_buffer_kwargs"] = {"env": env}
        super().__init__(policy, env, **settings)
        assert isinstance(self.rollout_buffer, PerPlayerBuffer)
        self.rollout_buffer.predict_values = self.policy.predict_values
