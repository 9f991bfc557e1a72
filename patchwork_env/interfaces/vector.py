"""Gymnasium's vector interface over a batch in which other agents have all seats but the learner's."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray


class Seated(Protocol):
    """A batch with a learner's seat in every game; see `patchwork_env.interfaces.gym.SeatedGames`."""

    games: Any
    seats: NDArray[np.int8]
    observation_space: Any

    def step(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Play the learner's actions and all answers; the learner's rewards."""
        ...

    def observe(self) -> NDArray[np.float32]:
        """The learner's view of every game, newly allocated."""
        ...

    def masks(self) -> NDArray[np.bool_]:
        """What the learner may do, newly allocated."""
        ...


class SeatedVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Many games against agents whose moves are made for the whole batch together.

    Environment ``i`` draws its randomness from (seed, i, episode). A game's own class makes the batch, reads the
    options of `reset` and tells what a game that ended brought.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self, seated: Seated, num_envs: int, autoreset_mode: AutoresetMode | str, render_mode: str | None
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"a batch is not drawn: render_mode must be None, got {render_mode!r}")
        self.num_envs = num_envs
        self.render_mode = None
        self._autoreset = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._autoreset}
        self._seated = seated
        self.games = seated.games
        self.single_observation_space = seated.observation_space
        self.single_action_space = spaces.Discrete(self.games.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, np.bool_)  # games that ended with the last step

    def _start(self, indices: NDArray[np.int64] | None, seed: int | None, options: dict[str, Any]) -> None:
        """Begin new games in these places, or in all."""
        raise NotImplementedError

    def _truncated(self) -> NDArray[np.bool_]:
        """(N,) games that ended without being decided."""
        return np.zeros(self.num_envs, np.bool_)

    def _outcome(self) -> dict[str, NDArray[Any]]:
        """What the games that ended brought, each entry an array over all games."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """New games. The options are the single environment's, the same for all, and Gymnasium's ``reset_mask``."""
        super().reset(seed=seed)
        options = dict(options or {})
        chosen = options.pop("reset_mask", None)
        indices = None if chosen is None else np.flatnonzero(chosen)
        self._start(indices, seed, options)
        self._ended[slice(None) if indices is None else indices] = False
        return self._seated.observe(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One decision of the learner in every game, with the others' answers.

        With next-step auto-reset the action of a game that ended in the last step is ignored and the game set up.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), got {actions.shape}")
        waiting = self._ended & (self._autoreset is AutoresetMode.NEXT_STEP)
        playing = np.flatnonzero(~waiting)
        rewards = self._seated.step(actions[playing], playing)
        self._restart(waiting)
        ended = self._ended = self.games.done
        truncated = self._truncated() & ended
        info: dict[str, Any] = {}
        if ended.any():
            for name, values in self._outcome().items():
                info |= {name: values, f"_{name}": ended.copy()}
            if self._autoreset is AutoresetMode.SAME_STEP:
                info |= self._final(ended)
                self._restart(ended)
        return self._seated.observe(), rewards, ended & ~truncated, truncated, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) the legal actions; all False in a game that is over."""
        return self._seated.masks()

    def _restart(self, which: NDArray[np.bool_]) -> None:
        if which.any():
            self._start(np.flatnonzero(which), None, {})

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations of games that ended, in the form of Gymnasium's own vector environments."""
        final = np.full(self.num_envs, None, object)
        tensors = self._seated.observe()
        for i in np.flatnonzero(ended):
            final[i] = tensors[i]
        return {"final_obs": final, "_final_obs": ended.copy()}

    def _info(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.games.action_mask.astype(np.int8),
            "_action_mask": everyone,
            "seat": self._seated.seats.copy(),
            "_seat": everyone,
        }
