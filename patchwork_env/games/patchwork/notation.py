"""Games as text: one file a game, one line a move, written and read without loss.

::

    patchwork game, notation 1
    edition: revised
    fingerprint: 668638421144c707
    seed: 7
    players: greedy, random
    first: player_0
    circle: 21 5 12 ...
    1. player_0: advance
    2. player_1: buy 14, orientation 3, at c5
    3. player_1: special at e4
    result: player_0 23, player_1 14, winner player_0

Cells are named like squares of a chess board seen from above: the letter is the column, the number the row, and a1
is the upper left corner. `seed` and `players` are remarks; the circle alone decides how the game goes. Where a
purchase makes new patches join the circle, the order that was drawn stands behind it: ``; refill 17 20 15``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from patchwork_env.games.patchwork.actions import ActionInfo
from patchwork_env.games.patchwork.edition import Edition, EditionError, load_edition

HEADING = "patchwork game, notation 1"
_COLUMNS = "abcdefghi"

_MOVE = re.compile(
    r"(?P<number>\d+)\. (?P<player>player_[01]): "
    r"(?:(?P<plain>advance|decline)"
    r"|special at (?P<cell>[a-i][1-9])"
    r"|buy (?P<patch>\d+), orientation (?P<orientation>\d+), at (?P<corner>[a-i][1-9])"
    r"(?:; refill (?P<refill>\d+(?: \d+)*))?)"
)
_RESULT = re.compile(
    r"(?:player_0 (?P<first>-?\d+), player_1 (?P<second>-?\d+), winner (?P<winner>player_[01])|unfinished)"
)


class NotationError(ValueError):
    """A text that is not a game, or a game that the rules do not allow; the message names the line."""


@dataclass(frozen=True)
class Move:
    """One decision of a recorded game. Fields that its kind does not have are None."""

    player: int
    kind: str  # "advance", "buy", "special" or "decline"
    patch: int | None = None
    orientation: int | None = None
    row: int | None = None
    column: int | None = None
    refill: tuple[int, ...] = ()  # the order in which new patches joined the circle with this move

    @classmethod
    def of(cls, player: int, info: ActionInfo, refill: tuple[int, ...] = ()) -> Move:
        """The move that an action made."""
        return cls(player, info.kind, info.patch, info.orientation, info.row, info.column, refill)

    def __str__(self) -> str:
        text = f"player_{self.player}: {self.kind}"
        if self.kind == "buy":
            text += f" {self.patch}, orientation {self.orientation}, at {_cell(self)}"
        elif self.kind == "special":
            text += f" at {_cell(self)}"
        if self.refill:
            text += f"; refill {_numbers(self.refill)}"
        return text


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    scores: tuple[int, int]
    winner: int

    def __str__(self) -> str:
        return f"player_0 {self.scores[0]}, player_1 {self.scores[1]}, winner player_{self.winner}"


@dataclass
class GameRecord:
    """A whole game, or one that is under way."""

    edition: Edition
    circle: tuple[int, ...]  # patch ids from the neutral token on, before the first move
    first_player: int = 0
    seed: int | None = None
    players: tuple[str, str] | None = None
    moves: list[Move] = field(default_factory=list)
    result: Result | None = None  # None while the game is unfinished
    first_line: int = 0  # line of the first move in the text it was read from

    def __str__(self) -> str:
        return format_game(self)


def format_game(record: GameRecord) -> str:
    """The text of a game."""
    lines = [HEADING, f"edition: {record.edition.source}", f"fingerprint: {record.edition.fingerprint.hex()}"]
    if record.seed is not None:
        lines.append(f"seed: {record.seed}")
    if record.players is not None:
        lines.append(f"players: {', '.join(record.players)}")
    lines.append(f"first: player_{record.first_player}")
    lines.append(f"circle: {_numbers(record.circle)}")
    lines += [f"{number}. {move}" for number, move in enumerate(record.moves, 1)]
    lines.append(f"result: {record.result or 'unfinished'}")
    return "\n".join(lines) + "\n"


def parse_game(text: str, source: str = "game") -> GameRecord:
    """The game that a text tells; `NotationError` names ``source`` and the line that is wrong."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEADING:
        raise NotationError(f"{source}, line 1: expected {HEADING!r}")
    header, start = _read_header(lines, source)
    record = _record_of(header, source)
    record.first_line = start + 1
    for index in range(start, len(lines)):
        line = lines[index].strip()
        where = f"{source}, line {index + 1}"
        if line.startswith("result:"):
            record.result = _parse_result(line.partition(":")[2].strip(), where)
            if any(rest.strip() for rest in lines[index + 1 :]):
                raise NotationError(f"{source}, line {index + 2}: nothing may follow the result")
            return record
        record.moves.append(_parse_move(line, len(record.moves) + 1, where))
    raise NotationError(f"{source}, line {len(lines)}: the file ends without a 'result:' line")


def _read_header(lines: list[str], source: str) -> tuple[dict[str, tuple[str, str]], int]:
    """The header fields as name -> (value, where), and the index of the first line after them."""
    known = ("edition", "fingerprint", "seed", "players", "first", "circle")
    header: dict[str, tuple[str, str]] = {}
    for index, line in enumerate(lines[1:], 1):
        key, colon, value = line.partition(":")
        if not colon or key not in known:
            if re.match(r"\d+\. |result:", line):
                return header, index
            raise NotationError(f"{source}, line {index + 1}: expected a field ({', '.join(known)}) or a move")
        if key in header:
            raise NotationError(f"{source}, line {index + 1}: {key} is given twice")
        header[key] = (value.strip(), f"{source}, line {index + 1}")
    return header, len(lines)


def _record_of(header: dict[str, tuple[str, str]], source: str) -> GameRecord:
    for key in ("edition", "first", "circle"):
        if key not in header:
            raise NotationError(f"{source}: the field {key!r} is missing")
    name, where = header["edition"]
    try:
        edition = load_edition(name)
    except EditionError as error:
        raise NotationError(f"{where}: {error}") from None
    if "fingerprint" in header and header["fingerprint"][0] != edition.fingerprint.hex():
        raise NotationError(f"{header['fingerprint'][1]}: the game was played with another version of edition {name!r}")
    record = GameRecord(edition, _parse_circle(*header["circle"], edition), _parse_player(*header["first"]))
    if "seed" in header:
        record.seed = _parse_numbers(*header["seed"])[0]
    if "players" in header:
        names = [name.strip() for name in header["players"][0].split(", ")]
        if len(names) != 2:
            raise NotationError(f"{header['players'][1]}: expected two players, separated by ', '")
        record.players = (names[0], names[1])
    return record


def _parse_circle(text: str, where: str, edition: Edition) -> tuple[int, ...]:
    circle = _parse_numbers(text, where)
    if sorted(circle) != list(range(edition.circle_size)):
        raise NotationError(f"{where}: the circle must name each patch from 0 to {edition.circle_size - 1} once")
    return circle


def _parse_numbers(text: str, where: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d+( \d+)*", text):
        raise NotationError(f"{where}: expected whole numbers separated by spaces, got {text!r}")
    return tuple(int(number) for number in text.split(" "))


def _parse_player(text: str, where: str) -> int:
    if text not in ("player_0", "player_1"):
        raise NotationError(f"{where}: expected player_0 or player_1, got {text!r}")
    return int(text[-1])


def _parse_move(line: str, number: int, where: str) -> Move:
    match = _MOVE.fullmatch(line)
    if match is None:
        raise NotationError(
            f"{where}: {line!r} is no move; expected e.g. '{number}. player_0: buy 14, orientation 3, at c5', "
            "'... special at e4', '... advance' or '... decline'"
        )
    if int(match["number"]) != number:
        raise NotationError(f"{where}: expected move {number}, got move {match['number']}")
    player = int(match["player"][-1])
    if match["plain"]:
        return Move(player, match["plain"])
    if match["cell"]:
        return Move(player, "special", row=_row(match["cell"]), column=_column(match["cell"]))
    refill = tuple(int(patch) for patch in match["refill"].split(" ")) if match["refill"] else ()
    corner = match["corner"]
    return Move(player, "buy", int(match["patch"]), int(match["orientation"]), _row(corner), _column(corner), refill)


def _parse_result(text: str, where: str) -> Result | None:
    match = _RESULT.fullmatch(text)
    if match is None:
        raise NotationError(f"{where}: expected 'player_0 23, player_1 14, winner player_0' or 'unfinished'")
    if match["winner"] is None:
        return None
    return Result((int(match["first"]), int(match["second"])), int(match["winner"][-1]))


def cell_name(row: int, column: int) -> str:
    """The name of a quilt cell: (0, 0) is a1, (4, 2) is c5."""
    return f"{_COLUMNS[column]}{row + 1}"


def _cell(move: Move) -> str:
    assert move.row is not None
    assert move.column is not None
    return cell_name(move.row, move.column)


def _row(cell: str) -> int:
    return int(cell[1]) - 1


def _column(cell: str) -> int:
    return _COLUMNS.index(cell[0])


def _numbers(numbers: tuple[int, ...]) -> str:
    return " ".join(str(number) for number in numbers)
