"""The printed numbers of the four published editions and of the Automa, as plain literals.

They are typed out here a second time on purpose: the tests that compare the fast engine with this
package would prove little if both read their numbers from the same file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Patch:
    """One regular patch as it is printed."""

    shape: str  # rows from top to bottom, joined by "/"; "#" is cloth and "." is nothing
    cost: int  # money to pay for it
    time: int  # spaces the time token moves
    income: int  # money it pays at each income space


@dataclass(frozen=True)
class EditionRules:
    """Everything in which one edition may differ from another."""

    quilt_side: int  # the quilt is a square with this many cells a side
    patches: tuple[Patch, ...]  # a patch's id is its index here; those of the first circle come first
    patches_at_start: int  # ids below this number lie in the circle at the start
    refill_when_left: int | None  # starting patches left when all other patches join; None: never
    start_money: int
    last_space: int
    income_spaces: tuple[int, ...]
    special_spaces: tuple[int, ...]  # each holds one special patch (a box in Stack'n Stuff)
    may_decline: bool  # whether a special patch may be removed from play instead of placed
    bonus_square: int | None  # side of the full square that earns the special tile; None: no tile
    bonus_points: int
    start_patch: int = 0  # the smallest patch, which is the last one of the circle at the start


@dataclass(frozen=True)
class AutomaCard:
    """One card of the solo opponent."""

    virtual_buttons: int  # it can take patches that cost at most this
    income: int  # its gain for each income space it reaches while this card is open
    filters: tuple[str, ...]  # how it chooses between several patches, applied in this order


PATCHES: tuple[Patch, ...] = (
    Patch("##", 2, 1, 0),
    Patch("##/#.", 1, 3, 0),
    Patch("##/#.", 3, 1, 0),
    Patch("###", 2, 2, 0),
    Patch("####", 3, 3, 1),
    Patch("#####", 7, 1, 1),
    Patch("##/##", 6, 5, 2),
    Patch("###/#..", 4, 2, 1),
    Patch("###/#..", 4, 6, 2),
    Patch("###/.#.", 2, 2, 0),
    Patch("##./.##", 3, 2, 1),
    Patch("##./.##", 7, 6, 3),
    Patch("###/##.", 2, 2, 0),
    Patch("###/#.#", 1, 2, 0),
    Patch("####/#...", 10, 3, 2),
    Patch("####/.#..", 3, 4, 1),
    Patch("###./..##", 2, 3, 1),
    Patch("###/.#./.#.", 5, 5, 2),
    Patch(".#./###/.#.", 5, 4, 2),
    Patch("##./.##/..#", 10, 4, 3),
    Patch("####/##..", 10, 5, 3),
    Patch("####/#..#", 1, 5, 1),
    Patch("####/.##.", 7, 4, 2),
    Patch("###./.###", 4, 2, 0),
    Patch("###/.#./.#./.#.", 7, 2, 2),
    Patch("##./###/..#", 8, 6, 3),
    Patch("##./.##/##.", 3, 6, 2),
    Patch("##./.#./.#./.##", 1, 2, 0),
    Patch(".#../####/.#..", 0, 3, 1),
    Patch(".#../####/..#.", 2, 1, 0),
    Patch("###/.#./###", 2, 3, 0),
    Patch(".#./.#./###/.#./.#.", 1, 4, 1),
    Patch(".##./####/.##.", 5, 3, 1),
)

# The numbers of the Stack'n Stuff tiles come from one public implementation of Patchwork Express,
# of which it is a new dress; no second source confirms them.
STACK_TILES: tuple[Patch, ...] = (
    Patch("##/#.", 1, 1, 0),
    Patch("###/#..", 1, 3, 0),
    Patch("###/#..", 6, 3, 2),
    Patch("###/#.#", 2, 1, 0),
    Patch("###/##.", 5, 2, 1),
    Patch("##./.##", 2, 3, 1),
    Patch("#../##./.##", 0, 3, 0),
    Patch("#../###/..#", 5, 1, 1),
    Patch(".#./###/#..", 2, 4, 1),
    Patch("..#/..#/###", 4, 3, 1),
    Patch("#../###/#..", 3, 3, 1),
    Patch(".#./###/.#.", 6, 4, 2),
    Patch("..#./####", 3, 1, 0),
    Patch(".###/##..", 4, 2, 1),
    Patch("#####", 2, 1, 0),
)

STUFF_TILES: tuple[Patch, ...] = (
    Patch("##", 0, 2, 1),
    Patch("##", 0, 1, 0),
    Patch("##", 4, 2, 2),
    Patch("##/##", 3, 1, 0),
    Patch("##/#.", 2, 2, 1),
    Patch("###", 0, 3, 1),
    Patch("###", 2, 1, 0),
    Patch("###/.#.", 3, 2, 1),
)

ORIGINAL = EditionRules(
    quilt_side=9,
    patches=PATCHES,
    patches_at_start=33,
    refill_when_left=None,
    start_money=5,
    last_space=53,
    income_spaces=(5, 11, 17, 23, 29, 35, 41, 47, 53),
    special_spaces=(20, 26, 32, 44, 50),
    may_decline=False,
    bonus_square=7,
    bonus_points=7,
)

REVISED = replace(ORIGINAL, special_spaces=(26, 32, 38, 44, 50))

# Fourteen patches of this edition carry other costs, which are printed on the tiles and published
# nowhere; the costs of 2014 stand in for them.
HALLOWEEN = replace(REVISED, may_decline=True)

STACK_N_STUFF = EditionRules(
    quilt_side=7,
    patches=STACK_TILES + STUFF_TILES,
    patches_at_start=15,
    refill_when_left=5,
    start_money=5,
    last_space=29,
    income_spaces=(5, 9, 13, 17, 21, 25, 29),
    special_spaces=(7, 11, 15, 19, 23, 27),
    may_decline=True,
    bonus_square=None,
    bonus_points=0,
)

EDITIONS: dict[str, EditionRules] = {
    "original": ORIGINAL,
    "revised": REVISED,
    "halloween": HALLOWEEN,
    "stack_n_stuff": STACK_N_STUFF,
}

AUTOMA_DECKS: dict[str, tuple[AutomaCard, ...]] = {
    "normal": (
        AutomaCard(8, 0, ("largest", "most_buttons")),
        AutomaCard(1, 4, ("no_overtake", "most_buttons")),
        AutomaCard(7, 0, ("most_buttons", "largest")),
        AutomaCard(0, 5, ()),
        AutomaCard(3, 3, ("no_overtake", "largest")),
        AutomaCard(6, 0, ("no_overtake", "largest")),
        AutomaCard(5, 1, ("no_overtake", "most_buttons")),
        AutomaCard(10, 0, ("most_buttons", "largest")),
        AutomaCard(8, 0, ("most_buttons", "no_overtake")),
        AutomaCard(4, 1, ("no_overtake", "largest")),
        AutomaCard(10, 0, ("most_buttons", "largest")),
        AutomaCard(2, 4, ("no_overtake", "most_buttons")),
    ),
    "tactical": (
        AutomaCard(1, 4, ("no_overtake", "largest")),
        AutomaCard(1, 5, ("no_overtake", "most_buttons")),
        AutomaCard(3, 3, ("no_overtake", "largest")),
        AutomaCard(3, 4, ("no_overtake", "most_buttons")),
        AutomaCard(4, 1, ("no_overtake", "largest")),
        AutomaCard(4, 1, ("no_overtake", "most_buttons")),
        AutomaCard(6, 0, ("most_buttons", "largest")),
        AutomaCard(6, 0, ("no_overtake", "largest")),
        AutomaCard(8, 0, ("largest", "most_buttons")),
        AutomaCard(8, 0, ("most_buttons", "largest")),
        AutomaCard(10, 0, ("most_buttons", "no_overtake")),
        AutomaCard(10, 0, ("largest", "most_buttons")),
    ),
}

# How many spaces before the end the Automa takes the special tile, if it is still there.
AUTOMA_LEVELS: dict[str, int] = {"intern": 1, "apprentice": 9, "fellow": 12, "master": 15, "legend": 18}
