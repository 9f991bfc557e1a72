"""A read-only view of one game of a batch, for people and for code that wants names instead of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.actions import ActionInfo, describe, quilt_cells, why_illegal
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import score, special_pending, winner
from patchwork_env.interfaces.view import RecordView

if TYPE_CHECKING:
    from patchwork_env.interfaces.batch import PatchworkBatch


class GameView(RecordView):
    """Game ``index`` of a batch as it stands now. Every answer is a copy; nothing can be changed through it."""

    _games: PatchworkBatch

    @property
    def edition(self) -> Edition:
        """The edition being played."""
        return self._games.edition

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both players if the game ended now."""
        return int(score(self._table, self._record, 0)), int(score(self._table, self._record, 1))

    @property
    def positions(self) -> tuple[int, int]:
        """Spaces of the time tokens."""
        return self._pair("positions")

    @property
    def buttons(self) -> tuple[int, int]:
        """Buttons in hand."""
        return self._pair("buttons")

    @property
    def incomes(self) -> tuple[int, int]:
        """Income printed on the patches of each quilt."""
        return self._pair("incomes")

    @property
    def quilts(self) -> NDArray[np.uint8]:
        """(2, rows, columns): 1 where a quilt is covered."""
        quilts = np.zeros((2, self.edition.rows, self.edition.columns), np.uint8)
        for player in range(2):
            for cell in quilt_cells(self.edition, self._record["quilts"][player]):
                quilts[player][cell] = 1
        return quilts

    @property
    def circle(self) -> tuple[int, ...]:
        """Ids of the patches left, from the neutral token on."""
        return tuple(self._record["circle"][: self._record["circle_size"]].tolist())

    @property
    def bonus_holder(self) -> int | None:
        """The player with the bonus tile, or None."""
        holder = int(self._record["bonus_holder"])
        return None if holder < 0 else holder

    @property
    def special_pending(self) -> bool:
        """Whether that player must place (or decline) a special patch now."""
        return bool(special_pending(self._record))

    @property
    def specials_left(self) -> tuple[int, ...]:
        """Spaces of the track that still hold a special patch."""
        reached = max(self.positions)
        if self.special_pending:
            reached = max(int(self._record["resolved"]) + 1, self.positions[1 - self.to_play])
        return tuple(space for space in self.edition.special_spaces if space > reached)

    @property
    def winner(self) -> int | None:
        """Who won, or None before the end."""
        return int(winner(self._table, self._record)) if self.done else None

    def describe(self, action: int) -> ActionInfo:
        """What an action would do here."""
        return describe(self.edition, self._record, int(action))

    def _reason(self, action: int) -> str:
        return why_illegal(self.edition, self._record, action)

    def __repr__(self) -> str:
        state = "over" if self.done else f"player_{self.to_play} to play"
        return f"<{self.edition.name} game, {state}, positions {self.positions}, scores {self.scores}>"

    def _pair(self, field: str) -> tuple[int, int]:
        first, second = self._record[field].tolist()
        return first, second
