"""Stable-Baselines3's VecEnv over a batch, in a view of its actions, for self-play.

One network plays both seats: every step of an environment is a decision of whoever is to move, told from that
player's side. Decisions with a single choice are made inside the environment and cost no network. A share of the
games is played against other agents, whose moves are made inside too, so that only the learner's decisions train.

The reward of a step is the acting player's. The game is zero-sum and a player may move several times in a row, so the
learner must know whether the next decision is the same player's: `turn_signs` tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from patchwork_env.agents.base import Agent
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import SEAT_DRAW
from patchwork_env.interfaces.batch import PatchworkBatch
from training.networks import NETWORKS

SELF_PLAY = -1  # as a game's opponent: the learner itself
MARGIN_SCALE = 20.0  # points of margin in the reward: tanh(margin / MARGIN_SCALE)
LEAGUE_DRAW = 4  # purpose of the stream that decides whether a game is played against another agent


class SelfPlayVecEnv(VecEnv):
    """``num_games`` games; choices and observations are those of the view that the named network has.

    ``outcome_share`` mixes the reward at the end: that share of +1 or -1, and the rest of tanh(margin / 20); it is
    then multiplied by ``reward_sign``.
    """

    def __init__(
        self,
        num_games: int,
        edition: str | Edition = "revised",
        seed: int = 0,
        placements: int = 16,
        network: str = "candidates",
        outcome_share: float = 0.5,
        reward_sign: float = 1.0,
        threads: int | None = None,
    ) -> None:
        self.games = PatchworkBatch(
            num_games, edition, seed=seed, threads=threads, auto_reset=False, first_player="random"
        )
        self.view = NETWORKS[network].view(self.games, placements)
        self.outcome_share = outcome_share
        self.reward_sign = reward_sign
        self.turn_signs = np.ones(num_games, np.float32)  # (N,) +1 if the mover of the last step decides again
        self.opponents: list[Agent] = []
        self.opponent_weights = np.zeros(0)  # how often each of them is drawn
        self.league_share = 0.0
        self.opponent_of = np.full(num_games, SELF_PLAY, np.int64)  # (N,) position in `opponents`
        self.learner_seat = np.zeros(num_games, np.int8)  # (N,) of games against another agent
        self.beginner = np.zeros(num_games, np.int8)  # (N,) who began the present game
        self.finished = EpisodeCounts()
        observation_space = spaces.Dict(
            {
                name: spaces.Box(-np.inf, np.inf, array.shape[1:], np.float32)
                for name, array in self.view.observation().items()
            }
        )
        self.render_mode = None
        super().__init__(num_games, observation_space, spaces.Discrete(self.view.size))
        self._everyone = np.arange(num_games)
        self._chosen = np.zeros(num_games, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_games)]

    def set_league(self, opponents: Sequence[Agent], weights: NDArray[np.float64], share: float) -> None:
        """From their next episode on, play that share of the games against these agents."""
        if len(opponents) != len(weights):
            raise ValueError(f"{len(opponents)} opponents need as many weights, got {len(weights)}")
        self.opponents = list(opponents)
        self.opponent_weights = np.asarray(weights, np.float64)
        self.league_share = share if opponents else 0.0
        self.opponent_of[self.opponent_of >= len(opponents)] = SELF_PLAY

    def reset(self) -> dict[str, NDArray[np.float32]]:
        """Start new games and play on to the learner's first decisions."""
        self._begin(self._everyone)
        self._play_on(np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_))
        return self.observe()

    def kept(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on, copied."""
        return {
            "games": np.frombuffer(self.games.state.tobytes(), np.uint8).copy(),
            "episodes": self.games.episodes.copy(),
            "opponent_of": self.opponent_of.copy(),
            "learner_seat": self.learner_seat.copy(),
            "beginner": self.beginner.copy(),
        }

    def restore(self, kept: dict[str, NDArray[Any]]) -> None:
        """Go on with games that were kept."""
        self.games.state[:] = np.frombuffer(kept["games"].tobytes(), self.games.state.dtype)
        self.games.episodes[:] = kept["episodes"]
        self.games.renew_masks()
        for name in ("opponent_of", "learner_seat", "beginner"):
            getattr(self, name)[:] = kept[name]
        self.view.update()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Remember what was chosen, as positions in the view."""
        self._chosen = np.asarray(actions, np.int64).reshape(-1)

    def step_wait(self) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float32], NDArray[np.bool_], Any]:
        """Play the choices, and all that follows without a choice of the learner's."""
        legal = self.view.mask[self._everyone, self._chosen]
        if not legal.all():
            wrong = int(np.flatnonzero(~legal)[0])
            raise ValueError(f"game {wrong}: choice {self._chosen[wrong]} is masked")
        movers = self.games.to_play.copy()
        first_rewards = np.zeros(self.num_envs, np.float32)  # those of player 0; player 1 has the opposite
        done = np.zeros(self.num_envs, np.bool_)
        self._step(self._everyone, self.view.actions[self._everyone, self._chosen], first_rewards, done)
        self._play_on(first_rewards, done)
        rewards = np.where(movers == 0, first_rewards, -first_rewards)
        self.turn_signs = np.where(self.games.to_play == movers, 1.0, -1.0).astype(np.float32)
        return self.observe(), rewards.astype(np.float32), done, self._infos

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, K) which choices there are."""
        return self.view.mask.copy()

    def observe(self) -> dict[str, NDArray[np.float32]]:
        """What the players to move see, and their choices."""
        # Copies: SB3 still needs the last observation when the next step has been made.
        return self.view.observation()

    def _play_on(self, first_rewards: NDArray[np.float32], done: NDArray[np.bool_]) -> None:
        """Make the moves of other agents and those without a choice, until every game waits for the learner."""
        stale = self._everyone
        while True:
            self._play_opponents(stale, first_rewards, done)
            self.view.update(stale)
            forced = stale[self.view.counts[stale] == 1]
            if not forced.size:
                return
            only = self.view.mask[forced].argmax(axis=1)
            self._step(forced, self.view.actions[forced, only], first_rewards, done)
            stale = forced

    def _play_opponents(
        self, indices: NDArray[np.int64], first_rewards: NDArray[np.float32], done: NDArray[np.bool_]
    ) -> None:
        if not self.opponents:
            return
        while True:
            theirs = (self.opponent_of[indices] != SELF_PLAY) & (
                self.games.to_play[indices] != self.learner_seat[indices]
            )
            indices = indices[theirs]
            if not indices.size:
                return
            for number in np.unique(self.opponent_of[indices]):
                some = indices[self.opponent_of[indices] == number]
                self._step(some, self.opponents[number].act(self.games, some), first_rewards, done)

    def _step(
        self,
        indices: NDArray[np.int64],
        actions: NDArray[np.int64],
        first_rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
    ) -> None:
        everyone = indices is self._everyone
        result = self.games.step(actions, None if everyone else indices)
        ended = np.flatnonzero(result.done)
        if ended.size:
            scores = result.final_scores[ended].astype(np.float32)
            self.finished.add(self, ended, scores, result.rewards[ended, 0] > 0)
            margin = scores[:, 0] - scores[:, 1]
            outcome = result.rewards[ended, 0]
            reward = self.outcome_share * outcome + (1 - self.outcome_share) * np.tanh(margin / MARGIN_SCALE)
            first_rewards[ended] += self.reward_sign * reward
            done[ended] = True
            self._begin(ended)

    def _begin(self, indices: NDArray[np.int64]) -> None:
        """Start new games in these places."""
        self.games.reset(indices)
        self.beginner[indices] = self.games.to_play[indices]
        self._draw_opponents(indices)

    def _draw_opponents(self, indices: NDArray[np.int64]) -> None:
        """Decide against whom the new games are played, from the games' own streams."""
        self.opponent_of[indices] = SELF_PLAY
        if not self.opponents:
            return
        fine = 1 << 30
        draws = self.games.draw(indices, LEAGUE_DRAW, fine) / fine
        league = indices[draws < self.league_share]
        places = draws[draws < self.league_share] / self.league_share
        bounds = np.cumsum(self.opponent_weights / self.opponent_weights.sum())
        self.opponent_of[league] = np.minimum(np.searchsorted(bounds, places, "right"), len(bounds) - 1)
        self.learner_seat[league] = self.games.draw(league, SEAT_DRAW, 2)

    # --- what SB3 asks of a VecEnv --------------------------------------------------------------------------------

    def close(self) -> None:
        """There is nothing to release."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, once for each environment asked about."""
        return [getattr(self, attr_name)] * len(self._asked(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the whole batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Call a method once; an answer with a row for each environment is handed out row by row."""
        answer = getattr(self, method_name)(*arguments, **named)
        return [answer[i] for i in self._asked(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No environment of a batch is wrapped."""
        return [False] * len(self._asked(indices))

    def _asked(self, indices: Any) -> list[int]:
        return list(self._get_indices(indices))


class EpisodeCounts:
    """What happened in the games that ended since the counts were last cleared; sums over games and players."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start counting anew."""
        self.games = 0
        self.decisions = 0
        self.first_player_wins = 0
        self.scores = 0.0
        self.empty_cells = 0
        self.league_games: dict[int, int] = {}  # by the opponent's position
        self.league_wins: dict[int, int] = {}  # the learner's

    def add(
        self, env: SelfPlayVecEnv, ended: NDArray[np.int64], scores: NDArray[np.float32], first_won: NDArray[np.bool_]
    ) -> None:
        """Count games that have just ended, with their scores (n, 2) and whether player 0 won."""
        state = env.games.state[ended]
        self.games += len(ended)
        self.decisions += int(state["decisions"].sum())
        self.first_player_wins += int((first_won == (env.beginner[ended] == 0)).sum())
        self.scores += float(scores.sum())
        empty = env.games.tables[0]["full"] & ~state["quilts"]
        self.empty_cells += int(np.bitwise_count(empty).sum())
        learner_won = first_won == (env.learner_seat[ended] == 0)
        for number, won in zip(env.opponent_of[ended].tolist(), learner_won.tolist(), strict=True):
            if number != SELF_PLAY:
                self.league_games[number] = self.league_games.get(number, 0) + 1
                self.league_wins[number] = self.league_wins.get(number, 0) + won
