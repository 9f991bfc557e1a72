"""The solo batch: many games of one human against the Automa, stepped together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchwork_env.games.patchwork import automa_rules
from patchwork_env.games.patchwork.automa import (
    AUTOMA,
    HUMAN,
    Card,
    automa_data,
    automa_tables,
    deck_names,
    level_names,
    new_automas,
)
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.observation import TensorLayout, tensor_layout
from patchwork_env.games.patchwork.reward import REWARDS
from patchwork_env.games.patchwork.state import GAME
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.game import GameView
from patchwork_env.kernels import run_over

SOLO_REWARDS = ("outcome", "margin")
AUTOMA_NUMBERS = (  # what `observe_solo_games` writes; -1 is "none"
    "automa_score",
    "automa_patches",  # patches it has taken
    "tile_space",  # where it will take the bonus tile; -1 when that is gone
    "card",  # number of the card turned last
    "card_buttons",
    "card_income",
    "shuffles",
    "cards_turned",  # since the last shuffle
)
MAY_BE_NONE = ("tile_space", "card", "card_buttons", "card_income")


def automa_fields(deck: str) -> tuple[str, ...]:
    """The names of the numbers that a solo observation adds: the Automa's, then one flag a card, level and deck."""
    cards = (f"card_{k}_seen" for k in range(len(automa_data().decks[deck])))
    levels = (f"level_{name}" for name in level_names())
    decks = (f"deck_{name}" for name in deck_names())
    return (*AUTOMA_NUMBERS, *cards, *levels, *decks)


@dataclass(frozen=True)
class SoloLayout(TensorLayout):
    """The two-player layout with the Automa's numbers behind it."""

    automa: slice

    @property
    def size(self) -> int:
        """Entries of the tensor."""
        return int(self.automa.stop)


def solo_layout(edition: Edition, deck: str) -> SoloLayout:
    """The layout of an edition's solo tensor."""
    base = tensor_layout(edition)
    cards = automa_data().decks[deck]
    income = sum(patch.income for patch in edition.patches)
    buttons = max(1, *(card.buttons for card in cards))
    gain = max(1, *(card.income for card in cards))
    printed = gain * len(edition.income_spaces)
    turns = edition.last_space + len(edition.patches)
    ranges = {  # name -> (largest value, value that becomes 1)
        "automa_score": (edition.bonus_points + printed + len(edition.patches) + income, 20),
        "automa_patches": (len(edition.patches), len(edition.patches)),
        "tile_space": (edition.last_space, edition.last_space),
        "card": (len(cards), len(cards)),
        "card_buttons": (buttons, buttons),
        "card_income": (gain, gain),
        "shuffles": (turns, 5),
        "cards_turned": (len(cards), len(cards)),
    }
    pairs = np.array([ranges.get(name, (1, 1)) for name in automa_fields(deck)], np.float64)
    scales = (1 / pairs[:, 1]).astype(np.float32)
    low = np.array([-1 if name in MAY_BE_NONE else 0 for name in automa_fields(deck)])
    return SoloLayout(
        *(base.quilts, base.patches, base.circle, base.scalars),
        np.concatenate([base.scales, scales]),
        np.concatenate([base.low, low * scales]).astype(np.float32),
        np.concatenate([base.high, pairs[:, 0] * scales]).astype(np.float32),
        automa=slice(base.size, base.size + len(pairs)),
    )


class SoloBatch(PatchworkBatch):
    """``num_games`` solo games against the Automa of one level with one deck.

    All that `PatchworkBatch` says holds; player 0 is the human, who begins and takes every decision, and a step
    includes the Automa's turns. Scripted agents play it like a two-player game: they see player 1 with a full
    quilt, the buttons that its cards gained it and the printed income of the patches it took. ``scores`` and
    ``final_scores`` are the real ones.
    """

    def __init__(
        self,
        num_games: int,
        edition: str | os.PathLike[str] | Edition = "revised",
        seed: int | None = None,
        threads: int | None = None,
        auto_reset: bool = True,
        reward: str = "outcome",
        level: str = "apprentice",
        deck: str = "normal",
    ) -> None:
        if reward not in SOLO_REWARDS:
            raise ValueError(f"unknown reward {reward!r}; the solo game has {', '.join(SOLO_REWARDS)}")
        super().__init__(num_games, edition, seed, threads, auto_reset, reward)
        self.level, self.deck = level, deck
        self.automa_tables = automa_tables(self.edition, level, deck)  # (1,) AUTOMA_TABLES record, read-only
        self.automas = new_automas(num_games)  # (N,) AUTOMA records
        self._solo_rule = (REWARDS[reward], int(auto_reset))
        self.tensor_layout: SoloLayout = solo_layout(self.edition, deck)
        fields = automa_fields(deck)
        numbers = np.zeros((num_games, len(fields)), np.int16)
        numbers[:, [fields.index(f"level_{level}"), fields.index(f"deck_{deck}")]] = 1
        self._observation["automa"] = numbers

    # --- playing --------------------------------------------------------------------------------------------------

    def reset(
        self,
        indices: ArrayLike | None = None,
        circles: ArrayLike | Sequence[Sequence[int]] | None = None,
        seed: int | None = None,
        first_players: str | Sequence[str] | None = None,
    ) -> None:
        """Start the next episode of all games, or of those named; see `PatchworkBatch.reset`."""
        beginners = [first_players] if isinstance(first_players, str) else first_players or []
        if any(beginner != "player_0" for beginner in beginners):
            raise ValueError(f"the human, player_0, begins a solo game; got first_players {first_players!r}")
        super().reset(indices, circles, seed)

    def _start_games(self, chosen: NDArray[np.int64], beginners: NDArray[np.int8]) -> None:
        run_over(
            len(chosen),
            self.threads,
            automa_rules.reset_solo_games,
            *(chosen, self.tables, self.state, self.automas, self.action_mask, self._seed, self.episodes),
        )

    def _play_games(self, chosen: NDArray[np.int64], moves: NDArray[np.int64]) -> None:
        self._observed = False
        run_over(
            len(chosen),
            self.threads,
            automa_rules.step_solo_games,
            *(chosen, self.tables, self.automa_tables, self.state, self.automas, self.action_mask, moves),
            *(self._seed, self.episodes, self._solo_rule, self._result_arrays),
        )

    # --- looking --------------------------------------------------------------------------------------------------

    def observe(self, player: int | ArrayLike | None = None) -> dict[str, NDArray[Any]]:
        """What the human sees: `PatchworkBatch.observe` with ``automa`` (N, fields), see `automa_fields`."""
        if player is not None and np.any(np.asarray(player) != HUMAN):
            raise ValueError(f"only player 0 sees a solo game, got player {player!r}")
        run_over(
            self.num_games,
            self.threads,
            automa_rules.observe_solo_games,
            *(self.tables, self.automa_tables, self.state, self.automas, self._rows, self._observation["automa"]),
        )
        return self._observation

    def observe_tensor(self, player: int | ArrayLike | None = None) -> NDArray[np.float32]:
        """The same content as one row of numbers a game: the two-player tensor, then the Automa's numbers."""
        tensors = super().observe_tensor(player)
        part = self.tensor_layout.automa
        np.multiply(self._observation["automa"], self.tensor_layout.scales[part], out=tensors[:, part])
        return tensors

    @property
    def scores(self) -> NDArray[np.int16]:
        """(N, 2) points if the games ended now: the human's and the Automa's."""
        scores = np.zeros((self.num_games, 2), np.int16)
        run_over(
            self.num_games,
            self.threads,
            automa_rules.score_solo_games,
            *(self.tables, self.automa_tables, self.state, self.automas, scores),
        )
        return scores

    def game(self, index: int) -> SoloGameView:
        """A read-only view of one game that goes along with the batch."""
        return SoloGameView(self, self._checked_index(index))

    # --- keeping --------------------------------------------------------------------------------------------------

    def save(self, index: int) -> bytes:
        """One game's state. It holds nothing that has yet to be drawn."""
        return super().save(index) + bytes(self.automas[index])

    def load(self, index: int, blob: bytes) -> None:
        """Put a saved solo game of the same level and deck in place of game ``index``."""
        index = self._checked_index(index)
        header = self._blob_header
        size = len(header) + GAME.itemsize + AUTOMA.itemsize
        if len(blob) != size or blob[0] != header[0]:
            raise ValueError(f"not a saved solo game of this version: expected {size} bytes, got {len(blob)}")
        if not blob.startswith(header):
            raise ValueError(
                f"the saved game is not of edition {self.edition.name!r}, level {self.level!r} and deck {self.deck!r}"
            )
        before = self.state[index].copy(), self.automas[index].copy()
        self.state[index] = np.frombuffer(blob, GAME, 1, len(header))[0]
        self.automas[index] = np.frombuffer(blob, AUTOMA, 1, len(header) + GAME.itemsize)[0]
        records = (self.tables, self.automa_tables, self.state, self.automas)
        if not automa_rules.accept_solo_game(*records, index, self.action_mask):
            self.state[index], self.automas[index] = before
            raise ValueError("the saved game is damaged: its state is impossible in this edition")

    @property
    def _blob_header(self) -> bytes:
        kind = bytes([level_names().index(self.level), deck_names().index(self.deck)])
        return super()._blob_header + b"solo" + kind

    def _take_over(self, source: SoloBatch, chosen: NDArray[np.int64]) -> None:  # type: ignore[override]
        super()._take_over(source, chosen)
        self.automas[:] = source.automas[chosen]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "automas": self.automas}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        super().__setstate__(saved)
        self.automas[:] = saved["automas"]

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        del settings["first_player"]
        return {**settings, "level": self.level, "deck": self.deck}


class SoloGameView(GameView):
    """A solo game as it stands now."""

    _games: SoloBatch

    @property
    def level(self) -> str:
        """The Automa's level."""
        return self._games.level

    @property
    def deck(self) -> str:
        """The name of the Automa's deck."""
        return self._games.deck

    @property
    def scores(self) -> tuple[int, int]:
        """The human's and the Automa's points if the game ended now."""
        table, solo, automa = self._table, self._games.automa_tables[0], self._automa
        human = super().scores[HUMAN]
        return human, int(automa_rules.automa_score(table, solo, self._record, automa))

    @property
    def winner(self) -> int | None:
        """0 if the human won, 1 if the Automa did, None before the end."""
        if not self.done:
            return None
        solo = self._games.automa_tables[0]
        return int(automa_rules.solo_winner(self._table, solo, self._record, self._automa))

    @property
    def automa_patches(self) -> int:
        """How many patches the Automa has taken."""
        return int(self._automa["patches"])

    @property
    def cards_seen(self) -> tuple[int, ...]:
        """Numbers of the cards turned since the last shuffle, ascending."""
        return tuple(k for k in range(len(self._cards)) if self._automa["seen"] >> k & 1)

    @property
    def card(self) -> Card | None:
        """The card turned last."""
        return self._cards[self._automa["card"]] if self._automa["card"] >= 0 else None

    @property
    def _cards(self) -> tuple[Card, ...]:
        return automa_data().decks[self.deck]

    @property
    def _automa(self) -> Any:
        return self._games.automas[self._index]
