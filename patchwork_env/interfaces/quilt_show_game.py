"""A read-only view of one game of Quilt Show, for people and for code that wants names instead of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from patchwork_env.games.quilt_show.actions import ActionInfo, describe, exposed_tile, why_illegal
from patchwork_env.games.quilt_show.cards import CARD_TYPES, GROUP_TILES, Settings, group_tile
from patchwork_env.games.quilt_show.layout import PHASES
from patchwork_env.games.quilt_show.rules import best_standing, standing
from patchwork_env.interfaces.view import RecordView

if TYPE_CHECKING:
    from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch


@dataclass(frozen=True)
class Quilt:
    """A finished quilt."""

    owner: int
    style: str  # "scrap" or "sampler"
    key: int  # its pattern (scrap) or colour (sampler)
    tiles: tuple[int, ...]
    chip: int  # points; 0 none
    points: int
    is_open: bool  # False for an entry that is still secret


class QuiltShowView(RecordView):
    """Game ``index`` of a batch as it stands now. Every answer is a copy; nothing can be changed through it.

    The view sees what is hidden from the players, too: `patchwork_env.games.quilt_show.observation` is what they see.
    """

    _games: QuiltShowBatch

    @property
    def settings(self) -> Settings:
        """Players and variants."""
        return self._games.settings

    @property
    def money(self) -> tuple[int, ...]:
        """Thousands of each player."""
        return tuple(self._record["money"][: self.settings.num_players].tolist())

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """Card types in each player's hand, ascending."""
        return tuple(_cards(self._record["hands"][player]) for player in range(self.settings.num_players))

    @property
    def face_up(self) -> tuple[int | None, ...]:
        """The card type in each of the six places; None where there is no card."""
        return tuple(None if card < 0 else card for card in self._record["face_up"].tolist())

    @property
    def exposed(self) -> tuple[int | None, ...]:
        """The tile that each stack shows; None where it shows none."""
        return tuple(exposed_tile(self.settings, self._record, stack) for stack in range(6))

    @property
    def stack_sizes(self) -> tuple[int, ...]:
        """Tiles face down in each stack."""
        return tuple(int(word).bit_count() for word in self._record["face_down"])

    @property
    def sewing_rooms(self) -> tuple[tuple[int, ...], ...]:
        """Loose tiles of each player."""
        rooms = []
        for player in range(self.settings.num_players):
            words = self._record["loose"][player].tolist()
            rooms.append(tuple(tile for key in range(6) for tile in _group_tiles(key, words[key])))
        return tuple(rooms)

    @property
    def quilts(self) -> tuple[Quilt, ...]:
        """Finished quilts: those that lie open, then the entries of this show."""
        record = self._record
        quilts = []
        for number in range(record["quilt_count"]):
            key = int(record["quilt_key"][number])
            quilts.append(
                Quilt(
                    owner=int(record["quilt_owner"][number]),
                    style="scrap" if key < 6 else "sampler",
                    key=key % 6,
                    tiles=_group_tiles(key, int(record["quilt_tiles"][number])),
                    chip=int(record["quilt_chip"][number]),
                    points=int(record["quilt_points"][number]),
                    is_open=number < record["open_count"],
                )
            )
        return tuple(quilts)

    @property
    def sewing(self) -> tuple[int, ...]:
        """Tiles of the quilt that is being sewn."""
        key = int(self._record["sewing_key"])
        return _group_tiles(key, int(self._record["sewing_tiles"])) if key >= 0 else ()

    @property
    def chips(self) -> tuple[tuple[int, ...], ...]:
        """Points of the chips that each player has and that are on no quilt."""
        held = self._record["chips"].tolist()
        return tuple(
            tuple(chip + 1 for chip in range(3) if held[player] >> chip & 1)
            for player in range(self.settings.num_players)
        )

    @property
    def prizes(self) -> tuple[int, ...]:
        """Prizes of the show that is on, in thousands, descending."""
        return tuple(prize for prize in self._record["prizes"].tolist() if prize > 0)

    @property
    def deck_size(self) -> int:
        """Cards in the deck."""
        return int(self._record["deck"].sum())

    @property
    def discards_size(self) -> int:
        """Cards in the discards."""
        return int(self._record["discards"].sum())

    @property
    def markers(self) -> int:
        """Time markers left, the large one included."""
        return int(self._record["markers"])

    @property
    def round(self) -> int:
        """Shows that are over."""
        return int(self._record["round"])

    @property
    def phase(self) -> str:
        """What kind of decision is due, see `layout.PHASES`."""
        return PHASES[self._record["phase"]]

    @property
    def truncated(self) -> bool:
        """Whether it was cut off."""
        return bool(self._record["truncated"])

    @property
    def winners(self) -> tuple[int, ...]:
        """Who won, several if they share the win; nobody before the end or in a game that was cut off."""
        if not self.done or self.truncated:
            return ()
        best, _ = best_standing(self._table, self._record)
        return tuple(player for player in range(self.settings.num_players) if standing(self._record, player) == best)

    def describe(self, action: int) -> ActionInfo:
        """What an action would do here."""
        return describe(self.settings, self._record, int(action))

    def _reason(self, action: int) -> str:
        return why_illegal(self.settings, self._record, action)

    def __repr__(self) -> str:
        state = "over" if self.done else f"player_{self.to_play} to {self.phase}"
        return f"<quilt show game of {self.settings.num_players}, round {self.round + 1}, {state}, money {self.money}>"


def _cards(counts: Any) -> tuple[int, ...]:
    return tuple(card for card in range(CARD_TYPES) for _ in range(counts[card]))


def _group_tiles(key: int, word: int) -> tuple[int, ...]:
    return tuple(group_tile(key, bit) for bit in range(GROUP_TILES) if word >> bit & 1)
