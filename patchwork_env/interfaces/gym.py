"""Gymnasium's single-agent interface: the learner in one seat, a named opponent in the other.

`SeatedGames` plays the opponent's moves of a whole batch together; the single environment and the vector
environment are views of it.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from patchwork_env.agents.base import AgentLike, make_agent
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import ADVANCE, SEAT_DRAW
from patchwork_env.interfaces.aec import RENDER_FPS, RENDER_MODES, checked_action, make_renderer, read_reset_options
from patchwork_env.interfaces.batch import PatchworkBatch, StepResult

if TYPE_CHECKING:
    from patchwork_env.render.history import History

SEATS: dict[Any, int | None] = {0: 0, 1: 1, "random": None}


class SeatedGames:
    """A batch in which an opponent has one seat of every game and makes its own moves."""

    def __init__(
        self,
        num_games: int,
        edition: str | os.PathLike[str] | Edition,
        opponent: AgentLike,
        seat: int | str,
        reward: str,
        first_player: str,
        threads: int | None = None,
    ) -> None:
        if seat not in SEATS or isinstance(seat, bool):
            raise ValueError(f"seat must be 0, 1 or 'random', got {seat!r}")
        self.games = PatchworkBatch(
            num_games, edition, threads=threads, auto_reset=False, reward=reward, first_player=first_player
        )
        self.opponent = make_agent(opponent)
        self.seats = np.zeros(num_games, np.int8)  # (N,) the learner's
        self.history: History | None = None  # of game 0, kept if somebody puts one here
        self._fixed_seat = SEATS[seat]
        layout = self.games.tensor_layout
        self.observation_space = spaces.Box(layout.low, layout.high, dtype=np.float32)
        self._everyone = np.arange(num_games)

    def start(
        self,
        indices: NDArray[np.int64] | None = None,
        seed: int | None = None,
        circles: Any = None,
        first_player: str | None = None,
    ) -> None:
        """Begin new games and play on to the learner's first decision."""
        if seed is not None and hasattr(self.opponent, "reseed"):
            self.opponent.reseed(seed)
        self.games.reset(indices=indices, seed=seed, circles=circles, first_players=first_player)
        if self.history is not None:
            self.history.clear()
        chosen = self._everyone if indices is None else indices
        if self._fixed_seat is None:
            self.seats[chosen] = self.games.draw(chosen, SEAT_DRAW, 2)
        else:
            self.seats[chosen] = self._fixed_seat
        self._play_opponent(np.zeros(self.games.num_games, np.float32))

    def step(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Play the learner's actions and all answers; the learner's rewards, 0 in games not named."""
        rewards = np.zeros(self.games.num_games, np.float32)
        self._collect(self._play(actions, indices).rewards, rewards)
        self._play_opponent(rewards)
        return rewards

    def observe(self) -> NDArray[np.float32]:
        """The learner's view of every game, newly allocated."""
        return self.games.observe_tensor(self.seats).copy()

    def masks(self) -> NDArray[np.bool_]:
        """(N, A) what the learner may do, newly allocated."""
        return self.games.action_mask.astype(np.bool_)

    def _play_opponent(self, rewards: NDArray[np.float32]) -> None:
        state = self.games.state
        while True:
            waiting = np.flatnonzero((state["to_play"] != self.seats) & (state["done"] == 0))
            if not waiting.size:
                return
            result = self._play(self.opponent.act(self.games, waiting), waiting)
            self._collect(result.rewards, rewards)

    def _play(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> StepResult:
        if self.history is None:
            return self.games.step(actions, indices)
        game = self.games.game(0)
        if game.why_illegal(int(actions[0])) is None:
            self.history.announce(game, int(actions[0]))
        result = self.games.step(actions, indices)
        self.history.settle(game)
        return result

    def _collect(self, both: NDArray[np.float32], rewards: NDArray[np.float32]) -> None:
        rewards += both[self._everyone, self.seats]


class LegalActions(spaces.Discrete):
    """The action space of a single environment, whose samples are legal.

    It follows the environment's mask. Between `seed` and the environment's next reset or step it knows of no
    game; it then samples the one action that is legal at the start of every game, to advance.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.legal: NDArray[np.int8] | None = None

    def seed(self, seed: int | None = None) -> int:
        """Seed the sampling and forget the game."""
        self.legal = None
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A legal action, or one that the given mask or probabilities allow."""
        if mask is None and probability is None:
            if self.legal is None or not self.legal.any():
                return np.int64(ADVANCE)
            mask = self.legal
        return super().sample(mask, probability)


class PatchworkEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One game against an opponent. The reward of a step includes what the opponent's answers brought.

    An illegal action raises `IllegalActionError` and changes nothing; `action_masks` tells the legal ones, and
    ``info["action_mask"]`` has the same as int8.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}

    def __init__(
        self,
        edition: str | os.PathLike[str] | Edition = "revised",
        opponent: AgentLike = "random",
        seat: int | str = 0,
        reward: str = "outcome",
        first_player: str = "player_0",
        render_mode: str | None = None,
        render_scale: int = 1,
    ) -> None:
        self.render_mode = render_mode
        self._renderer = make_renderer(render_mode, render_scale)
        self._seated = SeatedGames(1, edition, opponent, seat, reward, first_player, threads=1)
        self.game = self._seated.games.game(0)
        self._opponent_name = opponent if isinstance(opponent, str) else "opponent"
        if self._renderer is not None:
            self._seated.history = self._renderer.history
        self.observation_space = self._seated.observation_space
        self.action_space: LegalActions = LegalActions(self._seated.games.edition.num_actions)
        self._index = np.zeros(1, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """A new game, played on to the learner's first decision. Options: ``circle`` and ``first_player``."""
        super().reset(seed=seed)
        circle, first_player = read_reset_options(options)
        self._seated.start(seed=seed, circles=None if circle is None else [circle], first_player=first_player)
        self._show()
        return self._seated.observe()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action and all of the opponent's answers."""
        rewards = self._seated.step(np.array([checked_action(action)]), self._index)
        self._show()
        return self._seated.observe()[0], float(rewards[0]), self.game.done, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) the legal actions."""
        mask: NDArray[np.bool_] = self._seated.masks()[0]
        return mask

    def render(self) -> Any:
        """The game as it stands: a text (``ansi``), pixels (``rgb_array``), or in a window (``human``)."""
        if self._renderer is None:
            warnings.warn("render() draws nothing: the environment was made without a render_mode", stacklevel=2)
            return None
        names = ("learner", self._opponent_name)
        return self._renderer.draw(self.game, names if self._seated.seats[0] == 0 else names[::-1])

    def close(self) -> None:
        """Close the window if there is one."""
        if self._renderer is not None:
            self._renderer.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _info(self) -> dict[str, Any]:
        mask = self._seated.games.action_mask[0].astype(np.int8)
        self.action_space.legal = mask
        info: dict[str, Any] = {"action_mask": mask.copy(), "seat": int(self._seated.seats[0])}
        if self.game.done:
            info["scores"] = self.game.scores
        return info


class PatchworkVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Many games against an opponent whose moves are made for the whole batch together.

    Environment ``i`` plays the game that a single environment with the same seed plays as its ``i``-th of a
    batch: its randomness is (seed, i, episode).
    """

    metadata = {
        "render_modes": [],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        edition: str | os.PathLike[str] | Edition = "revised",
        opponent: AgentLike = "random",
        seat: int | str = 0,
        reward: str = "outcome",
        first_player: str = "player_0",
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"a batch is not drawn: render_mode must be None, got {render_mode!r}")
        seated = SeatedGames(num_envs, edition, opponent, seat, reward, first_player, threads)
        self._sit_down(seated, num_envs, autoreset_mode)

    def _sit_down(self, seated: SeatedGames, num_envs: int, autoreset_mode: AutoresetMode | str) -> None:
        """Become the view of a batch in which every other seat is taken."""
        self.num_envs = num_envs
        self.render_mode = None
        self._autoreset = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._autoreset}
        self._seated = seated
        self.games = self._seated.games
        self.single_observation_space = self._seated.observation_space
        self.single_action_space = spaces.Discrete(self.games.edition.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, np.bool_)  # games that ended with the last step

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """New games. Options: ``circle`` (the same for all), ``first_player`` and Gymnasium's ``reset_mask``."""
        super().reset(seed=seed)
        options = dict(options or {})
        chosen = options.pop("reset_mask", None)
        circle, first_player = read_reset_options(options)
        indices = None if chosen is None else np.flatnonzero(chosen)
        count = self.num_envs if indices is None else len(indices)
        self._seated.start(indices, seed, None if circle is None else [circle] * count, first_player)
        self._ended[slice(None) if indices is None else indices] = False
        return self._seated.observe(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One decision of the learner in every game, with the opponent's answers.

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
        terminated = self._ended.copy()
        info: dict[str, Any] = {}
        if terminated.any():
            info |= {"scores": self.games.scores, "_scores": terminated.copy()}
            if self._autoreset is AutoresetMode.SAME_STEP:
                info |= self._final(terminated)
                self._restart(terminated)
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._seated.observe(), rewards, terminated, truncated, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) the legal actions; all False in a game that is over."""
        return self._seated.masks()

    def _restart(self, which: NDArray[np.bool_]) -> None:
        if which.any():
            self._seated.start(np.flatnonzero(which))

    def _final(self, terminated: NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations of games that ended, in the form of Gymnasium's own vector environments."""
        final = np.full(self.num_envs, None, object)
        tensors = self._seated.observe()
        for i in np.flatnonzero(terminated):
            final[i] = tensors[i]
        return {"final_obs": final, "_final_obs": terminated.copy()}

    def _info(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self.games.action_mask.astype(np.int8),
            "_action_mask": everyone,
            "seat": self._seated.seats.copy(),
            "_seat": everyone,
        }
