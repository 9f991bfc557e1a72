"""The batch: many games of one edition, stepped together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchwork_env.games.patchwork import loops
from patchwork_env.games.patchwork.actions import why_illegal
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.games.patchwork.observation import MOVER, observation_shapes, tensor_layout
from patchwork_env.games.patchwork.reward import REWARDS
from patchwork_env.games.patchwork.state import GAME, edition_tables
from patchwork_env.interfaces.base import BLOB_VERSION, GameBatch, checked_seed
from patchwork_env.interfaces.game import GameView
from patchwork_env.kernels import run_over

__all__ = ["BLOB_VERSION", "FIRST_PLAYERS", "PatchworkBatch", "StepResult", "checked_seed"]

FIRST_PLAYERS = {"player_0": 0, "player_1": 1, "random": loops.RANDOM_FIRST}


class StepResult(NamedTuple):
    """What a step gave. The arrays belong to the batch and are overwritten by its next step."""

    rewards: NDArray[np.float32]  # (N, 2) both players' rewards
    done: NDArray[np.bool_]  # (N,) the game ended with this step
    final_scores: NDArray[np.int16]  # (N, 2) the scores of games that are `done`; elsewhere stale


class PatchworkBatch(GameBatch[StepResult]):
    """``num_games`` games of one edition; see `GameBatch` for what all batches promise."""

    loops: ClassVar[ModuleType] = loops
    reward_codes: ClassVar[dict[str, int]] = REWARDS
    first_player_codes: ClassVar[dict[str, int]] = FIRST_PLAYERS
    kind: ClassVar[str] = "edition"

    def __init__(
        self,
        num_games: int,
        edition: str | os.PathLike[str] | Edition = "revised",
        seed: int | None = None,
        threads: int | None = None,
        auto_reset: bool = True,
        reward: str = "outcome",
        first_player: str = "player_0",
    ) -> None:
        self.edition = load_edition(edition)
        super().__init__(
            num_games,
            num_players=2,
            num_actions=self.edition.num_actions,
            dtype=GAME,
            tables=edition_tables(self.edition),
            shapes=observation_shapes(self.edition),
            layout=tensor_layout(self.edition),
            mover_code=MOVER,
            seed=seed,
            threads=threads,
            auto_reset=auto_reset,
            reward=reward,
            first_player=first_player,
        )

    def _new_result(self) -> StepResult:
        return StepResult(
            np.zeros((self.num_games, 2), np.float32),
            np.zeros(self.num_games, np.bool_),
            np.zeros((self.num_games, 2), np.int16),
        )

    def _kernel_rows(self) -> tuple[NDArray[Any], ...]:
        quilts, *others = self._observation.values()
        return quilts.reshape(self.num_games, 2, -1), *others  # a quilt is a row of cells

    # --- playing --------------------------------------------------------------------------------------------------

    def reset(
        self,
        indices: ArrayLike | None = None,
        circles: ArrayLike | Sequence[Sequence[int]] | None = None,
        seed: int | None = None,
        first_players: str | Sequence[str] | None = None,
    ) -> None:
        """Start the next episode of all games, or of those named.

        A ``seed`` starts every random stream anew, from episode 0. ``circles`` gives the games known set-ups: for
        each the patch ids from the neutral token on. ``first_players`` overrides who begins, for all or for each.
        """
        count = self.num_games if indices is None else len(self._checked_indices(indices))
        known = None if circles is None else self._checked_circles(circles, count)
        chosen = self._deal(indices, seed, first_players)
        if known is not None:
            self.state["circle"][chosen, : known.shape[1]] = known
            self.renew_masks(chosen)

    # --- looking --------------------------------------------------------------------------------------------------

    @property
    def positions(self) -> NDArray[np.int16]:
        """(N, 2) spaces of the time tokens."""
        return self._column("positions")

    @property
    def buttons(self) -> NDArray[np.int16]:
        """(N, 2) buttons in hand."""
        return self._column("buttons")

    @property
    def incomes(self) -> NDArray[np.int16]:
        """(N, 2) income printed on the patches of the quilts."""
        return self._column("incomes")

    @property
    def scores(self) -> NDArray[np.int16]:
        """(N, 2) points if the games ended now, newly computed."""
        scores = np.zeros((self.num_games, 2), np.int16)
        run_over(self.num_games, self.threads, loops.score_games, self.tables, self.state, scores)
        return scores

    def game(self, index: int) -> GameView:
        """A read-only view of one game that goes along with the batch."""
        return GameView(self, self._checked_index(index))

    # --- keeping --------------------------------------------------------------------------------------------------

    def set_refill(self, index: int, order: Sequence[int]) -> None:
        """Put the patches that have just joined a game's circle into a known order, as `reset` does the circle."""
        index = self._checked_index(index)
        size = self.state["circle_size"][index]
        joined = self.state["circle"][index, size - len(order) : size]
        if not self.state["refilled"][index] or sorted(order) != sorted(joined.tolist()):
            raise ValueError(f"game {index}: {list(order)} is no order of the patches that have just joined the circle")
        joined[:] = order
        self.renew_masks(np.array([index]))

    def _settings(self) -> dict[str, Any]:
        return {
            "num_games": self.num_games,
            "edition": self.edition,
            "seed": int(self._seed),
            "threads": self.threads,
            "auto_reset": self.auto_reset,
            "reward": self.reward,
            "first_player": self.first_player,
        }

    # --- checking -------------------------------------------------------------------------------------------------

    @property
    def _fingerprint(self) -> bytes:
        return self.edition.fingerprint

    @property
    def _label(self) -> str:
        return repr(self.edition.name)

    def _why_illegal(self, index: int, action: int) -> str:
        return why_illegal(self.edition, self.state[index], action)

    def _checked_circles(self, circles: Any, count: int) -> NDArray[np.int8]:
        size = self.edition.circle_size
        known = np.asarray(circles)
        if known.shape != (count, size) or known.dtype.kind not in "iu":
            raise ValueError(
                f"circles must be {count} lists of {size} patch ids, got {known.dtype} of shape {known.shape}"
            )
        for number, circle in enumerate(known):
            if sorted(circle.tolist()) != list(range(size)):
                raise ValueError(
                    f"circle {number} must name each patch from 0 to {size - 1} once, got {circle.tolist()}"
                )
        return known.astype(np.int8)
