"""Actions as people read them: what a number means, and why it may not be played.

This is the one place that decides how a refusal is worded; every interface asks here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from patchwork_env.errors import IllegalActionError
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.cards import (
    CARD_COLORS,
    COLORS,
    DYE,
    PATTERNS,
    POINTS,
    QUILT_SIZES,
    Settings,
    group_tile,
    tile_parts,
)

ACTION_VERSION = 1  # counts up whenever a number changes its meaning

# (first action, kind, name of the argument); the argument is the distance from the first action
KINDS: tuple[tuple[int, str, str | None], ...] = (
    (layout.TAKE, "take", "place"),
    (layout.DECK, "deck", None),
    (layout.MAKE, "make", "stack"),
    (layout.PAY, "pay", "card"),
    (layout.STOP, "stop", None),
    (layout.PASS, "pass", None),
    (layout.START, "start", "key"),
    (layout.ADD, "add", "bit"),
    (layout.CHIP, "chip", "chip"),
    (layout.FINISH, "finish", None),
    (layout.DONE, "done", None),
    (layout.TRADE, "trade", "card"),
    (layout.PROPOSE, "propose", "step"),
    (layout.SWAP_TILE, "swap_tile", "tile"),
    (layout.SWAP_CARD, "swap_card", "card"),
    (layout.SWAP_COIN, "swap_coin", None),
    (layout.ASK, "ask", None),
    (layout.OFFER, "offer", None),
    (layout.ACCEPT, "accept", None),
    (layout.DECLINE, "decline", None),
)

# kind -> phases in which it can be legal
_PHASES = {
    "take": ("turn", "draw"),
    "deck": ("turn", "draw"),
    "make": ("turn", "make"),
    "pay": ("pay",),
    "stop": ("make",),
    "pass": ("turn",),
    "start": ("enter",),
    "add": ("sew",),
    "chip": ("sew",),
    "finish": ("sew",),
    "done": ("enter",),
    "trade": ("turn",),
    "propose": ("turn",),
    "swap_tile": ("give", "ask"),
    "swap_card": ("give", "ask"),
    "swap_coin": ("give", "ask"),
    "ask": ("give",),
    "offer": ("ask",),
    "accept": ("answer",),
    "decline": ("answer",),
}

_DUE = {  # phase -> what the player has to decide
    "turn": "begin a turn: draw, or make a block",
    "draw": "take the next card",
    "make": "make another block, or stop",
    "pay": "name a card to pay for the block",
    "enter": "start a quilt for the show, or be done entering",
    "sew": "go on with the quilt that was started",
    "give": "name what is given in the swap, or go on to ask",
    "ask": "name what is asked for in the swap, or make the offer",
    "answer": "accept or decline the swap",
}


@dataclass(frozen=True)
class ActionInfo:
    """One action in words. Fields that an action of this kind does not have are None."""

    action: int
    kind: str  # see `KINDS`
    place: int | None = None  # of a face-up card
    stack: int | None = None
    card: int | None = None  # card type; for "take" the one that lies there
    tile: int | None = None  # tile number; for "make" the one that the stack shows, for "add" that of the quilt
    style: str | None = None  # of a quilt that is started: "scrap" or "sampler"
    key: int | None = None  # its pattern (scrap) or colour (sampler)
    chip: int | None = None  # points
    player: int | None = None  # to whom a swap is proposed
    text: str = ""


def action_number(kind: str, argument: int = 0) -> int:
    """The action of that kind with that argument (see the layout in SPEC.md)."""
    for position, (first, name, _) in enumerate(KINDS):
        if name == kind:
            after = KINDS[position + 1][0] if position + 1 < len(KINDS) else layout.NUM_ACTIONS
            if not 0 <= argument < after - first:
                raise ValueError(f"{kind} takes an argument from 0 to {after - first - 1}, got {argument}")
            return first + argument
    raise ValueError(f"unknown kind of action {kind!r}; known are {', '.join(name for _, name, _ in KINDS)}")


def kind_of(action: int) -> tuple[str, int]:
    """Kind and argument of an action."""
    first, kind, _ = next(row for row in reversed(KINDS) if row[0] <= action)
    return kind, action - first


def card_name(card: int) -> str:
    """A card type in words."""
    return "dye" if card == DYE else "-".join(COLORS[color] for color in CARD_COLORS[card])


def tile_name(tile: int) -> str:
    """A tile in words."""
    pattern, color, value = tile_parts(tile)
    return f"{COLORS[color]} {PATTERNS[pattern]} {POINTS[value]}"


def key_name(key: int) -> str:
    """A quilt's style and key in words."""
    return f"{PATTERNS[key]} scrap quilt" if key < 6 else f"{COLORS[key - 6]} sampler quilt"


def exposed_tile(settings: Settings, game: Any, stack: int) -> int | None:
    """The tile that a stack shows, or None."""
    bit = int(game["exposed"][stack])
    return None if bit < 0 else group_tile(stack + 6 * settings.color_sorting, bit)


def describe(settings: Settings, game: Any, action: int) -> ActionInfo:
    """What ``action`` means in this state of a game, legal or not."""
    if not 0 <= action < layout.NUM_ACTIONS:
        raise IllegalActionError(_out_of_range(action))
    kind, argument = kind_of(action)
    return _DESCRIBERS.get(kind, _describe_plain)(settings, game, action, argument)


def _describe_plain(settings: Settings, game: Any, action: int, argument: int) -> ActionInfo:
    kind, _ = kind_of(action)
    words = {
        "deck": "take the top card of the deck",
        "stop": "make no more blocks",
        "pass": "pass",
        "finish": "finish the quilt without a chip",
        "done": "done entering",
        "swap_coin": "1,000 of money",
        "ask": "and ask for",
        "offer": "make the offer",
        "accept": "accept the swap",
        "decline": "decline the swap",
    }
    return ActionInfo(action, kind, text=words[kind])


def _describe_take(settings: Settings, game: Any, action: int, place: int) -> ActionInfo:
    card = int(game["face_up"][place])
    text = f"take the {card_name(card)} card" if card >= 0 else f"take the card in the empty place {place}"
    return ActionInfo(action, "take", place=place, card=card if card >= 0 else None, text=text)


def _describe_make(settings: Settings, game: Any, action: int, stack: int) -> ActionInfo:
    tile = exposed_tile(settings, game, stack)
    text = f"make {tile_name(tile)}" if tile is not None else f"make the tile of the empty stack {stack}"
    return ActionInfo(action, "make", stack=stack, tile=tile, text=text)


def _describe_card(settings: Settings, game: Any, action: int, card: int) -> ActionInfo:
    kind, _ = kind_of(action)
    words = {"pay": "pay with a {} card", "trade": "trade in a useless {} card", "swap_card": "a {} card"}
    return ActionInfo(action, kind, card=card, text=words[kind].format(card_name(card)))


def _describe_start(settings: Settings, game: Any, action: int, key: int) -> ActionInfo:
    style = "scrap" if key < 6 else "sampler"
    return ActionInfo(action, "start", style=style, key=key % 6, text=f"start a {key_name(key)}")


def _describe_add(settings: Settings, game: Any, action: int, bit: int) -> ActionInfo:
    key = int(game["sewing_key"])
    tile = group_tile(key, bit) if key >= 0 else None
    text = f"add {tile_name(tile)}" if tile is not None else "add a tile to no quilt"
    return ActionInfo(action, "add", tile=tile, text=text)


def _describe_chip(settings: Settings, game: Any, action: int, chip: int) -> ActionInfo:
    return ActionInfo(action, "chip", chip=chip + 1, text=f"finish the quilt with the {chip + 1}-point chip")


def _describe_propose(settings: Settings, game: Any, action: int, step: int) -> ActionInfo:
    partner = (int(game["to_play"]) + 1 + step) % settings.num_players
    return ActionInfo(action, "propose", player=partner, text=f"propose a swap to player_{partner}")


def _describe_swap_tile(settings: Settings, game: Any, action: int, tile: int) -> ActionInfo:
    return ActionInfo(action, "swap_tile", tile=tile, text=tile_name(tile))


_DESCRIBERS = {
    "take": _describe_take,
    "make": _describe_make,
    "pay": _describe_card,
    "trade": _describe_card,
    "swap_card": _describe_card,
    "start": _describe_start,
    "add": _describe_add,
    "chip": _describe_chip,
    "propose": _describe_propose,
    "swap_tile": _describe_swap_tile,
}


def why_illegal(settings: Settings, game: Any, action: int) -> str:
    """The reason why ``action``, which the mask of this game does not allow, is refused."""
    if not 0 <= action < layout.NUM_ACTIONS:
        return _out_of_range(action)
    if game["done"]:
        return "the game is over; reset it before the next step"
    info = describe(settings, game, action)
    player = f"player_{game['to_play']}"
    phase = layout.PHASES[game["phase"]]
    if phase not in _PHASES[info.kind]:
        return f"cannot {info.text!r} now: {player} has to {_DUE[phase]}"
    return _REASONS[info.kind](settings, game, info, player)


def _why_take(settings: Settings, game: Any, info: ActionInfo, player: str) -> str:
    if info.card is None:
        return f"there is no card in place {info.place}"
    return "a face-up dye card may be taken only as one of two cards, and only one in a turn"


def _why_make(settings: Settings, game: Any, info: ActionInfo, player: str) -> str:
    if info.tile is None:
        return f"stack {info.stack} shows no tile"
    return f"{player} has too few cards for {tile_name(info.tile)}"


def _why_card(settings: Settings, game: Any, info: ActionInfo, player: str) -> str:
    assert info.card is not None
    name = card_name(info.card)
    if game["hands"][game["to_play"], info.card] == 0 and game["phase"] != layout.IN_ASK:
        return f"{player} has no {name} card"
    if info.kind == "pay":
        return f"a {name} card cannot be used for a block of this colour"
    if info.kind == "trade":
        return f"a {name} card is not useless, or there is no card to trade it for"
    return f"no more {name} cards can be named"


def _why_add(settings: Settings, game: Any, info: ActionInfo, player: str) -> str:
    assert info.tile is not None
    return (
        f"{tile_name(info.tile)} is not in {player}'s sewing room, or comes before a tile of the quilt (tiles are "
        f"added in ascending order), or would leave the quilt without a permitted size {QUILT_SIZES}"
    )


def _why_finish(settings: Settings, game: Any, info: ActionInfo, player: str) -> str:
    size = int(game["sewing_tiles"]).bit_count()
    if size not in QUILT_SIZES:
        return f"a quilt has {', '.join(map(str, QUILT_SIZES))} tiles, this one has {size}"
    return f"{player} has no {info.chip}-point chip left"


_REASONS = {
    "take": _why_take,
    "deck": lambda settings, game, info, player: "deck and discards are empty",
    "make": _why_make,
    "pay": _why_card,
    "pass": lambda settings, game, info, player: f"{player} can draw or make a block, so passing is not allowed",
    "start": lambda settings, game, info, player: f"{player} has fewer than three tiles for that",
    "add": _why_add,
    "chip": _why_finish,
    "finish": _why_finish,
    "trade": _why_card,
    "propose": lambda settings, game, info, player: (
        "swaps need the variant block_swaps, another player, and something to swap"
    ),
    "swap_tile": lambda settings, game, info, player: f"{info.text} cannot be named in this swap",
    "swap_card": _why_card,
    "swap_coin": lambda settings, game, info, player: "no more money can be named",
    "ask": lambda settings, game, info, player: "the other player has nothing, so something must be given",
    "offer": lambda settings, game, info, player: "a swap names at least one tile or card",
    "accept": lambda settings, game, info, player: f"{player} does not have the cards that are asked for",
}


def _out_of_range(action: int) -> str:
    return f"action {action} is out of range; there are {layout.NUM_ACTIONS}, 0 to {layout.NUM_ACTIONS - 1}"
