"""The batch of Quilt Show: many games of the same settings, stepped together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchwork_env.games.quilt_show import loops
from patchwork_env.games.quilt_show.actions import why_illegal
from patchwork_env.games.quilt_show.cards import Settings
from patchwork_env.games.quilt_show.layout import NUM_ACTIONS
from patchwork_env.games.quilt_show.observation import MOVER, OBSERVATION_SHAPES, tensor_layout
from patchwork_env.games.quilt_show.reward import REWARDS
from patchwork_env.games.quilt_show.rules import RANDOM_FIRST
from patchwork_env.games.quilt_show.state import GAME, settings_tables
from patchwork_env.interfaces.base import GameBatch
from patchwork_env.interfaces.quilt_show_game import QuiltShowView

FIRST_PLAYERS = {"random": RANDOM_FIRST, "player_0": 0, "player_1": 1, "player_2": 2, "player_3": 3}


class StepResult(NamedTuple):
    """What a step gave. The arrays belong to the batch and are overwritten by its next step."""

    rewards: NDArray[np.float32]  # (N, players)
    done: NDArray[np.bool_]  # (N,) the game ended with this step, or was cut off
    truncated: NDArray[np.bool_]  # (N,) it was cut off: it reached the limit of decisions
    final_money: NDArray[np.int16]  # (N, players) thousands, of games that are `done`; elsewhere stale


class QuiltShowBatch(GameBatch[StepResult]):
    """``num_games`` games with the same number of players and the same variants; see `GameBatch`."""

    loops: ClassVar[ModuleType] = loops
    reward_codes: ClassVar[dict[str, int]] = REWARDS
    first_player_codes: ClassVar[dict[str, int]] = FIRST_PLAYERS
    kind: ClassVar[str] = "settings"

    def __init__(
        self,
        num_games: int,
        num_players: int = 2,
        seed: int | None = None,
        threads: int | None = None,
        auto_reset: bool = True,
        reward: str = "outcome",
        first_player: str = "random",
        **variants: bool,
    ) -> None:
        self.settings = checked_settings(num_players, variants)
        super().__init__(
            num_games,
            num_players=self.settings.num_players,
            num_actions=NUM_ACTIONS,
            dtype=GAME,
            tables=settings_tables(self.settings),
            shapes=OBSERVATION_SHAPES,
            layout=tensor_layout(),
            mover_code=MOVER,
            seed=seed,
            threads=threads,
            auto_reset=auto_reset,
            reward=reward,
            first_player=first_player,
        )
        self._check_beginners([first_player])

    def _new_result(self) -> StepResult:
        return StepResult(
            np.zeros((self.num_games, self.num_players), np.float32),
            np.zeros(self.num_games, np.bool_),
            np.zeros(self.num_games, np.bool_),
            np.zeros((self.num_games, self.num_players), np.int16),
        )

    def reset(
        self,
        indices: ArrayLike | None = None,
        seed: int | None = None,
        first_players: str | Sequence[str] | None = None,
    ) -> None:
        """Start the next episode of all games, or of those named.

        A ``seed`` starts every random stream anew, from episode 0. ``first_players`` overrides who begins.
        """
        if first_players is not None:
            self._check_beginners([first_players] if isinstance(first_players, str) else list(first_players))
        self._deal(indices, seed, first_players)

    @property
    def money(self) -> NDArray[np.int16]:
        """(N, players) thousands."""
        return self._column("money")[:, : self.num_players]

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """(N,) games that were cut off; always False after a step with ``auto_reset``."""
        return self._column("truncated").astype(np.bool_)

    @property
    def phases(self) -> NDArray[np.int8]:
        """(N,) what kind of decision is due, see `layout.PHASES`."""
        return self._column("phase")

    def game(self, index: int) -> QuiltShowView:
        """A read-only view of one game that goes along with the batch. It sees everything, as an onlooker would."""
        return QuiltShowView(self, self._checked_index(index))

    def _settings(self) -> dict[str, Any]:
        return {
            "num_games": self.num_games,
            **self.settings.as_dict(),
            "seed": int(self._seed),
            "threads": self.threads,
            "auto_reset": self.auto_reset,
            "reward": self.reward,
            "first_player": self.first_player,
        }

    @property
    def _fingerprint(self) -> bytes:
        return hashlib.sha256(f"quilt show 1 {self.settings}".encode()).digest()[:8]

    @property
    def _label(self) -> str:
        return str(self.settings)

    def _why_illegal(self, index: int, action: int) -> str:
        return why_illegal(self.settings, self.state[index], action)

    def _check_beginners(self, names: list[str]) -> None:
        for name in names:
            code = FIRST_PLAYERS.get(name, 0)
            if self.num_players <= code < RANDOM_FIRST:
                raise ValueError(f"there is no {name} in a game of {self.num_players} players")


def checked_settings(num_players: int, variants: dict[str, bool]) -> Settings:
    """The settings; a ValueError names a variant that does not exist."""
    try:
        return Settings(num_players, **variants)
    except TypeError:
        known = [name for name in Settings().as_dict() if name != "num_players"]
        unknown = [name for name in variants if name not in known]
        raise ValueError(f"unknown variant {unknown[0]!r}; known are {', '.join(known)}") from None
