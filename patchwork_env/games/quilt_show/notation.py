"""Games of Quilt Show as text: one file a game, one line a decision, written and read without loss.

::

    quilt show game, notation 1
    players: 3
    variants: large_quilts, two_shows
    agents: greedy, random, random
    seed: 7
    game: 0
    episode: 0
    first: random
    1. player_1: take 3 (take the red-orange card)
    2. player_1: deck (take the top card of the deck)
    3. player_2: make 0 (make green lakeshore log cabin 5)
    result: money 23 14 20, winner player_0

What is drawn follows from seed, game and episode, so it need not be told. The words in brackets are what the
action means where it is played; a replay checks them, and so notices if other cards were drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from patchwork_env.games.patchwork.notation import NotationError
from patchwork_env.games.quilt_show.actions import KINDS, action_number, kind_of
from patchwork_env.games.quilt_show.cards import VARIANTS, Settings

HEADING = "quilt show game, notation 1"
_FIELDS = ("players", "variants", "agents", "seed", "game", "episode", "first")
_REQUIRED = ("players", "seed", "game", "episode", "first")
_MOVE = re.compile(
    r"(?P<number>\d+)\. player_(?P<player>[0-3]): (?P<kind>[a-z_]+)(?: (?P<argument>\d+))?(?: \((?P<text>.*)\))?"
)
_RESULT = re.compile(r"money (?P<money>\d+(?: \d+)+), winners? (?P<winners>player_[0-3](?:, player_[0-3])*)")
_NO_ARGUMENT = {kind for _, kind, argument in KINDS if argument is None}

__all__ = ["HEADING", "GameRecord", "Move", "NotationError", "Result", "format_game", "parse_game"]


@dataclass(frozen=True)
class Move:
    """One decision."""

    player: int
    action: int
    text: str = ""  # what it meant; not checked if empty

    def __str__(self) -> str:
        kind, argument = kind_of(self.action)
        number = "" if kind in _NO_ARGUMENT else f" {argument}"
        return f"player_{self.player}: {kind}{number}" + (f" ({self.text})" if self.text else "")


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    money: tuple[int, ...]  # thousands
    winners: tuple[int, ...]  # nobody in a game that was cut off

    def __str__(self) -> str:
        money = " ".join(map(str, self.money))
        if not self.winners:
            return f"cut off, money {money}"
        word = "winner" if len(self.winners) == 1 else "winners"
        return f"money {money}, {word} {', '.join(f'player_{winner}' for winner in self.winners)}"


@dataclass
class GameRecord:
    """A whole game, or one that is under way."""

    settings: Settings
    seed: int
    game: int = 0  # its number in the batch
    episode: int = 0
    first_player: str = "random"  # as the batch's option: the draw of who begins is part of the stream
    agents: tuple[str, ...] | None = None
    moves: list[Move] = field(default_factory=list)
    result: Result | None = None  # None while the game is unfinished
    first_line: int = 0  # line of the first move in the text it was read from

    def __str__(self) -> str:
        return format_game(self)


def format_game(record: GameRecord) -> str:
    """The text of a game."""
    lines = [HEADING, f"players: {record.settings.num_players}"]
    if record.settings.variants:
        lines.append(f"variants: {', '.join(record.settings.variants)}")
    if record.agents is not None:
        lines.append(f"agents: {', '.join(record.agents)}")
    lines += [f"seed: {record.seed}", f"game: {record.game}", f"episode: {record.episode}"]
    lines.append(f"first: {record.first_player}")
    lines += [f"{number}. {move}" for number, move in enumerate(record.moves, 1)]
    lines.append(f"result: {record.result or 'unfinished'}")
    return "\n".join(lines) + "\n"


def parse_game(text: str, source: str = "game") -> GameRecord:
    """The game that a text tells; `NotationError` names ``source`` and the line that is wrong."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEADING:
        raise NotationError(f"{source}, line 1: expected {HEADING!r}")
    header: dict[str, str] = {}
    index = 1
    while index < len(lines) and (found := re.match(r"([a-z]+): (.*)$", lines[index])) and found[1] != "result":
        if found[1] not in _FIELDS or found[1] in header:
            raise NotationError(f"{source}, line {index + 1}: expected one of {', '.join(_FIELDS)}, each once")
        header[found[1]] = found[2].strip()
        index += 1
    record = _record_of(header, source)
    record.first_line = index + 1
    for position in range(index, len(lines)):
        where = f"{source}, line {position + 1}"
        line = lines[position].strip()
        if line.startswith("result:"):
            if any(rest.strip() for rest in lines[position + 1 :]):
                raise NotationError(f"{source}, line {position + 2}: nothing may follow the result")
            record.result = _parse_result(line.partition(":")[2].strip(), record.settings.num_players, where)
            return record
        record.moves.append(_parse_move(line, len(record.moves) + 1, where))
    raise NotationError(f"{source}, line {len(lines)}: the file ends without a 'result:' line")


def _record_of(header: dict[str, str], source: str) -> GameRecord:
    for name in _REQUIRED:
        if name not in header:
            raise NotationError(f"{source}: the field {name!r} is missing")
    numbers = {}
    for name in ("players", "seed", "game", "episode"):
        if not header[name].isdecimal():
            raise NotationError(f"{source}: {name} must be a whole number, got {header[name]!r}")
        numbers[name] = int(header[name])
    names = [name.strip() for name in header.get("variants", "").split(",") if name.strip()]
    for name in names:
        if name not in VARIANTS:
            raise NotationError(f"{source}: unknown variant {name!r}; known are {', '.join(VARIANTS)}")
    try:
        settings = Settings(numbers["players"], **dict.fromkeys(names, True))
    except ValueError as error:
        raise NotationError(f"{source}: {error}") from None
    if not re.fullmatch(r"random|player_[0-3]", header["first"]):
        raise NotationError(f"{source}: first must be random or a player, got {header['first']!r}")
    agents = tuple(name.strip() for name in header["agents"].split(",")) if "agents" in header else None
    return GameRecord(settings, numbers["seed"], numbers["game"], numbers["episode"], header["first"], agents)


def _parse_move(line: str, number: int, where: str) -> Move:
    found = _MOVE.fullmatch(line)
    if found is None:
        raise NotationError(f"{where}: expected a move such as '{number}. player_0: take 3 (...)', got {line!r}")
    if int(found["number"]) != number:
        raise NotationError(f"{where}: expected move {number}, got {found['number']}")
    kind, argument = found["kind"], found["argument"]
    if (argument is None) != (kind in _NO_ARGUMENT):
        raise NotationError(f"{where}: {kind!r} {'needs a' if argument is None else 'takes no'} number")
    try:
        action = action_number(kind, int(argument or 0))
    except ValueError as error:
        raise NotationError(f"{where}: {error}") from None
    return Move(int(found["player"]), action, found["text"] or "")


def _parse_result(text: str, players: int, where: str) -> Result | None:
    if text == "unfinished":
        return None
    found = _RESULT.fullmatch(text)
    cut_off = re.fullmatch(r"cut off, money (\d+(?: \d+)+)", text)
    if found is None and cut_off is None:
        raise NotationError(f"{where}: expected 'money 23 14, winner player_0', 'cut off, ...' or 'unfinished'")
    amounts = found["money"] if found is not None else cut_off[1] if cut_off is not None else ""
    money = tuple(map(int, amounts.split()))
    if len(money) != players:
        raise NotationError(f"{where}: expected the money of {players} players, got {len(money)}")
    winners = () if found is None else tuple(int(name[-1]) for name in found["winners"].split(", "))
    return Result(money, winners)
