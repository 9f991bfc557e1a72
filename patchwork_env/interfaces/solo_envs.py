"""The solo game for PettingZoo (one agent) and Gymnasium (one game, or a batch)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from pettingzoo import AECEnv

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.interfaces.aec import Observation, checked_action, read_reset_options
from patchwork_env.interfaces.gym import LegalActions, PatchworkEnv, PatchworkVectorEnv, SeatedGames
from patchwork_env.interfaces.solo import SoloBatch, SoloGameView
from patchwork_env.interfaces.vector import SeatedVectorEnv

PLAYER = "player_0"


class RawPatchworkSoloEnv(AECEnv[str, Any, Any]):
    """One solo game. A step includes all turns that the Automa then has."""

    metadata = {
        "name": "patchwork_solo_v0",
        "render_modes": [],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        edition: str | os.PathLike[str] | Edition = "revised",
        level: str = "apprentice",
        deck: str = "normal",
        reward: str = "outcome",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        _check_render_mode(render_mode)
        self.render_mode = render_mode
        self.games = SoloBatch(1, edition, threads=1, auto_reset=False, reward=reward, level=level, deck=deck)
        self.game: SoloGameView = self.games.game(0)
        self.possible_agents = [PLAYER]
        self.agents = []
        layout = self.games.tensor_layout
        count = self.games.edition.num_actions
        self.observation_spaces = {
            PLAYER: spaces.Dict(
                {
                    "observation": spaces.Box(layout.low, layout.high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
        }
        self.action_spaces = {PLAYER: spaces.Discrete(count)}
        self._action = np.zeros(1, np.int64)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `observe`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """All actions, legal now or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. Option: ``circle`` (patch ids from the neutral token on)."""
        circle, first_player = read_reset_options(options)
        self.games.reset(seed=seed, circles=None if circle is None else [circle], first_players=first_player)
        self.agents = [PLAYER]
        self.rewards = {PLAYER: 0.0}
        self._cumulative_rewards = {PLAYER: 0.0}
        self.terminations = {PLAYER: False}
        self.truncations = {PLAYER: False}
        self.infos = {PLAYER: {}}
        self.agent_selection = PLAYER

    def step(self, action: int) -> None:
        """Play an action; an illegal one raises and changes nothing."""
        if self.terminations[PLAYER]:
            self._was_dead_step(action)
            return
        self._action[0] = checked_action(action)
        result = self.games.step(self._action)
        self._cumulative_rewards[PLAYER] = 0.0
        self.rewards = {PLAYER: float(result.rewards[0, 0])}
        self.terminations = {PLAYER: bool(result.done[0])}
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """The game from the player's side."""
        mask = self.games.action_mask[0].astype(np.int8)
        return {"observation": self.games.observe_tensor()[0].copy(), "action_mask": mask}

    def render(self) -> None:
        """Nothing is drawn without a render mode."""

    def close(self) -> None:
        """There is nothing to release."""


class SoloGames(SeatedGames):
    """A solo batch seen as one in which every other seat is taken, which it is, by the Automa."""

    games: SoloBatch

    def __init__(self, games: SoloBatch) -> None:
        self.games = games
        self.history = None
        self.seats = np.zeros(games.num_games, np.int8)
        layout = games.tensor_layout
        self.observation_space = spaces.Box(layout.low, layout.high, dtype=np.float32)

    def start(
        self,
        indices: NDArray[np.int64] | None = None,
        seed: int | None = None,
        circles: Any = None,
        first_player: str | None = None,
    ) -> None:
        """Begin new games."""
        self.games.reset(indices=indices, seed=seed, circles=circles, first_players=first_player)

    def step(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Play the actions; the rewards, 0 in games not named."""
        return self.games.step(actions, indices).rewards[:, 0].copy()

    def observe(self) -> NDArray[np.float32]:
        """The player's view of every game, newly allocated."""
        return self.games.observe_tensor().copy()


class PatchworkSoloEnv(PatchworkEnv):
    """One solo game. An illegal action raises and changes nothing, as in `PatchworkEnv`."""

    metadata = {"render_modes": [], "render_fps": 2}

    def __init__(
        self,
        edition: str | os.PathLike[str] | Edition = "revised",
        level: str = "apprentice",
        deck: str = "normal",
        reward: str = "outcome",
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode)
        self.render_mode = None
        self._renderer = None
        games = SoloBatch(1, edition, threads=1, auto_reset=False, reward=reward, level=level, deck=deck)
        self._seated = SoloGames(games)
        self.game = games.game(0)
        self.observation_space = self._seated.observation_space
        self.action_space = LegalActions(games.edition.num_actions)
        self._index = np.zeros(1, np.int64)


class PatchworkSoloVectorEnv(PatchworkVectorEnv):
    """Many solo games; environment ``i`` draws its randomness from (seed, i, episode)."""

    def __init__(
        self,
        num_envs: int = 1,
        edition: str | os.PathLike[str] | Edition = "revised",
        level: str = "apprentice",
        deck: str = "normal",
        reward: str = "outcome",
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        games = SoloBatch(num_envs, edition, threads=threads, auto_reset=False, reward=reward, level=level, deck=deck)
        SeatedVectorEnv.__init__(self, SoloGames(games), num_envs, autoreset_mode, render_mode)


def _check_render_mode(render_mode: str | None) -> None:
    if render_mode is not None:
        raise ValueError(f"unknown render_mode {render_mode!r}; the solo game has none")
