"""Stable-Baselines3's VecEnv over a batch of any game, for self-play: what the games' environments share.

One network plays all seats: every step of an environment is a decision of whoever is to move, told from that player's
side. Decisions without a choice are made inside the environment and cost no network. A share of the games is played
against other agents, who have all seats but one and whose moves are made inside too, so that only the learner's
decisions train. Likewise a share of the games may begin with an opening: one of those agents makes all the first moves,
so that the learner meets positions that it would not get into by itself.

A step of the environment covers what follows it inside, and in that time every player may be paid. So beside the
reward of the player who decided, which is what a step returns, there are `movers` and `player_rewards`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from patchwork_env.agents.base import Agent
from patchwork_env.interfaces.base import GameBatch
from training.views import ActionView

SELF_PLAY = -1  # as a game's opponent: the learner itself
LEAGUE_DRAW = 4  # purpose of the stream that decides whether a game is played against another agent
OPENING_DRAW = 5  # and of the one that decides about its opening
_FINE = 1 << 30  # numbers are drawn below this where a share is meant


class SelfPlayEnv(VecEnv):
    """The games of a batch (which must not reset by itself) in a view, from one decision of the learner to the next.

    A game's own class says what is earned (`_earned`), who won (`_win_shares`), and what is counted (`_figures`).
    """

    seat_draw: ClassVar[int]  # purpose of the stream from which the learner's seat is drawn
    figure_names: ClassVar[tuple[str, ...]]  # what is counted of games that ended, as means of a player

    def __init__(self, games: GameBatch[Any], view: ActionView) -> None:
        self.games: Any = games
        self.view: Any = view
        count = games.num_games
        self.movers = np.zeros(count, np.int8)  # (N,) who made the decisions of the last step
        self.player_rewards = np.zeros((count, games.num_players), np.float32)  # (N, players) paid in the last step
        self.opponents: list[Agent] = []
        self.opponent_weights = np.zeros(0)  # how often each of them is drawn
        self.league_share = 0.0
        self.opponent_of = np.full(count, SELF_PLAY, np.int64)  # (N,) position in `opponents`
        self.learner_seat = np.zeros(count, np.int8)  # (N,) of games against another agent
        self.openers = 0  # so many of the opponents, from the first on, play openings
        self.opening_share = 0.0
        self.opening_decisions = 1
        self.opening_by = np.zeros(count, np.int64)  # (N,) position in `opponents`
        self.opening_length = np.zeros(count, np.int64)  # (N,) decisions; 0 for none
        self.beginner = np.zeros(count, np.int8)  # (N,) who began the present game
        self.finished = EpisodeCounts(self.figure_names)
        observation_space = spaces.Dict(
            {
                name: spaces.Box(-np.inf, np.inf, array.shape[1:], np.float32)
                for name, array in view.observation().items()
            }
        )
        self.render_mode = None
        super().__init__(count, observation_space, spaces.Discrete(view.size))
        self._everyone = np.arange(count)
        self._chosen = np.zeros(count, np.int64)
        self._done = np.zeros(count, np.bool_)
        self._infos: list[dict[str, Any]] = [{} for _ in range(count)]

    # --- what a game's own class answers --------------------------------------------------------------------------

    def _earned(self, result: Any, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, players) what the batch's step, whose result this is, pays in the games named."""
        raise NotImplementedError

    def _win_shares(self, result: Any, ended: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, players) each player's share of the win in games that have just ended."""
        raise NotImplementedError

    def _figures(self, result: Any, ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """(n,) each of `figure_names` in games that have just ended, as the mean of a player."""
        raise NotImplementedError

    def _forget(self, indices: NDArray[np.int64]) -> None:
        """New games stand in these places."""

    # --- playing --------------------------------------------------------------------------------------------------

    def set_league(self, opponents: Sequence[Agent], weights: NDArray[np.float64], share: float) -> None:
        """From their next episode on, play that share of the games against these agents."""
        if len(opponents) != len(weights):
            raise ValueError(f"{len(opponents)} opponents need as many weights, got {len(weights)}")
        self.opponents = list(opponents)
        self.opponent_weights = np.asarray(weights, np.float64)
        self.league_share = share if opponents else 0.0
        self.opponent_of[self.opponent_of >= len(opponents)] = SELF_PLAY

    def set_openings(self, share: float, decisions: int, openers: int) -> None:
        """From now on, begin that share of new games with at most so many decisions of one of the first opponents."""
        if openers > len(self.opponents):
            raise ValueError(f"{openers} openers are asked for, and there are {len(self.opponents)} opponents")
        self.openers, self.opening_share, self.opening_decisions = openers, share, decisions

    def reset(self) -> dict[str, NDArray[np.float32]]:
        """Start new games and play on to the learner's first decisions."""
        self._begin(self._everyone)
        self._play_on()
        return self.observe()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Remember what was chosen, as positions in the view."""
        self._chosen = np.asarray(actions, np.int64).reshape(-1)

    def step_wait(self) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float32], NDArray[np.bool_], Any]:
        """Play the choices, and all that follows without a choice of the learner's."""
        legal = self.view.mask[self._everyone, self._chosen]
        if not legal.all():
            wrong = int(np.flatnonzero(~legal)[0])
            raise ValueError(f"game {wrong}: choice {self._chosen[wrong]} is masked")
        self.movers = self.games.to_play.copy()
        self.player_rewards[:] = 0
        self._done[:] = False
        self._step(self._everyone, self.view.actions[self._everyone, self._chosen])
        self._play_on()
        rewards = self.player_rewards[self._everyone, self.movers]
        return self.observe(), rewards, self._done.copy(), self._infos

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, K) which choices there are."""
        masks: NDArray[np.bool_] = self.view.mask.copy()
        return masks

    def observe(self) -> dict[str, NDArray[np.float32]]:
        """What the players to move see, and their choices: copies, since SB3 needs them after the next step."""
        observation: dict[str, NDArray[np.float32]] = self.view.observation()
        return observation

    def _play_on(self) -> None:
        """Make the moves of other agents and those without a choice, until every game waits for the learner."""
        stale = self._everyone
        while True:
            self._play_others(stale)
            self.view.update(stale)
            forced = stale[self.view.counts[stale] == 1]
            if not forced.size:
                return
            only = self.view.mask[forced].argmax(axis=1)
            self._step(forced, self.view.actions[forced, only])
            stale = forced

    def _play_others(self, indices: NDArray[np.int64]) -> None:
        """Make the moves that are not the learner's."""
        while self.opponents:
            others = self._others_to_move(indices)
            indices, others = indices[others != SELF_PLAY], others[others != SELF_PLAY]
            if not indices.size:
                return
            for number in np.unique(others):
                some = indices[others == number]
                self._step(some, self.opponents[number].act(self.games, some))

    def _others_to_move(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) whose move it is, as a position in `opponents`."""
        theirs = self.games.to_play[indices] != self.learner_seat[indices]
        others = np.where(theirs, self.opponent_of[indices], SELF_PLAY)
        opening = self.games.state["decisions"][indices] < self.opening_length[indices]
        return np.where(opening, self.opening_by[indices], others)

    def _step(self, indices: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        everyone = indices is self._everyone
        result = self.games.step(actions, None if everyone else indices)
        earned = self._earned(result, indices)
        # What a new game pays before the learner's first decision in it belongs to no decision.
        self.player_rewards[indices] += earned * ~self._done[indices, None]
        ended = np.flatnonzero(result.done)
        if ended.size:
            self.finished.add(self, ended, self._win_shares(result, ended), self._figures(result, ended))
            self._done[ended] = True
            self._begin(ended)

    def _begin(self, indices: NDArray[np.int64]) -> None:
        """Start new games in these places."""
        self.games.reset(indices)
        self.beginner[indices] = self.games.to_play[indices]
        self._draw_opponents(indices)
        self._forget(indices)

    def _draw_opponents(self, indices: NDArray[np.int64]) -> None:
        """Decide against whom the new games are played and who opens them, from the games' own streams."""
        self.opponent_of[indices] = SELF_PLAY
        self.opening_length[indices] = 0
        if not self.opponents:
            return
        league, places = self._drawn_share(indices, LEAGUE_DRAW, self.league_share)
        bounds = np.cumsum(self.opponent_weights / self.opponent_weights.sum())
        self.opponent_of[league] = np.minimum(np.searchsorted(bounds, places, "right"), len(bounds) - 1)
        self.learner_seat[league] = self.games.draw(league, self.seat_draw, self.games.num_players)
        if self.openers:
            opened, places = self._drawn_share(indices, OPENING_DRAW, self.opening_share)
            length, by = np.divmod((places * self.opening_decisions * self.openers).astype(np.int64), self.openers)
            self.opening_length[opened] = length + 1
            self.opening_by[opened] = by

    def _drawn_share(
        self, indices: NDArray[np.int64], purpose: int, share: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """A share of the games named, and a number from 0 to 1 for each of these."""
        draws = self.games.draw(indices, purpose, _FINE) / _FINE
        return indices[draws < share], draws[draws < share] / max(share, 1 / _FINE)

    # --- keeping --------------------------------------------------------------------------------------------------

    def kept(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on, copied."""
        return {
            "games": np.frombuffer(self.games.state.tobytes(), np.uint8).copy(),
            "episodes": self.games.episodes.copy(),
            "opponent_of": self.opponent_of.copy(),
            "learner_seat": self.learner_seat.copy(),
            "opening_by": self.opening_by.copy(),
            "opening_length": self.opening_length.copy(),
            "beginner": self.beginner.copy(),
        }

    def restore(self, kept: dict[str, NDArray[Any]]) -> None:
        """Go on with games that were kept."""
        self.games.state[:] = np.frombuffer(kept["games"].tobytes(), self.games.state.dtype)
        self.games.episodes[:] = kept["episodes"]
        self.games.renew_masks()
        for name in ("opponent_of", "learner_seat", "opening_by", "opening_length", "beginner"):
            getattr(self, name)[:] = kept[name]
        self._forget(self._everyone)
        self.view.update()

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
    """What happened in the games that ended since the counts were last cleared."""

    def __init__(self, figure_names: Sequence[str]) -> None:
        self._figure_names = tuple(figure_names)
        self.clear()

    def clear(self) -> None:
        """Start counting anew."""
        self.games = 0
        self._decisions = 0
        self._beginner_wins = 0.0
        self._totals = dict.fromkeys(self._figure_names, 0.0)
        self.league_games: dict[int, int] = {}  # by the opponent's position
        self.league_wins: dict[int, float] = {}  # the learner's

    def add(
        self, env: SelfPlayEnv, ended: NDArray[np.int64], shares: NDArray[np.float32], figures: dict[str, NDArray[Any]]
    ) -> None:
        """Count games that have just ended, with each player's share of the win (n, players)."""
        rows = np.arange(len(ended))
        self.games += len(ended)
        self._decisions += int(env.games.state["decisions"][ended].sum())
        self._beginner_wins += float(shares[rows, env.beginner[ended]].sum())
        for name in self._totals:
            self._totals[name] += float(figures[name].sum())
        learner_wins = shares[rows, env.learner_seat[ended]]
        for number, won in zip(env.opponent_of[ended].tolist(), learner_wins.tolist(), strict=True):
            if number != SELF_PLAY:
                self.league_games[number] = self.league_games.get(number, 0) + 1
                self.league_wins[number] = self.league_wins.get(number, 0) + won

    def figures(self) -> dict[str, float]:
        """Games, the game's own figures, the length of a game and how often its beginner won."""
        games = self.games or float("nan")
        return {
            "games": self.games,
            **{name: total / games for name, total in self._totals.items()},
            "game_length": self._decisions / games,
            "first_player_wins": self._beginner_wins / games,
        }
