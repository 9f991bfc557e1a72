"""``patchwork refine CHECKPOINT``: let a trained network learn from its own search.

Self-play PPO learns from how games end, which says little of a single decision. A search that the network guides says
more: which candidates deserve a second look, and how well the position stands. In every round the network's search
plays games against itself; the policy then learns the shares in which the search visited the candidates, the critic a
mean of what the search found and of how the games ended. A round's games stay in the memory for a few rounds. The
better network guides the search of the next round.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.interfaces.batch import PatchworkBatch
from training.agent import PolicyAgent, policy_of
from training.arena import play_pairs
from training.checkpoint import Checkpoint, is_checkpoint, load_checkpoint, save_checkpoint
from training.console import percent, percent_interval
from training.guided import GuidedAgent, trained_share
from training.split import SplitNetwork
from training.trainer import EVALUATION_SEED
from training.vec_env import MARGIN_SCALE

Samples = dict[str, NDArray[Any]]  # rows of an observation, and "mask", "shares" and "value"


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a refinement goes; each field is an option of the command."""

    rounds: int = 20  # of play and learning
    games: int = 512  # played in a round, all at once
    simulations: int = 48  # of a decision
    sampled: int = 16  # decisions of a game that are drawn by the search's shares; later ones take the best
    memory: int = 4  # rounds whose games are learnt from
    epochs: int = 2  # passes over the memory in a round
    minibatch: int = 1024
    learning_rate: float = 0.001  # in the first round; it falls to a tenth in a straight line
    seed: int = 1
    threads: int = 2  # parts of a minibatch that the network works on at the same time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("checkpoint", help="the folder of a checkpoint, as a run leaves it")
    parser.add_argument("--out", type=Path, required=True, help="folder for the refined checkpoint and its log")
    parser.add_argument("--against", nargs="*", default=["greedy"], metavar="AGENT", help="whom to measure against")
    parser.add_argument("--deals", type=int, default=500, help="deals of each of these matches (default 500)")
    for field in dataclasses.fields(Settings):
        default = field.default
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(default), default=default)


def run(arguments: argparse.Namespace) -> int:
    """Refine, and say how strong the outcome is."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    settings = Settings(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(Settings)})
    checkpoint = load_checkpoint(arguments.checkpoint)
    if is_checkpoint(arguments.out):
        raise ValueError(f"{arguments.out} already holds a checkpoint; choose another --out")
    refined = checkpoint
    for row, refined in refine(checkpoint, settings):
        save_checkpoint(arguments.out, refined)
        _log(arguments.out.parent / "refined.csv", row)
        print(", ".join(f"{name} {value:g}" for name, value in row.items()), flush=True)
    agent = policy_of(refined)
    for opponent in arguments.against:
        result = play_pairs(agent, opponent, arguments.deals, edition=refined.edition, seed=EVALUATION_SEED)
        print(f"against {opponent}: {percent(result.win_rate)} ({percent_interval(result.interval)})")
    return 0


def refine(checkpoint: Checkpoint, settings: Settings) -> Iterator[tuple[dict[str, float], Checkpoint]]:
    """The figures and the network after each round; the checkpoint that is given changes along."""
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    generator = np.random.default_rng(settings.seed)
    network = checkpoint.network
    share = trained_share(checkpoint)
    split = SplitNetwork(network, settings.threads)
    optimizer = torch.optim.Adam(network.parameters(), settings.learning_rate)
    memory: list[Samples] = []
    decisions = checkpoint.decisions
    config = {**checkpoint.config, "refined": dataclasses.asdict(settings)}
    for number in range(settings.rounds):
        started = time.perf_counter()
        policy = PolicyAgent(network, checkpoint.edition, checkpoint.placements)
        search = GuidedAgent(policy, settings.simulations, settings.seed + number, share, leaves=1)
        samples, score = play_round(search, checkpoint.edition, settings, number, generator)
        played = time.perf_counter()
        memory = [*memory, samples][-settings.memory :]
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - 0.9 * number / max(settings.rounds - 1, 1))
        losses = learn(split, optimizer, memory, settings, generator)
        decisions += len(samples["value"])
        row = {
            "round": number + 1,
            "decisions": len(samples["value"]),
            "score": round(score, 2),
            **{name: round(value, 4) for name, value in losses.items()},
            "seconds_played": round(played - started, 1),
            "seconds_learnt": round(time.perf_counter() - played, 1),
        }
        yield row, dataclasses.replace(checkpoint, decisions=decisions, config=config)


def play_round(
    search: GuidedAgent, edition: Edition, settings: Settings, number: int, generator: np.random.Generator
) -> tuple[Samples, float]:
    """The decisions of a round's games, and the mean score of a player."""
    seed = settings.seed * 1_000_003 + number
    games = PatchworkBatch(settings.games, edition, seed=seed, auto_reset=False, first_player="random")
    games.reset()
    kept: list[dict[str, NDArray[Any]]] = []
    while not games.done.all():
        live = np.flatnonzero(~games.done)
        view = search.policy.listed(games, live)
        actions = view.actions[live, view.mask[live].argmax(axis=1)]
        choices = np.flatnonzero(view.counts[live] > 1)
        if choices.size:
            rows = live[choices]
            view, shares, values = search.findings(games, rows)
            drawn = np.argmax(np.log(shares + 1e-9) + generator.gumbel(size=shares.shape), axis=1)
            early = games.state["decisions"][rows] < settings.sampled
            chosen = np.where(early, drawn, shares.argmax(axis=1))
            actions[choices] = view.actions[rows, chosen]
            kept.append(
                {
                    **view.observation(rows),
                    "mask": view.mask[rows],
                    "shares": shares,
                    "value": values,
                    "game": rows,
                    "mover": games.to_play[rows].copy(),
                }
            )
        games.step(actions, live)
    samples = {name: np.concatenate([part[name] for part in kept]) for name in kept[0]}
    margin = (games.scores[:, 0] - games.scores[:, 1]).astype(np.float32)
    won = np.array([1.0 if games.game(i).winner == 0 else -1.0 for i in range(settings.games)], np.float32)
    ends = search.outcome_share * won + (1 - search.outcome_share) * np.tanh(margin / MARGIN_SCALE)
    ended = ends[samples.pop("game")]
    samples["value"] = 0.5 * samples["value"] + 0.5 * np.where(samples.pop("mover") == 0, ended, -ended)
    return samples, float(games.scores.mean())


def learn(
    split: SplitNetwork,
    optimizer: torch.optim.Optimizer,
    memory: list[Samples],
    settings: Settings,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Passes over all that is in the memory; the mean losses of policy and critic."""
    samples = {name: np.concatenate([part[name] for part in memory]) for name in memory[0]}
    count = len(samples["value"])
    sums = np.zeros(2)
    steps = 0
    for _ in range(settings.epochs):
        order = generator.permutation(count)
        for start in range(0, max(count - settings.minibatch, 0) + 1, settings.minibatch):
            rows = order[start : start + settings.minibatch]
            batch = {name: torch.from_numpy(array[rows].astype(array.dtype)) for name, array in samples.items()}
            policy_loss, value_loss = losses(split, batch)
            optimizer.zero_grad()
            (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            sums += (policy_loss.item(), value_loss.item())
            steps += 1
    return {"policy_loss": float(sums[0] / steps), "value_loss": float(sums[1] / steps)}


def losses(split: SplitNetwork, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """How far the policy is from the search's shares (Kullback-Leibler), and the critic from the values."""
    observation = {name: array for name, array in batch.items() if name not in ("mask", "shares", "value")}
    masks, shares = batch["mask"], batch["shares"]
    logits, values = split(observation, masks)
    logarithms = torch.log_softmax(logits, dim=1).masked_fill(~masks, 0.0)
    surprise = torch.special.xlogy(shares, shares) - shares * logarithms
    return surprise.sum(dim=1).mean(), ((values - batch["value"].float()) ** 2).mean()


def _log(path: Path, row: dict[str, float]) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)
