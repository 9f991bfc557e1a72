"""The numbers of the actions: one `Discrete(205)`, whatever the settings. SPEC.md has the table in words."""

from __future__ import annotations

from patchwork_env.games.quilt_show.cards import (
    CARD_TYPES,
    CHIPS,
    FACE_UP,
    GROUP_TILES,
    MAX_PLAYERS,
    STACKS,
    TILES,
)

TAKE = 0  # + face-up place
DECK = TAKE + FACE_UP
MAKE = DECK + 1  # + stack
PAY = MAKE + STACKS  # + card type
STOP = PAY + CARD_TYPES
PASS = STOP + 1
START = PASS + 1  # + key: 0 to 5 scrap quilt of that pattern, 6 to 11 sampler quilt of that colour
ADD = START + 12  # + bit of the quilt's group: the tile's colour (scrap) or pattern (sampler) * 3 + value
CHIP = ADD + GROUP_TILES  # + points of the chip - 1
FINISH = CHIP + len(CHIPS)
DONE = FINISH + 1
TRADE = DONE + 1  # + card type
PROPOSE = TRADE + CARD_TYPES  # + seats to the left of the proposer - 1
SWAP_TILE = PROPOSE + MAX_PLAYERS - 1  # + tile
SWAP_CARD = SWAP_TILE + TILES  # + card type
SWAP_COIN = SWAP_CARD + CARD_TYPES  # 1,000
ASK = SWAP_COIN + 1
OFFER = ASK + 1
ACCEPT = OFFER + 1
DECLINE = ACCEPT + 1
NUM_ACTIONS = DECLINE + 1

# What kind of decision is due.
PHASES = ("turn", "draw", "make", "pay", "enter", "sew", "give", "ask", "answer")
IN_TURN, IN_DRAW, IN_MAKE, IN_PAY, IN_ENTER, IN_SEW, IN_GIVE, IN_ASK, IN_ANSWER = range(9)
