"""What a player does not know, sampled anew: other hands, the order of the piles, and secret entries.

A sample is consistent with all that the player's observation tells. Cards that the player cannot see (deck,
discards, other hands) are dealt anew with equal chance, but so that a payment or an offer that is under way stays
possible. Tiles that lie face down need nothing: the record knows which they are, as the player does, and not their
order. Entries that others have already made for the show are replaced by random ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from patchwork_env.games.quilt_show.cards import CARD_TYPES, FACE_UP, LARGEST_QUILT, MAX_PLAYERS
from patchwork_env.games.quilt_show.layout import IN_ANSWER, IN_ASK, IN_ENTER, IN_GIVE, IN_PAY, IN_SEW
from patchwork_env.games.quilt_show.show import cut_quilts, finish_quilt
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import exposed_color, flip_group, group_word, total
from patchwork_env.kernels import count_bits, kernel, run_over
from patchwork_env.streams import drawn, stream_of

HIDDEN_DRAW = 3  # purpose of the stream of random numbers


def determinize(games: Any, player: int | Any | None, rng: np.random.Generator) -> Any:
    """A copy of a `QuiltShowBatch` in which everything hidden from ``player`` is sampled anew.

    ``player`` is one for all games, an array with one for each, or None for whoever is to move. The copy's random
    streams come from ``rng``, so nothing that the original has yet to draw can be learnt from it.
    """
    twin = games.copy(seed=int(rng.integers(2**63)))
    viewers = games.to_play.astype(np.int64) if player is None else np.asarray(player)
    if viewers.dtype.kind not in "iu" or not np.isin(viewers, range(games.num_players)).all():
        raise ValueError(f"player must be 0 to {games.num_players - 1} or an array of them, got {player!r}")
    viewers = np.ascontiguousarray(np.broadcast_to(viewers, (games.num_games,)), np.int64)
    pools = np.zeros((games.num_games, CARD_TYPES), np.int64)
    seed = np.uint64(rng.integers(2**63))
    run_over(twin.num_games, twin.threads, determinize_games, twin.tables, twin.state, viewers, seed, pools)
    twin.renew_masks()
    return twin


@kernel
def determinize_games(start, stop, tables, games, viewers, seed, pools):
    """Sample what is hidden in every game; ``pools`` is scratch, a row of card counts for each."""
    for i in range(start, stop):
        stream = stream_of(seed, i, 0, HIDDEN_DRAW)
        used = sample_cards(tables[0], games[i], viewers[i], stream, pools[i])
        if games[i]["phase"] in (IN_ENTER, IN_SEW):
            withdraw_entries(games[i], viewers[i])
            sample_entries(tables[0], games[i], viewers[i], stream, used)


@kernel
def draw_from(pool, stream, position):
    """A card of the pool, which leaves it."""
    cards = 0
    for card in range(CARD_TYPES):
        cards += pool[card]
    left = drawn(stream, position, cards)
    card = 0
    while left >= pool[card]:
        left -= pool[card]
        card += 1
    pool[card] -= 1
    return card


@kernel
def sample_cards(table, game, viewer, stream, pool):
    """Deal the cards that the viewer cannot see anew; how many random numbers that took."""
    for card in range(CARD_TYPES):
        pool[card] = table["card_counts"][card] - game["hands"][viewer, card] - game["removed"][card]
    for place in range(FACE_UP):
        if game["face_up"][place] != NONE:
            pool[game["face_up"][place]] -= 1
    # The player who has shown cards, or must have some, gets those before anybody else gets any.
    bound = NONE
    phase = game["phase"]
    if phase == IN_PAY:
        bound = game["to_play"]
    elif phase in (IN_GIVE, IN_ASK, IN_ANSWER):
        bound = game["proposer"]
    used = 0
    if bound not in (NONE, viewer):
        used = sample_hand(table, game, bound, True, stream, used, pool)
    for player in range(MAX_PLAYERS):
        if player not in (viewer, bound) and player < table["players"]:
            used = sample_hand(table, game, player, False, stream, used, pool)
    discards = game["discards"]
    size = total(discards)
    for card in range(CARD_TYPES):
        discards[card] = 0
    for _ in range(size):
        discards[draw_from(pool, stream, used)] += 1
        used += 1
    for card in range(CARD_TYPES):
        game["deck"][card] = pool[card]
    return used


@kernel
def sample_hand(table, game, player, is_bound, stream, used, pool):
    """Deal one hand from the pool. A bound player keeps what is offered in a swap, and enough to pay."""
    hand = game["hands"][player]
    size = total(hand)
    for card in range(CARD_TYPES):
        hand[card] = 0
    if is_bound and game["phase"] == IN_PAY:
        color = exposed_color(table, game, game["paying"])
        for _ in range(game["to_pay"]):
            usable = 0
            for card in range(CARD_TYPES):
                usable += pool[card] * table["usable"][card, color]
            left = drawn(stream, used, usable)
            used += 1
            card = 0
            while left >= pool[card] * table["usable"][card, color]:
                left -= pool[card] * table["usable"][card, color]
                card += 1
            pool[card] -= 1
            hand[card] += 1
            size -= 1
    elif is_bound:
        for card in range(CARD_TYPES):
            offered = game["swap_cards"][0, card]
            hand[card] = offered
            pool[card] -= offered
            size -= offered
    for _ in range(size):
        hand[draw_from(pool, stream, used)] += 1
        used += 1
    return used


@kernel
def withdraw_entries(game, viewer):
    """Take back what others have entered so far, and what somebody else is sewing."""
    if game["phase"] == IN_SEW and game["to_play"] != viewer:
        flip_group(game["loose"][game["to_play"]], game["sewing_key"], np.int64(game["sewing_tiles"]))
        game["sewing_key"] = NONE
        game["sewing_tiles"] = 0
        game["phase"] = IN_ENTER
    kept = game["open_count"]
    for quilt in range(game["open_count"], game["quilt_count"]):
        owner = game["quilt_owner"][quilt]
        if owner == viewer:
            game["quilt_owner"][kept] = owner
            game["quilt_key"][kept] = game["quilt_key"][quilt]
            game["quilt_tiles"][kept] = game["quilt_tiles"][quilt]
            game["quilt_chip"][kept] = game["quilt_chip"][quilt]
            game["quilt_points"][kept] = game["quilt_points"][quilt]
            kept += 1
        else:
            flip_group(game["loose"][owner], game["quilt_key"][quilt], np.int64(game["quilt_tiles"][quilt]))
            if game["quilt_chip"][quilt] > 0:
                game["chips"][owner] |= 1 << (game["quilt_chip"][quilt] - 1)
    cut_quilts(game, kept)


@kernel
def sample_entries(table, game, viewer, stream, used):
    """Random entries of every other player who is done entering."""
    mover = game["to_play"]
    phase = game["phase"]
    key = game["sewing_key"]
    tiles = game["sewing_tiles"]
    for step in range(game["entered"]):
        player = (game["last_taker"] + 1 + step) % table["players"]
        if player == viewer:
            continue
        game["to_play"] = player
        while True:
            used, went_on = sample_quilt(table, game, stream, used)
            if not went_on:
                break
    game["to_play"] = mover
    game["phase"] = phase
    game["sewing_key"] = key
    game["sewing_tiles"] = tiles


@kernel
def sample_quilt(table, game, stream, used):
    """One random quilt of the player to move, or none: any quilt that she could enter has a chance."""
    player = game["to_play"]
    loose = game["loose"][player]
    possible = 0
    for key in range(12):
        possible += count_bits(group_word(loose, key)) >= 3
    choice = drawn(stream, used, possible + 1)
    used += 1
    if choice == possible:
        return used, False
    key = 0
    while True:
        if count_bits(group_word(loose, key)) >= 3:
            if choice == 0:
                break
            choice -= 1
        key += 1
    fitting = group_word(loose, key)
    available = count_bits(fitting)
    sizes = 0
    for size in range(3, min(available, LARGEST_QUILT) + 1):
        sizes += table["size_from"][size] == size
    choice = drawn(stream, used, sizes)
    used += 1
    size = 3
    for _ in range(choice):
        size = table["size_from"][size + 1]
    word = np.int64(0)
    for bit in range(18):
        if (fitting >> bit) & 1:
            if drawn(stream, used, available) < size - count_bits(word):
                word |= np.int64(1) << bit
            available -= 1
            used += 1
    chip = drawn(stream, used, 4)
    used += 1
    if chip > 0 and not (game["chips"][player] >> (chip - 1)) & 1:
        chip = 0
    flip_group(loose, key, word)
    game["sewing_key"] = key
    game["sewing_tiles"] = word
    finish_quilt(table, game, chip)
    return used, True
