"""Lessons: what a learner takes from the games of a teacher before it plays by itself.

A teacher is any agent of Patchwork. It plays both seats, now and then a random choice is made instead of its own so
that poor positions are seen too, and every decision is kept: the position, what the teacher would do, and how the game
went on for the player. A teacher that searches also tells how good it found each step. The network then learns to
choose like the teacher and to foresee the result.

In later rounds the network is its own teacher, guiding a search, which chooses better than the network alone. Half of
the seats are then taken by the network without a search and by scripted partners, so that the positions which they
come to are taught as well. There the search also says what a position is worth, since how the game of a weaker player
ended tells little about it.

What is kept is small: what a network sees of a position is made anew whenever it is needed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from patchwork_env.agents.base import Agent, make_agent
from patchwork_env.agents.mcts import Findings, TreeAgent
from patchwork_env.games.patchwork.edition import load_edition
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch
from training.agent import PolicyAgent
from training.config import Config
from training.guided import GuidedAgent
from training.networks import NETWORKS
from training.optimizer import MatrixOptimizer
from training.policy import NetworkPolicy, PolicyNetwork
from training.vec_env import final_rewards
from training.views import PlacedView

ROUND_GAMES = 512  # games between two saves
PART_GAMES = 128  # games that a thread plays together
CHOICES = 8  # steps of a decision that are kept
STRAYS = 0.1  # share of the decisions with a choice that are made at random
TEACHER_SEATS = 0.5  # share of the seats that the search plays where the network teaches itself
SHARPNESS = 0.04  # how much worse than the best a step must be, in results, for its weight to fall to a third
MINIBATCH = 512
LEARNING_RATE = 1e-2  # at the start of a round; it falls in a straight line to a fiftieth


@dataclass(frozen=True)
class Lessons:
    """Decisions of the teacher, from whole games."""

    positions: NDArray[Any]  # (n,) records of games
    actions: NDArray[np.int64]  # (n, `CHOICES`) what the teacher might do, best first; -1 where there is no more
    weights: NDArray[np.float32]  # (n, `CHOICES`) how much it is for each; they add up to 1
    values: NDArray[np.float32]  # (n,) what the position is worth to the player who decided, -1 to 1
    games: int  # how many games they come from

    @classmethod
    def none(cls) -> Lessons:
        """No lesson yet."""
        nothing = np.zeros((0, CHOICES))
        return cls(np.zeros(0, GAME), nothing.astype(np.int64), nothing.astype(np.float32), np.zeros(0, np.float32), 0)

    @classmethod
    def joined(cls, parts: list[Lessons]) -> Lessons:
        """All of several."""
        arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(**arrays, games=sum(part.games for part in parts))

    def part(self, first: int, end: int) -> Lessons:
        """The decisions from a number on up to another; they count as those of all games."""
        return replace(self, **{name: getattr(self, name)[first:end] for name in _ARRAYS})

    def as_bytes(self) -> bytes:
        """A file's content."""
        buffer = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _ARRAYS[1:]}
        np.savez(buffer, positions=np.frombuffer(self.positions.tobytes(), np.uint8), games=self.games, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Lessons:
        """What `as_bytes` gave."""
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            positions = np.frombuffer(file["positions"].tobytes(), GAME)
            arrays: dict[str, Any] = {name: file[name] for name in _ARRAYS[1:]}
            return cls(positions, **arrays, games=int(file["games"]))


_ARRAYS = tuple(field.name for field in fields(Lessons))[:-1]


def play_games(config: Config, first: int, count: int, pupil: PolicyNetwork | None = None) -> Lessons:
    """The lessons of the games of that many numbers; the same again for the same configuration and pupil.

    With a ``pupil`` it teaches itself; without one the configuration's teacher does.
    """
    parts = [(number, min(PART_GAMES, first + count - number)) for number in range(first, first + count, PART_GAMES)]
    with ThreadPoolExecutor(config.threads) as pool:
        return Lessons.joined(list(pool.map(partial(_play_part, config, pupil), parts)))


def _play_part(config: Config, pupil: PolicyNetwork | None, part: tuple[int, int]) -> Lessons:
    """The lessons of the games from a number on, as many as are given with it."""
    number, count = part
    seeds = np.random.SeedSequence([config.seed, number]).generate_state(3, np.uint64) >> np.uint64(1)
    games = PatchworkBatch(count, config.edition, int(seeds[0]), threads=1, auto_reset=False, first_player="random")
    games.reset()
    view = NETWORKS[config.network].view(games, config.placements)
    players = _players(config, pupil, int(seeds[1]))
    dice = np.random.default_rng(seeds[2])
    seats = np.zeros((count, 2), np.int64)
    if len(players) > 1:
        seats = np.where(dice.random((count, 2)) < TEACHER_SEATS, 0, dice.integers(1, len(players), (count, 2)))
    kept: list[tuple[NDArray[Any], ...]] = []
    rewards = np.zeros((count, 2), np.float32)
    while (live := np.flatnonzero(~games.done)).size:
        actions = players[0].act(games, live)
        view.update(live)
        real = view.counts[live] > 1
        chosen, movers = live[real], games.to_play[live[real]].copy()
        kept.append((games.state[chosen].copy(), *told(players[0], chosen, actions[real]), chosen, movers))
        for place, player in enumerate(players[1:], start=1):
            others = np.flatnonzero(seats[live, games.to_play[live]] == place)
            if others.size:
                actions[others] = player.act(games, live[others])
        strays = np.flatnonzero(real & (dice.random(len(live)) < STRAYS))
        places = np.argmax(dice.random((len(strays), view.size)) * view.mask[live[strays]], axis=1)
        actions[strays] = view.actions[live[strays], places]
        result = games.step(actions, live)
        ended = live[result.done[live]]
        rewards[ended] = final_rewards(result, ended, config.outcome_share, config.reward_sign)
    positions, steps, weights, judged, indices, movers = (np.concatenate(rows) for rows in zip(*kept, strict=True))
    values = rewards[indices, movers]
    if pupil is not None:
        taught = (seats[indices] == 0).all(axis=1)
        values = np.where(taught, 0.5 * (values + judged), judged)
    return Lessons(positions, steps, weights, values.astype(np.float32), count)


def _players(config: Config, pupil: PolicyNetwork | None, seed: int) -> list[Agent]:
    """The teacher, then those that take seats beside it."""
    if pupil is None:
        return [make_agent(config.teacher, seed)]
    edition = load_edition(config.edition)
    alone = PolicyAgent(pupil, edition, config.placements, sample=True, seed=seed)
    guiding = PolicyAgent(pupil, edition, config.placements)
    teacher = GuidedAgent(guiding, config.lesson_search, seed, config.outcome_share)
    return [teacher, alone, *(make_agent(name, seed) for name in config.lesson_partners)]


def told(
    teacher: Agent, indices: NDArray[np.int64], actions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """What a teacher, which has just chosen the actions, tells: steps, their weights, and what it takes games for."""
    if isinstance(teacher, TreeAgent):
        found = teacher.findings(indices, CHOICES)
        return found.actions, weighed(found), found.values.astype(np.float32)
    steps = np.full((len(indices), CHOICES), -1)
    steps[:, 0] = actions
    return steps, (steps >= 0).astype(np.float32), np.zeros(len(indices), np.float32)


def weighed(found: Findings) -> NDArray[np.float32]:
    """How much a search is for each step: as it was visited, and less the worse it turned out to be."""
    tried = found.visits > 0
    results = np.where(tried, found.results, -np.inf)
    weights = found.visits * np.exp((results - results.max(axis=1, keepdims=True)) / SHARPNESS)
    shares: NDArray[np.float32] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def places_of_choices(view: PlacedView, actions: NDArray[np.int64], weights: NDArray[np.float32]) -> NDArray[Any]:
    """(n, K) the weights of the teacher's steps at their places in a view."""
    everyone = np.arange(len(actions))
    targets = np.zeros((len(actions), view.size), np.float32)
    for steps, shares in zip(actions.T, weights.T, strict=True):
        given = steps >= 0
        targets[everyone[given], view.places_of(np.maximum(steps, 0))[given]] += shares[given]
    return targets


class Study:
    """Lessons as a policy takes them, minibatch by minibatch."""

    def __init__(self, policy: NetworkPolicy, lessons: Lessons, config: Config) -> None:
        self._policy, self._lessons, self._config = policy, lessons, config
        self._games = PatchworkBatch(MINIBATCH, load_edition(config.edition), seed=0, auto_reset=False)
        self._games.reset()
        self._view = NETWORKS[config.network].view(self._games, config.placements)

    def learn(self) -> Iterator[tuple[float, float]]:
        """Learn all lessons, pass by pass; gives each one's share of choices like the teacher's and value error."""
        optimizer = MatrixOptimizer(self._policy.network.parameters(), LEARNING_RATE)
        batches = len(self._lessons.actions) // MINIBATCH
        schedule = torch.optim.lr_scheduler.LinearLR(
            optimizer, start_factor=1.0, end_factor=0.02, total_iters=max(self._config.lesson_epochs * batches, 1)
        )
        dice = np.random.default_rng(self._config.seed)
        for _ in range(self._config.lesson_epochs):
            order = dice.permutation(len(self._lessons.actions))[: batches * MINIBATCH]
            figures = []
            for batch in order.reshape(batches, MINIBATCH):
                figures.append(self._take(batch, optimizer))
                schedule.step()
            right, error = np.mean(figures, axis=0) if figures else (0.0, 0.0)
            yield float(right), float(error)

    def rehearse(self, number: int) -> None:
        """Take some lessons again with the policy's own optimizer; which ones depends on the number."""
        dice = np.random.default_rng([self._config.seed, number])
        for batch in dice.integers(len(self._lessons.actions), size=(self._config.rehearsal, MINIBATCH)):
            self._take(batch, self._policy.optimizer)

    def _take(self, batch: NDArray[np.int64], optimizer: torch.optim.Optimizer) -> tuple[float, float]:
        """A step of the optimizer on some lessons; the share of choices like the teacher's and the value error."""
        lessons, view, config = self._lessons, self._view, self._config
        self._games.state[:] = lessons.positions[batch]
        self._games.renew_masks()
        view.update()
        observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
        masks = torch.from_numpy(view.mask)
        targets = torch.from_numpy(places_of_choices(view, lessons.actions[batch], lessons.weights[batch]))
        logits, values = self._policy.judged(observation, masks)
        value_error = nn.functional.mse_loss(values, torch.from_numpy(lessons.values[batch]))
        logarithms = torch.log_softmax(logits, dim=1).masked_fill(~masks, 0.0)
        loss = config.value_weight * value_error - (targets * logarithms).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._policy.network.parameters(), config.max_grad_norm)
        optimizer.step()
        return (logits.argmax(dim=1) == targets.argmax(dim=1)).float().mean().item(), value_error.item()
