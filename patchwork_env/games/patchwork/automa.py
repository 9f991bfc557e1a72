"""The Automa, the official solo opponent: its cards and levels as data, and its part of a game's state.

A solo game is a `GAME` record in which player 0 is the human and player 1 the Automa, with an `AUTOMA` record
beside it. Of the Automa the `GAME` record says: ``positions``, ``buttons`` what its cards have gained it, ``incomes``
the income printed on the patches it took. It has no quilt; its quilt is shown full, because then it has no empty
cell to lose points for and nothing to place, and the two-player `score` gives its tile and buttons.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import Edition

HUMAN, AUTOMATON = 0, 1  # players
NO_CARD = -1
MAX_CARDS = 16
MAX_FILTERS = 3

NO_FILTER, NO_OVERTAKE, LARGEST, MOST_BUTTONS = range(4)
FILTERS = {"no_overtake": NO_OVERTAKE, "largest": LARGEST, "most_buttons": MOST_BUTTONS}

AUTOMA = np.dtype(
    [
        ("seen", np.int32),  # bit k is set when card k has been turned since the last shuffle
        ("shuffles", np.int16),  # shuffles so far, the first one included; 0 before the first card
        ("turned", np.int8),  # cards turned since the last shuffle
        ("card", np.int8),  # the card turned last; -1 none yet
        ("patches", np.int8),  # patches taken
    ],
    align=True,
)

AUTOMA_TABLES = np.dtype(
    [
        ("card_count", np.int64),  # cards in the deck
        ("set_aside", np.int64),  # of them put away unseen at every shuffle
        ("buttons", np.int16, (MAX_CARDS,)),  # [card] what a patch may cost
        ("income", np.int16, (MAX_CARDS,)),  # [card] gained at each income space
        ("filters", np.int8, (MAX_CARDS, MAX_FILTERS)),  # [card, order] codes of `FILTERS`; 0 no more
        ("tile_space", np.int64),  # where it takes the bonus tile; -1 where the edition has none
        ("scores_buttons", np.int64),  # 1 if the level scores its buttons
        ("scores_patches", np.int64),  # 1 if it scores a point a patch
        ("scores_patch_income", np.int64),  # 1 if it scores the income printed on its patches
    ],
    align=True,
)


class Card(NamedTuple):
    """One card."""

    buttons: int
    income: int
    filters: tuple[str, ...]


class Level(NamedTuple):
    """What a level does differently."""

    tile_before_end: int  # spaces before the end at which it takes the bonus tile
    scores: tuple[str, ...]  # "buttons", "patches", "patch_income"


class AutomaData(NamedTuple):
    """Everything printed."""

    set_aside: int
    decks: dict[str, tuple[Card, ...]]
    levels: dict[str, Level]  # from weak to strong


@functools.cache
def automa_data() -> AutomaData:
    """The decks and levels, by name."""
    path = Path(__file__).parent / "automa.yaml"
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    decks = {
        name: tuple(Card(card["buttons"], card["income"], tuple(card["filters"])) for card in cards)
        for name, cards in fields["decks"].items()
    }
    levels = {name: Level(level["tile_before_end"], tuple(level["scores"])) for name, level in fields["levels"].items()}
    return AutomaData(fields["set_aside"], decks, levels)


def level_names() -> list[str]:
    """The levels, from weak to strong."""
    return list(automa_data().levels)


def deck_names() -> list[str]:
    """The decks."""
    return list(automa_data().decks)


@functools.lru_cache(maxsize=64)
def automa_tables(edition: Edition, level: str, deck: str) -> NDArray[Any]:
    """What the kernels ask of the Automa: an array with one `AUTOMA_TABLES` record, read-only."""
    data = automa_data()
    for what, name, known in (("level", level, data.levels), ("deck", deck, data.decks)):
        if name not in known:
            raise ValueError(f"unknown Automa {what} {name!r}; known are {', '.join(known)}")
    tables = np.zeros(1, AUTOMA_TABLES)
    table = tables[0]
    cards = data.decks[deck]
    table["card_count"], table["set_aside"] = len(cards), data.set_aside
    for k, card in enumerate(cards):
        table["buttons"][k], table["income"][k] = card.buttons, card.income
        table["filters"][k, : len(card.filters)] = [FILTERS[name] for name in card.filters]
    played = data.levels[level]
    table["tile_space"] = edition.last_space - played.tile_before_end if edition.bonus_square is not None else -1
    for name in ("buttons", "patches", "patch_income"):
        table[f"scores_{name}"] = name in played.scores
    tables.flags.writeable = False
    return tables


def new_automas(count: int) -> NDArray[Any]:
    """The Automa's records of games that have yet to be set up."""
    automas = np.zeros(count, AUTOMA)
    automas["card"] = NO_CARD
    return automas
