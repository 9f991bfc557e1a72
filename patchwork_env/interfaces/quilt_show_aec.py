"""PettingZoo's turn-by-turn interface over a batch of one game of Quilt Show."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from patchwork_env.games.quilt_show.notation import GameRecord
from patchwork_env.interfaces.aec import RENDER_FPS, checked_action
from patchwork_env.interfaces.quilt_show_batch import FIRST_PLAYERS, QuiltShowBatch
from patchwork_env.interfaces.quilt_show_game import QuiltShowView
from patchwork_env.interfaces.quilt_show_replay import Recorder

if TYPE_CHECKING:
    from patchwork_env.render.quilt_show_renderer import Renderer

Observation = dict[str, NDArray[Any]]
RENDER_MODES = ("ansi", "rgb_array")


class RawQuiltShowEnv(AECEnv[str, Any, Any]):
    """One game of Quilt Show for two to four players. Rewards of a step go to all players at once.

    An agent observes what its player knows and nothing else; entries to a show stay secret until all are in.
    """

    metadata = {
        "name": "quilt_show_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        num_players: int = 2,
        reward: str = "outcome",
        first_player: str = "random",
        render_mode: str | None = None,
        render_view: str = "own",
        **variants: bool,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.games = QuiltShowBatch(
            1, num_players, threads=1, auto_reset=False, reward=reward, first_player=first_player, **variants
        )
        self.game: QuiltShowView = self.games.game(0)
        self._renderer = make_renderer(render_mode, render_view, num_players)
        self._recorder: Recorder | None = None
        self.possible_agents = [f"player_{player}" for player in range(num_players)]
        self.agents = []
        layout = self.games.tensor_layout
        self.observation_spaces = {
            player: spaces.Dict(
                {
                    "observation": spaces.Box(layout.low, layout.high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (self.games.num_actions,), np.int8),
                }
            )
            for player in self.possible_agents
        }
        self.action_spaces = {player: spaces.Discrete(self.games.num_actions) for player in self.possible_agents}
        self._action = np.zeros(1, np.int64)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `observe`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """All actions, legal now or not."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. Option: ``first_player``."""
        first_player = read_first_player(options)
        self.games.reset(seed=seed, first_players=first_player)
        self._recorder = Recorder(self.games, first_player=first_player)
        players = self.possible_agents
        self.agents = list(players)
        self.rewards = dict.fromkeys(players, 0.0)
        self._cumulative_rewards = dict.fromkeys(players, 0.0)
        self.terminations = dict.fromkeys(players, False)
        self.truncations = dict.fromkeys(players, False)
        self.infos = {player: {} for player in players}
        self.agent_selection = players[self.game.to_play]

    def step(self, action: int) -> None:
        """Play an action of ``agent_selection``; an illegal one raises and changes nothing."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._action[0] = checked_action(action)
        assert self._recorder is not None
        self._recorder.note(int(self._action[0]))
        result = self.games.step(self._action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, result.rewards[0].tolist(), strict=True))
        if result.truncated[0]:
            self.truncations = dict.fromkeys(self.possible_agents, True)
        elif result.done[0]:
            self.terminations = dict.fromkeys(self.possible_agents, True)
        else:
            self.agent_selection = self.possible_agents[self.games.state["to_play"][0]]
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What that player knows; the mask is all zeros unless it is that player's turn."""
        seat = self.possible_agents.index(agent)
        if agent == self.agent_selection:
            mask = self.games.action_mask[0].astype(np.int8)
        else:
            mask = np.zeros(self.games.num_actions, np.int8)
        return {"observation": self.games.observe_tensor(seat)[0].copy(), "action_mask": mask}

    def record(self) -> GameRecord:
        """The episode so far, for `patchwork_env.games.quilt_show.notation`."""
        if self._recorder is None:
            raise RuntimeError("there is no game to record before the first reset()")
        return self._recorder.record()

    def render(self) -> Any:
        """The game as it stands, in the view that was asked for: a text (``ansi``) or pixels (``rgb_array``)."""
        if self._renderer is None:
            warnings.warn("render() draws nothing: the environment was made without a render_mode", stacklevel=2)
            return None
        return self._renderer.draw(self.games, self.game.to_play)

    def close(self) -> None:
        """There is nothing to release."""


def make_renderer(render_mode: str | None, render_view: str, num_players: int) -> Renderer | None:
    """What draws in that mode; None without one."""
    if render_mode is None:
        return None
    from patchwork_env.render.quilt_show_renderer import Renderer

    return Renderer(render_mode, render_view, num_players)


def read_first_player(options: dict[str, Any] | None) -> str | None:
    """The first player that reset's options ask for."""
    options = options or {}
    for key in options:
        if key != "first_player":
            # The conformance tests of PettingZoo and Gymnasium pass options of their own: they must be borne.
            warnings.warn(f"unknown reset option {key!r} is ignored; known is first_player", stacklevel=3)
    first_player: str | None = options.get("first_player")
    if first_player is not None and first_player not in FIRST_PLAYERS:
        raise ValueError(f"unknown first_player {first_player!r}; known are {', '.join(FIRST_PLAYERS)}")
    return first_player
