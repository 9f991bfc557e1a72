"""PettingZoo's turn-by-turn interface over a batch of one game."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.interfaces.batch import FIRST_PLAYERS, PatchworkBatch
from patchwork_env.interfaces.game import GameView
from patchwork_env.interfaces.replay import Recorder

if TYPE_CHECKING:
    from patchwork_env.render.renderer import Renderer

Observation = dict[str, NDArray[Any]]
PLAYERS = ("player_0", "player_1")
RESET_OPTIONS = ("circle", "first_player")
RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 2


class RawPatchworkEnv(AECEnv[str, Any, Any]):
    """One game of Patchwork. Rewards of a step go to both players at once, so the loser learns of losing."""

    metadata = {
        "name": "patchwork_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        edition: str | os.PathLike[str] | Edition = "revised",
        reward: str = "outcome",
        first_player: str = "player_0",
        render_mode: str | None = None,
        render_scale: int = 1,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._renderer = make_renderer(render_mode, render_scale)
        self.games = PatchworkBatch(1, edition, threads=1, auto_reset=False, reward=reward, first_player=first_player)
        self.game: GameView = self.games.game(0)
        self.possible_agents = list(PLAYERS)
        self.agents = []
        layout = self.games.tensor_layout
        self.observation_spaces = {
            player: spaces.Dict(
                {
                    "observation": spaces.Box(layout.low, layout.high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (self.games.edition.num_actions,), np.int8),
                }
            )
            for player in PLAYERS
        }
        self.action_spaces = {player: spaces.Discrete(self.games.edition.num_actions) for player in PLAYERS}
        self._recorder: Recorder | None = None
        self._seed: int | None = None  # what the last reset was given; None after one without a seed
        self._action = np.zeros(1, np.int64)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `observe`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """All actions, legal now or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. Options: ``circle`` (patch ids from the neutral token on) and ``first_player``."""
        circle, first_player = read_reset_options(options)
        self.games.reset(seed=seed, circles=None if circle is None else [circle], first_players=first_player)
        self._recorder = Recorder(self.games)
        self._seed = seed
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos = {player: {} for player in PLAYERS}
        self.agent_selection = PLAYERS[self.game.to_play]
        if self._renderer is not None:
            self._renderer.history.clear()
            self._show()

    def step(self, action: int) -> None:
        """Play an action of ``agent_selection``; an illegal one raises and changes nothing."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._action[0] = checked_action(action)
        if self._renderer is not None and self.game.why_illegal(int(action)) is None:
            self._renderer.history.announce(self.game, int(action))
        result = self.games.step(self._action)
        assert self._recorder is not None
        self._recorder.note(int(action), tuple(result.final_scores[0]) if result.done[0] else None)
        self._cumulative_rewards[agent] = 0.0
        first, second = result.rewards[0].tolist()
        self.rewards = {PLAYERS[0]: first, PLAYERS[1]: second}
        if result.done[0]:
            self.terminations = dict.fromkeys(PLAYERS, True)
        else:
            self.agent_selection = PLAYERS[self.games.state["to_play"][0]]
        self._accumulate_rewards()
        if self._renderer is not None:
            self._renderer.history.settle(self.game)
            self._show()

    def observe(self, agent: str) -> Observation:
        """The game from that player's side; the mask is all zeros unless it is that player's turn."""
        seat = PLAYERS.index(agent)
        if agent == self.agent_selection:
            mask = self.games.action_mask[0].astype(np.int8)
        else:
            mask = np.zeros(self.games.edition.num_actions, np.int8)
        return {"observation": self.games.observe_tensor(seat)[0].copy(), "action_mask": mask}

    def record(self) -> GameRecord:
        """The episode so far, for `patchwork_env.games.patchwork.notation`."""
        if self._recorder is None:
            raise RuntimeError("there is no game to record before the first reset()")
        return self._recorder.record(self._seed)

    def render(self) -> Any:
        """The game as it stands: a text (``ansi``), pixels (``rgb_array``), or in a window (``human``)."""
        if self._renderer is None:
            warnings.warn("render() draws nothing: the environment was made without a render_mode", stacklevel=2)
            return None
        return self._renderer.draw(self.game)

    def close(self) -> None:
        """Close the window if there is one."""
        if self._renderer is not None:
            self._renderer.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def make_renderer(render_mode: str | None, render_scale: int) -> Renderer | None:
    """What draws in that mode; None without one."""
    if render_mode is None:
        return None
    from patchwork_env.render.renderer import Renderer

    return Renderer(render_mode, RENDER_FPS, render_scale)


def read_reset_options(options: dict[str, Any] | None) -> tuple[Any, str | None]:
    """The circle and the first player that reset's options ask for."""
    options = options or {}
    for key in options:
        if key not in RESET_OPTIONS:
            # The conformance tests of PettingZoo and Gymnasium pass options of their own: they must be borne.
            warnings.warn(
                f"unknown reset option {key!r} is ignored; known are {', '.join(RESET_OPTIONS)}", stacklevel=3
            )
    first_player = options.get("first_player")
    if first_player is not None and first_player not in FIRST_PLAYERS:
        raise ValueError(f"unknown first_player {first_player!r}; known are {', '.join(FIRST_PLAYERS)}")
    return options.get("circle"), first_player


def checked_action(action: Any) -> int:
    """One action as a whole number; anything else is a TypeError."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        raise TypeError(f"an action must be a whole number, got {action!r}")
    return int(action)
