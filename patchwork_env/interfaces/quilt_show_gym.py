"""Gymnasium's single-agent interface of Quilt Show: the learner in one seat, named opponents in the others.

`SeatedShows` plays the opponents' moves of a whole batch together; the single environment and the vector
environment are views of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from patchwork_env.agents.base import Agent, AgentLike, make_agent
from patchwork_env.games.quilt_show.rules import SEAT_DRAW
from patchwork_env.interfaces.aec import RENDER_FPS, checked_action
from patchwork_env.interfaces.gym import LegalActions
from patchwork_env.interfaces.quilt_show_aec import RENDER_MODES, make_renderer, read_first_player
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch


class SeatedShows:
    """A batch in which opponents have all seats of every game but the learner's, and make their own moves."""

    def __init__(self, games: QuiltShowBatch, opponent: AgentLike | Sequence[AgentLike], seat: int | str) -> None:
        if seat != "random" and (type(seat) is not int or not 0 <= seat < games.num_players):
            raise ValueError(f"seat must be 0 to {games.num_players - 1} or 'random', got {seat!r}")
        self.games = games
        self.opponents = _opponents(opponent, games.num_players - 1)  # [k] sits k + 1 seats to the learner's left
        self.seats = np.zeros(games.num_games, np.int8)  # (N,) the learner's
        self._fixed_seat = seat
        layout = games.tensor_layout
        self.observation_space = spaces.Box(layout.low, layout.high, dtype=np.float32)
        self._everyone = np.arange(games.num_games)

    def start(
        self, indices: NDArray[np.int64] | None = None, seed: int | None = None, first_player: str | None = None
    ) -> None:
        """Begin new games and play on to the learner's first decision."""
        for number, opponent in enumerate(self.opponents):
            if seed is not None and hasattr(opponent, "reseed"):
                opponent.reseed((seed + number) % 2**63)
        self.games.reset(indices=indices, seed=seed, first_players=first_player)
        chosen = self._everyone if indices is None else indices
        if self._fixed_seat == "random":
            self.seats[chosen] = self.games.draw(chosen, SEAT_DRAW, self.games.num_players)
        else:
            self.seats[chosen] = self._fixed_seat
        self._play_opponents(np.zeros(self.games.num_games, np.float32))

    def step(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Play the learner's actions and all answers; the learner's rewards, 0 in games not named."""
        rewards = np.zeros(self.games.num_games, np.float32)
        self._collect(self.games.step(actions, indices).rewards, rewards)
        self._play_opponents(rewards)
        return rewards

    def observe(self) -> NDArray[np.float32]:
        """What the learner knows of every game, newly allocated."""
        return self.games.observe_tensor(self.seats).copy()

    def masks(self) -> NDArray[np.bool_]:
        """(N, A) what the learner may do, newly allocated."""
        return self.games.action_mask.astype(np.bool_)

    def _play_opponents(self, rewards: NDArray[np.float32]) -> None:
        state = self.games.state
        while True:
            distance = (state["to_play"] - self.seats) % self.games.num_players
            distance[state["done"] == 1] = 0
            if not distance.any():
                return
            for number, opponent in enumerate(self.opponents):
                waiting = np.flatnonzero(distance == number + 1)
                if waiting.size:
                    result = self.games.step(opponent.act(self.games, waiting), waiting)
                    self._collect(result.rewards, rewards)

    def _collect(self, everyone: NDArray[np.float32], rewards: NDArray[np.float32]) -> None:
        rewards += everyone[self._everyone, self.seats]


def _opponents(opponent: AgentLike | Sequence[AgentLike], count: int) -> list[Agent]:
    if isinstance(opponent, str) or not isinstance(opponent, Sequence):
        return [make_agent(opponent, game="quilt_show") for _ in range(count)]
    if len(opponent) != count:
        raise ValueError(f"opponent must be one agent or {count}, one for each other seat, got {len(opponent)}")
    return [make_agent(one, game="quilt_show") for one in opponent]


class QuiltShowEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One game against opponents. The reward of a step includes what the opponents' answers brought.

    ``opponent`` names one agent for all other seats, or a list with one for each, beginning at the learner's left.
    An illegal action raises `IllegalActionError` and changes nothing; `action_masks` tells the legal ones, and
    ``info["action_mask"]`` has the same as int8.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        num_players: int = 2,
        opponent: AgentLike | Sequence[AgentLike] = "random",
        seat: int | str = 0,
        reward: str = "outcome",
        first_player: str = "random",
        render_mode: str | None = None,
        render_view: str = "own",
        **variants: bool,
    ) -> None:
        self.render_mode = render_mode
        self._renderer = make_renderer(render_mode, render_view, num_players)
        games = QuiltShowBatch(
            1, num_players, threads=1, auto_reset=False, reward=reward, first_player=first_player, **variants
        )
        self._seated = SeatedShows(games, opponent, seat)
        self.game = games.game(0)
        self.observation_space = self._seated.observation_space
        self.action_space: LegalActions = LegalActions(games.num_actions)
        self._index = np.zeros(1, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game, played on to the learner's first decision. Option: ``first_player``."""
        super().reset(seed=seed)
        self._seated.start(seed=seed, first_player=read_first_player(options))
        return self._seated.observe()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action and all of the opponents' answers."""
        rewards = self._seated.step(np.array([checked_action(action)]), self._index)
        truncated = self.game.truncated
        return self._seated.observe()[0], float(rewards[0]), self.game.done and not truncated, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) the legal actions."""
        mask: NDArray[np.bool_] = self._seated.masks()[0]
        return mask

    def render(self) -> Any:
        """The game as it stands, by default as the learner sees it: a text (``ansi``) or pixels (``rgb_array``)."""
        if self._renderer is None:
            warnings.warn("render() draws nothing: the environment was made without a render_mode", stacklevel=2)
            return None
        return self._renderer.draw(self._seated.games, int(self._seated.seats[0]))

    def _info(self) -> dict[str, Any]:
        mask = self._seated.games.action_mask[0].astype(np.int8)
        self.action_space.legal = mask
        info: dict[str, Any] = {"action_mask": mask.copy(), "seat": int(self._seated.seats[0])}
        if self.game.done:
            info["money"] = self.game.money
            info["winners"] = self.game.winners
        return info


class QuiltShowVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Many games against opponents whose moves are made for the whole batch together.

    Environment ``i`` draws its randomness from (seed, i, episode).
    """

    metadata = {
        "render_modes": [],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        num_players: int = 2,
        opponent: AgentLike | Sequence[AgentLike] = "random",
        seat: int | str = 0,
        reward: str = "outcome",
        first_player: str = "random",
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **variants: bool,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"a batch is not drawn: render_mode must be None, got {render_mode!r}")
        self.num_envs = num_envs
        self.render_mode = None
        self._autoreset = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._autoreset}
        self.games = QuiltShowBatch(
            num_envs,
            num_players,
            threads=threads,
            auto_reset=False,
            reward=reward,
            first_player=first_player,
            **variants,
        )
        self._seated = SeatedShows(self.games, opponent, seat)
        self.single_observation_space = self._seated.observation_space
        self.single_action_space = spaces.Discrete(self.games.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, np.bool_)  # games that ended with the last step

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """New games. Options: ``first_player`` and Gymnasium's ``reset_mask``."""
        super().reset(seed=seed)
        options = dict(options or {})
        chosen = options.pop("reset_mask", None)
        indices = None if chosen is None else np.flatnonzero(chosen)
        self._seated.start(indices, seed, read_first_player(options))
        self._ended[slice(None) if indices is None else indices] = False
        return self._seated.observe(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One decision of the learner in every game, with the opponents' answers.

        With next-step auto-reset the action of a game that ended in the last step is ignored and the game set up.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), got {actions.shape}")
        waiting = self._ended & (self._autoreset is AutoresetMode.NEXT_STEP)
        playing = np.flatnonzero(~waiting)
        rewards = self._seated.step(actions[playing], playing)
        self._restart(waiting)
        self._ended = self.games.done
        truncated = self.games.truncated & self._ended
        terminated = self._ended & ~truncated
        info: dict[str, Any] = {}
        if self._ended.any():
            info |= {"money": self.games.money.copy(), "_money": self._ended.copy()}
            if self._autoreset is AutoresetMode.SAME_STEP:
                info |= self._final(self._ended)
                self._restart(self._ended)
        return self._seated.observe(), rewards, terminated, truncated, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) the legal actions; all False in a game that is over."""
        return self._seated.masks()

    def _restart(self, which: NDArray[np.bool_]) -> None:
        if which.any():
            self._seated.start(np.flatnonzero(which))

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
