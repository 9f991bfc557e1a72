"""The league: frozen earlier selves and scripted agents that a share of the games is played against."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch

from patchwork_env.agents.base import Agent, make_agent
from training.config import Config
from training.games import TrainedGame
from training.network_agent import NetworkAgent
from training.policy import ChoiceScorer
from training.self_play import SelfPlayEnv

MEMORY = 200.0  # games that the running win rate against an opponent looks back
FLOOR = 0.05  # even an opponent that is always beaten is met now and then


class League:
    """Opponents and how hard they are: the less they are beaten, the more often they are drawn."""

    def __init__(self, config: Config, game: TrainedGame, env: SelfPlayEnv) -> None:
        self._config = config
        self._game = game
        self._env = env
        self.names = list(config.league_agents)
        self.agents: list[Agent] = [
            make_agent(text, seed=config.seed, game=config.game) for text in config.league_agents
        ]
        self.win_rates = [0.5] * len(self.agents)  # the learner's, running
        self._apply()
        env.set_openings(config.opening_share, config.opening_decisions, len(self.agents))

    def join(self, network: ChoiceScorer, update: int) -> None:
        """Freeze the network as an opponent; the oldest earlier self leaves when there are too many."""
        if self._config.league_size == 0:
            return
        scripted = len(self._config.league_agents)
        if len(self.agents) - scripted == self._config.league_size:
            for entries in (self.names, self.agents, self.win_rates):
                del entries[scripted]  # type: ignore[attr-defined]
        self._add_self(copy.deepcopy(network).eval(), f"self@{update}", 0.5)
        self._apply()

    def learn_from(self, games: dict[int, int], wins: dict[int, float]) -> None:
        """Take in how the last games went; both are keyed by the opponent's position."""
        for number, played in games.items():
            if number < len(self.win_rates):
                share = min(1.0, played / MEMORY)
                self.win_rates[number] += share * (wins.get(number, 0) / played - self.win_rates[number])
        self._apply()

    def reseed(self, seed: int) -> None:
        """Seed what the earlier selves draw."""
        for number, agent in enumerate(self.agents):
            if isinstance(agent, NetworkAgent):
                agent.reseed(seed * 1_000 + number)

    def state(self) -> dict[str, Any]:
        """What `restore` needs to go on."""
        scripted = len(self._config.league_agents)
        return {
            "names": self.names[scripted:],
            "win_rates": self.win_rates,
            "networks": [agent.network.state_dict() for agent in self.agents if isinstance(agent, NetworkAgent)],
        }

    def restore(self, state: dict[str, Any], template: ChoiceScorer) -> None:
        """Go on as it was."""
        for name, weights in zip(state["names"], state["networks"], strict=True):
            network = copy.deepcopy(template).eval()
            network.load_state_dict(weights)
            self._add_self(network, name, 0.5)
        self.win_rates = list(state["win_rates"])
        self._apply()

    def _add_self(self, network: ChoiceScorer, name: str, win_rate: float) -> None:
        for parameter in network.parameters():
            parameter.requires_grad_(False)
        self.agents.append(self._game.make_agent(network, sample=True, seed=0))
        self.names.append(name)
        self.win_rates.append(win_rate)

    def _apply(self) -> None:
        weights = np.maximum(FLOOR, (1.0 - np.array(self.win_rates)) ** 2)
        self._env.set_league(self.agents, weights, self._config.league_share)


def frozen(state: Any) -> Any:
    """A deep copy of nested state dicts whose tensors no longer change with training."""
    if isinstance(state, torch.Tensor):
        return state.detach().clone()
    if isinstance(state, dict):
        return {key: frozen(value) for key, value in state.items()}
    if isinstance(state, list):
        return [frozen(value) for value in state]
    return state
