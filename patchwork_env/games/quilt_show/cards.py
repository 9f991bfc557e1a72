"""What is in the box, and how a game is set up: colours, patterns, fabric cards, tiles, chips, prizes, variants.

The two-colour cards join neighbours on the colour wheel: the rulebook shows only blue-green and does not list the
six pairs, and neighbours are the one regular choice that has it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

COLORS = ("red", "orange", "yellow", "green", "blue", "purple")
PATTERNS = (
    "lakeshore log cabin",
    "boston beauty",
    "apron strings",
    "snake river log cabin",
    "spring valley log cabin",
    "diamonds are forever",
)

# Card types: 0 to 5 one colour; 6 + c joins colour c and the next one; 12 dye goods, which serve for any colour.
DYE = 12
CARD_TYPES = 13
CARD_COUNTS = (7,) * 12 + (12,)  # [type] 96 cards
CARD_COLORS: tuple[tuple[int, ...], ...] = (
    *((color,) for color in range(6)),
    *((color, (color + 1) % 6) for color in range(6)),
    tuple(range(6)),
)

# Tile number pattern * 18 + colour * 3 + value; one tile of each: 108.
TILES = 108
GROUP_TILES = 18  # tiles of one pattern, or of one colour
POINTS = (2, 3, 5)  # [value] printed on the tile
COSTS = (1, 2, 3)  # [value] fabric cards that the block takes

CHIPS = (1, 2, 3)  # every player has one of each
QUILT_SIZES = (3, 4, 6, 9, 12)
LARGEST_QUILT = 12
SALE = 1  # thousands that the bank pays at the end for a quilt that never won

MAX_PLAYERS = 4
STACKS = 6
FACE_UP = 6  # cards that lie open
FIRST_HAND = 4
MAX_PRIZES = 6
PRIZES = tuple(range(4, 16))  # thousands

# players -> (small time markers, patterns, prizes a show, prizes that are left out)
BY_PLAYERS = {
    2: (16, 4, 3, (4, 5, 14, 15)),
    3: (22, 5, 5, (4, 15)),
    4: (27, 6, 6, ()),
}

DECISION_LIMIT = 2000  # a game that is not over then is cut off
SWAP_PIECES = 4  # tiles and cards that each side of a swap may name
SWAP_MONEY = 5  # thousands that each side of a swap may name


@dataclass(frozen=True)
class Settings:
    """How many play, and which variants with them."""

    num_players: int = 2
    large_quilts: bool = False  # one more point for every tile of a quilt
    color_sorting: bool = False  # the stacks are colours instead of patterns; all six are in play
    two_shows: bool = False  # the game ends after the second show
    all_patterns: bool = False  # all six stacks, whatever the number of players
    block_swaps: bool = False  # a turn may be spent on proposing a swap (three or four players)

    def __post_init__(self) -> None:
        if isinstance(self.num_players, bool) or self.num_players not in BY_PLAYERS:
            raise ValueError(f"num_players must be 2, 3 or 4, got {self.num_players!r}")
        for name in VARIANTS:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.block_swaps and self.num_players == 2:
            raise ValueError("block_swaps needs 3 or 4 players, got num_players=2")

    @property
    def rounds(self) -> int:
        """Rounds, each of which ends with a show."""
        return 2 if self.two_shows else 3

    @property
    def markers(self) -> int:
        """Time markers of a round, the large one included."""
        return BY_PLAYERS[self.num_players][0] + 1

    @property
    def patterns(self) -> int:
        """Patterns in play: the first of the list."""
        return 6 if self.color_sorting or self.all_patterns else BY_PLAYERS[self.num_players][1]

    @property
    def prizes_per_show(self) -> int:
        """Prizes laid out for a show."""
        return BY_PLAYERS[self.num_players][2]

    @property
    def prize_pool(self) -> tuple[int, ...]:
        """The prizes that a show draws from, in thousands, ascending."""
        return tuple(prize for prize in PRIZES if prize not in BY_PLAYERS[self.num_players][3])

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the variants that are on."""
        return tuple(name for name in VARIANTS if getattr(self, name))

    def as_dict(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self)


VARIANTS = tuple(field.name for field in fields(Settings) if field.name != "num_players")


def tile_number(pattern: int, color: int, value: int) -> int:
    """The number of a tile; ``value`` is the position of its points in `POINTS`."""
    return pattern * GROUP_TILES + color * 3 + value


def tile_parts(tile: int) -> tuple[int, int, int]:
    """Pattern, colour and value of a tile."""
    pattern, rest = divmod(tile, GROUP_TILES)
    color, value = divmod(rest, 3)
    return pattern, color, value


def group_tile(key: int, bit: int) -> int:
    """The tile that a bit of a group's word stands for (see `state`): keys 0 to 5 are patterns, 6 to 11 colours."""
    other, value = divmod(bit, 3)
    return tile_number(key, other, value) if key < 6 else tile_number(other, key - 6, value)
