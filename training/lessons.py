"""Lessons: what a learner takes from the games of a teacher before it plays by itself.

A teacher is any agent of Patchwork. It plays both seats, now and then a random choice is made instead of its own so
that poor positions are seen too, and every decision is kept: the position, what the teacher would do, and how the game
went on for the player. The network then learns to choose like the teacher and to foresee the result. What is kept
is small, since what a network sees of a position is made anew from the position whenever it is needed.

Self-play alone makes a critic that knows its own kind of game; a search that asks it about other lines is misled. The
teacher's strays and searches show it many kinds.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from patchwork_env.agents.base import make_agent
from patchwork_env.games.patchwork.edition import load_edition
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch
from training.config import Config
from training.networks import NETWORKS
from training.policy import NetworkPolicy
from training.vec_env import final_rewards

ROUND_GAMES = 512  # games played together
STRAYS = 0.12  # share of the decisions with a choice that are made at random
MINIBATCH = 1024
LEARNING_RATE = 2e-3  # Adam's at the start; it falls in a straight line to a fiftieth


@dataclass(frozen=True)
class Lessons:
    """Decisions of the teacher, from whole games."""

    positions: NDArray[Any]  # (n,) records of games
    actions: NDArray[np.int64]  # (n,) what the teacher would do
    results: NDArray[np.float32]  # (n,) what the game paid to the player who decided
    games: int  # how many games they come from

    @classmethod
    def none(cls) -> Lessons:
        """No lesson yet."""
        return cls(np.zeros(0, GAME), np.zeros(0, np.int64), np.zeros(0, np.float32), 0)

    def joined(self, more: Lessons) -> Lessons:
        """These and more."""
        return Lessons(
            np.concatenate([self.positions, more.positions]),
            np.concatenate([self.actions, more.actions]),
            np.concatenate([self.results, more.results]),
            self.games + more.games,
        )

    def as_bytes(self) -> bytes:
        """A file's content."""
        buffer = io.BytesIO()
        positions = np.frombuffer(self.positions.tobytes(), np.uint8)
        np.savez(buffer, positions=positions, actions=self.actions, results=self.results, games=self.games)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Lessons:
        """What `as_bytes` gave."""
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            positions = np.frombuffer(file["positions"].tobytes(), GAME)
            return cls(positions, file["actions"], file["results"], int(file["games"]))


def play_round(config: Config, number: int) -> Lessons:
    """The lessons of the games of one round; the same again for the same configuration and number."""
    seeds = np.random.SeedSequence([config.seed, number]).generate_state(2, np.uint64) >> np.uint64(1)
    count = min(ROUND_GAMES, config.lesson_games - number * ROUND_GAMES)
    games = PatchworkBatch(count, config.edition, seed=int(seeds[0]), auto_reset=False, first_player="random")
    games.reset()
    view = NETWORKS[config.network].view(games, config.placements)
    teacher = make_agent(config.teacher, int(seeds[1]))
    dice = np.random.default_rng(seeds)
    kept: list[tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]] = []
    rewards = np.zeros((count, 2), np.float32)
    while (live := np.flatnonzero(~games.done)).size:
        actions = teacher.act(games, live)
        view.update(live)
        real = view.counts[live] > 1
        chosen, movers = live[real], games.to_play[live[real]].copy()
        kept.append((games.state[chosen].copy(), actions[real].copy(), chosen, movers))
        strays = np.flatnonzero(real & (dice.random(len(live)) < STRAYS))
        places = np.argmax(dice.random((len(strays), view.size)) * view.mask[live[strays]], axis=1)
        actions[strays] = view.actions[live[strays], places]
        result = games.step(actions, live)
        ended = live[result.done[live]]
        rewards[ended] = final_rewards(result, ended, config.outcome_share, config.reward_sign)
    positions, actions, indices, movers = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    return Lessons(positions, actions, rewards[indices, movers], count)


def learn(policy: NetworkPolicy, lessons: Lessons, config: Config, told: Callable[[int, float, float], None]) -> None:
    """Train the policy's network; ``told`` hears of every epoch with its share of right choices and its value error."""
    games = PatchworkBatch(MINIBATCH, load_edition(config.edition), seed=0, auto_reset=False)
    games.reset()
    view = NETWORKS[config.network].view(games, config.placements)
    optimizer = torch.optim.Adam(policy.network.parameters(), lr=LEARNING_RATE)
    batches = len(lessons.actions) // MINIBATCH
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.02, total_iters=max(config.lesson_epochs * batches, 1)
    )
    dice = np.random.default_rng(config.seed)
    for epoch in range(config.lesson_epochs):
        right, error = 0, 0.0
        for batch in dice.permutation(len(lessons.actions))[: batches * MINIBATCH].reshape(batches, MINIBATCH):
            games.state[:] = lessons.positions[batch]
            games.renew_masks()
            view.update()
            observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
            places = torch.from_numpy(view.places_of(lessons.actions[batch]))
            results = torch.from_numpy(lessons.results[batch])
            logits, values = policy.judged(observation, torch.from_numpy(view.mask))
            value_error = nn.functional.mse_loss(values, results)
            loss = nn.functional.cross_entropy(logits, places) + config.value_weight * value_error
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.network.parameters(), config.max_grad_norm)
            optimizer.step()
            schedule.step()
            right += int((logits.argmax(dim=1) == places).sum())
            error += value_error.item()
        told(epoch + 1, right / max(batches * MINIBATCH, 1), error / max(batches, 1))
