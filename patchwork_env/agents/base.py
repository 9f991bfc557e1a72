"""What an agent is, and how a short text names one.

``random``, ``mcts:400`` or ``mcts:400,seed=3``: a name, then after a colon its arguments, those without ``=``
first. The table `AGENTS` says which names there are for Patchwork, `QUILT_SHOW_AGENTS` for Quilt Show. The path of
a trained checkpoint is a name too, alone or followed by ``+mcts:400`` for a search that its network guides.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from patchwork_env.errors import nearest
from patchwork_env.interfaces.base import GameBatch, from_table


@runtime_checkable
class Agent(Protocol):
    """Plays any number of games at once.

    An agent that draws at random also has ``reseed(seed)``, after which it plays the same again.
    """

    def act(self, games: Any, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """A legal action for each game named of a batch; the player to move is ``games.to_play``. Changes no game."""
        ...


AgentLike = str | Agent | Callable[..., Any]

# name -> (module, class); modules are imported when the name is first used
AGENTS: dict[str, tuple[str, str]] = {
    "checkpoint": ("training.agent", "CheckpointAgent"),
    "checkpoint+mcts": ("training.guided", "CheckpointSearch"),
    "pretrained": ("training.agent", "PretrainedAgent"),
    "pretrained+mcts": ("training.guided", "PretrainedSearch"),
    "random": ("patchwork_env.agents.random", "RandomAgent"),
    "advance": ("patchwork_env.agents.advance", "AdvanceAgent"),
    "greedy": ("patchwork_env.agents.greedy", "GreedyAgent"),
    "lookahead": ("patchwork_env.agents.lookahead", "LookaheadAgent"),
    "mcts": ("patchwork_env.agents.mcts", "MctsAgent"),
}

QUILT_SHOW_AGENTS: dict[str, tuple[str, str]] = {
    "checkpoint": ("training.quilt_show_agent", "CheckpointAgent"),
    "pretrained": ("training.quilt_show_agent", "PretrainedAgent"),
    "random": ("patchwork_env.agents.random", "RandomAgent"),
    "greedy": ("patchwork_env.agents.quilt_show.greedy", "GreedyAgent"),
    "ismcts": ("patchwork_env.agents.quilt_show.ismcts", "IsmctsAgent"),
}

# game -> its table of names
AGENTS_OF: dict[str, dict[str, tuple[str, str]]] = {"patchwork": AGENTS, "quilt_show": QUILT_SHOW_AGENTS}


class UnknownAgentError(ValueError):
    """A text that names no agent, or gives one arguments that it does not take."""


class CallableAgent:
    """A function ``(observation, action_mask) -> action`` as an agent, asked game by game.

    The observation is the player's flat tensor, as in the environments.
    """

    def __init__(self, function: Callable[[NDArray[np.float32], NDArray[np.int8]], int]) -> None:
        self.function = function

    def act(self, games: GameBatch[Any], indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The function's answer for each game."""
        tensors = games.observe_tensor()
        return np.array(
            [self.function(tensors[i].copy(), games.action_mask[i].astype(np.int8)) for i in indices], np.int64
        )


def make_agent(agent: AgentLike, seed: int | None = None, game: str = "patchwork") -> Agent:
    """The agent that a text names among those of a game; agents are passed through and functions wrapped.

    ``seed`` seeds a named agent that draws at random, unless its text has a seed of its own.
    """
    if isinstance(agent, Agent):
        return agent
    if callable(agent):
        return CallableAgent(agent)
    if not isinstance(agent, str):
        raise UnknownAgentError(f"an agent is a name, an object with act(games, indices) or a function, got {agent!r}")
    table = from_table("game", game, AGENTS_OF)
    name, _, rest = agent.partition(":")
    folder: list[str] = []
    if name not in table:
        name, folder, rest = _from_folder(agent)
    if name not in table:
        raise UnknownAgentError(f"unknown agent {agent!r}{nearest(name, table)}; known are {', '.join(sorted(table))}")
    module, class_name = table[name]
    positional, named = _arguments(rest)
    named.setdefault("seed", seed)
    try:
        made: Agent = getattr(importlib.import_module(module), class_name)(*folder, *positional, **named)
    except ModuleNotFoundError as error:
        raise UnknownAgentError(
            f"agent {agent!r} needs {error.name}, which comes with an extra: pip install 'patchwork-env[train]'"
        ) from error
    except (TypeError, ValueError) as error:
        raise UnknownAgentError(f"agent {agent!r}: {error}") from None
    return made


def _from_folder(text: str) -> tuple[str, list[str], str]:
    """Name, folder and further arguments of a text that begins with the folder of a checkpoint."""
    if os.path.isdir(text):
        return "checkpoint", [text], ""
    folder, _, search = text.rpartition("+")
    name, _, rest = search.partition(":")
    return (f"checkpoint+{name}", [folder], rest) if os.path.isdir(folder) else (text.partition(":")[0], [], "")


def _arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if equals:
            named[key.strip()] = _number_or_text(value.strip())
        else:
            positional.append(_number_or_text(part.strip()))
    return positional, named


def _number_or_text(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
