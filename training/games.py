"""The games that can be trained: one table, and for each game what the trainer does not know by itself."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sb3_contrib import MaskablePPO

from patchwork_env import load_edition
from patchwork_env.agents.base import AgentLike
from training.agent import PolicyAgent
from training.arena import play_pairs
from training.checkpoint import Checkpoint, save_checkpoint
from training.config import Config
from training.intervals import Interval
from training.network_agent import NetworkAgent
from training.networks import NETWORKS
from training.policy import ChoiceScorer, NetworkPolicy, PolicyNetwork
from training.ppo import PerPlayerPPO, TurnAwarePPO
from training.quilt_show_agent import QuiltShowAgent, QuiltShowCheckpoint, in_words, save_quilt_show_checkpoint
from training.quilt_show_env import QuiltShowVecEnv
from training.quilt_show_network import ChoiceNetwork
from training.rotations import play_rotations
from training.self_play import SelfPlayEnv
from training.vec_env import SelfPlayVecEnv


@dataclass(frozen=True)
class Measured:
    """How an agent did against a baseline."""

    win_rate: float
    interval: Interval  # 95%
    games: int
    figures: dict[str, str]  # further columns of the last table, means of a game


class TrainedGame:
    """What is played in a run, as its configuration asks for it."""

    figure_names: ClassVar[tuple[str, ...]]  # what the environment counts of games that ended
    match_command: ClassVar[str]  # that plays agents against each other

    def __init__(self, config: Config) -> None:
        self.config = config

    @property
    def title(self) -> str:
        """What is trained, in words."""
        raise NotImplementedError

    @property
    def num_players(self) -> int:
        """Players at a table, so that equals win one in as many games."""
        raise NotImplementedError

    def make_env(self) -> SelfPlayEnv:
        """The environment of the run."""
        raise NotImplementedError

    def make_network(self) -> ChoiceScorer:
        """A network that has not learned anything."""
        raise NotImplementedError

    def make_model(self, env: Any, **settings: Any) -> MaskablePPO:
        """The learner, over a `NetworkPolicy`."""
        raise NotImplementedError

    def make_agent(self, network: Any, sample: bool = False, seed: int | None = None) -> NetworkAgent:
        """A network as a player."""
        raise NotImplementedError

    def save(self, folder: Path, network: Any, decisions: int) -> None:
        """Write a checkpoint of a network that was trained on so many decisions."""
        raise NotImplementedError

    def measure(self, agent: AgentLike, baseline: str, deals: int, seed: int) -> Measured:
        """Play deals in every seating against a baseline, which has all seats but one."""
        raise NotImplementedError


class PatchworkTraining(TrainedGame):
    """Two players, told apart by a sign."""

    figure_names = SelfPlayVecEnv.figure_names
    match_command = "match"
    num_players = 2

    @property
    def title(self) -> str:
        """The edition."""
        return self.config.edition

    def make_env(self) -> SelfPlayVecEnv:
        """The environment of the run."""
        config = self.config
        return SelfPlayVecEnv(
            config.games,
            config.edition,
            config.seed,
            config.placements,
            config.network,
            config.outcome_share,
            config.reward_sign,
        )

    def make_network(self) -> PolicyNetwork:
        """A network that has not learned anything, of the kind that is asked for."""
        config = self.config
        return NETWORKS[config.network].made_for(load_edition(config.edition), config.width, config.hidden)

    def make_model(self, env: SelfPlayVecEnv, **settings: Any) -> TurnAwarePPO:
        """The learner, which knows whose turn it is."""
        return TurnAwarePPO(NetworkPolicy, env, turn_aware=self.config.turn_aware, **settings)

    def make_agent(self, network: Any, sample: bool = False, seed: int | None = None) -> PolicyAgent:
        """A network as a player."""
        return PolicyAgent(network, load_edition(self.config.edition), self.config.placements, sample, seed)

    def save(self, folder: Path, network: Any, decisions: int) -> None:
        """Write a checkpoint."""
        config = self.config
        edition = load_edition(config.edition)
        save_checkpoint(folder, Checkpoint(network, edition, config.placements, decisions, dataclasses.asdict(config)))

    def measure(self, agent: AgentLike, baseline: str, deals: int, seed: int) -> Measured:
        """Play each deal twice, with the seats swapped."""
        result = play_pairs(agent, baseline, deals, edition=self.config.edition, seed=seed)
        score, empty_cells = (result.means(name)[0] for name in ("scores", "empty_cells"))
        figures = {"score": f"{score:+.1f}", "empty cells": f"{empty_cells:.1f}"}
        return Measured(result.win_rate, result.interval, result.games, figures)


class QuiltShowTraining(TrainedGame):
    """Two to four players, each with decisions and rewards of its own."""

    figure_names = QuiltShowVecEnv.figure_names
    match_command = "quilt-show"

    @property
    def title(self) -> str:
        """Players and variants."""
        return f"{self.config.game}, {in_words(self.config.settings)},"

    @property
    def num_players(self) -> int:
        """Players at a table."""
        return self.config.num_players

    def make_env(self) -> QuiltShowVecEnv:
        """The environment of the run."""
        config = self.config
        return QuiltShowVecEnv(
            config.games,
            seed=config.seed,
            outcome_share=config.outcome_share,
            reward_sign=config.reward_sign,
            **config.settings.as_dict(),
        )

    def make_network(self) -> ChoiceNetwork:
        """A network that has not learned anything."""
        return ChoiceNetwork(self.config.width, self.config.hidden)

    def make_model(self, env: QuiltShowVecEnv, **settings: Any) -> PerPlayerPPO:
        """The learner, with a chain of decisions for each player."""
        return PerPlayerPPO(NetworkPolicy, env, **settings)

    def make_agent(self, network: Any, sample: bool = False, seed: int | None = None) -> QuiltShowAgent:
        """A network as a player."""
        return QuiltShowAgent(network, self.config.settings, sample, seed)

    def save(self, folder: Path, network: Any, decisions: int) -> None:
        """Write a checkpoint."""
        description = dataclasses.asdict(self.config)
        save_quilt_show_checkpoint(folder, QuiltShowCheckpoint(network, self.config.settings, decisions, description))

    def measure(self, agent: AgentLike, baseline: str, deals: int, seed: int) -> Measured:
        """Play each deal once for every rotation of the seats."""
        seats = [agent, *[baseline] * (self.num_players - 1)]
        variants: dict[str, Any] = dict.fromkeys(self.config.settings.variants, True)
        result = play_rotations(seats, deals, seed=seed, **variants)
        money = result.money.mean(axis=(0, 1))
        figures = {"money": f"{money[0]:.1f}k", "others' money": f"{money[1:].mean():.1f}k"}
        return Measured(float(result.win_rates[0]), result.interval(0), result.games, figures)


# name in a configuration -> how it is trained
GAMES: dict[str, type[TrainedGame]] = {"patchwork": PatchworkTraining, "quilt_show": QuiltShowTraining}


def trained_game(config: Config) -> TrainedGame:
    """The game that a configuration asks for."""
    return GAMES[config.game](config)
