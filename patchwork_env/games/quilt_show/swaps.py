"""The block-swapping variant: a proposal is put together piece by piece, in the open, then answered."""

from __future__ import annotations

from patchwork_env.games.quilt_show.cards import CARD_TYPES, GROUP_TILES
from patchwork_env.games.quilt_show.layout import (
    ACCEPT,
    ASK,
    IN_ANSWER,
    IN_ASK,
    IN_GIVE,
    OFFER,
    PROPOSE,
    SWAP_CARD,
    SWAP_COIN,
    SWAP_TILE,
)
from patchwork_env.games.quilt_show.state import NOBODY
from patchwork_env.kernels import count_bits, kernel


@kernel
def play_swap(table, game, action):
    """One decision of a swap; True when the proposer's turn is over."""
    side = 0 if game["phase"] == IN_GIVE else 1
    if action < SWAP_TILE:
        game["proposer"] = game["to_play"]
        game["partner"] = (game["to_play"] + 1 + action - PROPOSE) % table["players"]
        game["phase"] = IN_GIVE
    elif action < SWAP_CARD:
        pattern, bit = divmod(action - SWAP_TILE, GROUP_TILES)
        game["swap_tiles"][side, pattern] |= 1 << bit
    elif action < SWAP_COIN:
        game["swap_cards"][side, action - SWAP_CARD] += 1
    elif action == SWAP_COIN:
        game["swap_money"][side] += 1
    elif action == ASK:
        game["phase"] = IN_ASK
    elif action == OFFER:
        game["phase"] = IN_ANSWER
        game["to_play"] = game["partner"]
    else:
        if action == ACCEPT:
            hand_over(game)
        game["to_play"] = game["proposer"]
        forget_swap(game)
        return True
    return False


@kernel
def hand_over(game):
    """Both sides get what was named."""
    for side in range(2):
        source = game["proposer"] if side == 0 else game["partner"]
        target = game["partner"] if side == 0 else game["proposer"]
        for pattern in range(6):
            word = game["swap_tiles"][side, pattern]
            game["loose"][source, pattern] ^= word
            game["loose"][target, pattern] ^= word
        for card in range(CARD_TYPES):
            game["hands"][source, card] -= game["swap_cards"][side, card]
            game["hands"][target, card] += game["swap_cards"][side, card]
        game["money"][source] -= game["swap_money"][side]
        game["money"][target] += game["swap_money"][side]


@kernel
def forget_swap(game):
    """No swap is under way."""
    game["proposer"] = NOBODY
    game["partner"] = NOBODY
    for side in range(2):
        for pattern in range(6):
            game["swap_tiles"][side, pattern] = 0
        for card in range(CARD_TYPES):
            game["swap_cards"][side, card] = 0
        game["swap_money"][side] = 0


@kernel
def pieces(game, side):
    """Tiles and cards that one side of the swap names."""
    count = 0
    for pattern in range(6):
        count += count_bits(game["swap_tiles"][side, pattern])
    for card in range(CARD_TYPES):
        count += game["swap_cards"][side, card]
    return count
