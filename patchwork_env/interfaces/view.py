"""What every read-only view of one game does the same way, whatever the game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class RecordView:
    """Game ``index`` of a batch as it stands now. Every answer is a copy; nothing can be changed through it."""

    def __init__(self, games: Any, index: int) -> None:
        self._games = games
        self._index = index

    @property
    def to_play(self) -> int:
        """The player who decides; after the end the one who decided last."""
        return int(self._record["to_play"])

    @property
    def decisions(self) -> int:
        """Decisions taken so far."""
        return int(self._record["decisions"])

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return bool(self._record["done"])

    def legal_actions(self) -> NDArray[np.int64]:
        """The legal actions, ascending."""
        return np.flatnonzero(self._games.action_mask[self._index])

    def why_illegal(self, action: int) -> str | None:
        """Why an action may not be played now; None if it may."""
        action = int(action)
        mask = self._games.action_mask[self._index]
        return None if 0 <= action < len(mask) and mask[action] else self._reason(action)

    def _reason(self, action: int) -> str:
        """Why an action that the mask does not allow is refused."""
        raise NotImplementedError

    @property
    def _record(self) -> Any:
        return self._games.state[self._index]

    @property
    def _table(self) -> Any:
        return self._games.tables[0]
