"""The Automa's turn and the solo game's rules, for one game and over many; SOLO.md tells them in words.

The order of the cards is nowhere kept: the next card is drawn from those not yet turned when it is turned, which is
the same as shuffling, and nobody can read ahead in a state, a copy or an observation.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.patchwork.automa import (
    AUTOMATON,
    HUMAN,
    LARGEST,
    MAX_FILTERS,
    NO_CARD,
    NO_FILTER,
    NO_OVERTAKE,
)
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.loops import start_game
from patchwork_env.games.patchwork.observation import write_observation
from patchwork_env.games.patchwork.reward import MARGIN, MARGIN_SCALE
from patchwork_env.games.patchwork.rules import (
    AUTOMA_DRAW,
    is_consistent,
    move_to,
    pass_turn,
    play,
    score,
    take_patch,
    write_mask,
)
from patchwork_env.games.patchwork.state import NOBODY
from patchwork_env.kernels import kernel
from patchwork_env.streams import drawn, stream_of

NOTHING = -1  # as a slot: no patch can be taken


@kernel
def set_up_solo(table, game, automa, seed, index, episode):
    """Deal a game in which the human begins and the Automa has nothing."""
    start_game(table, game, seed, index, episode, HUMAN)
    game["buttons"][AUTOMATON] = 0
    game["quilts"][AUTOMATON, 0] = table["full"][0]
    game["quilts"][AUTOMATON, 1] = table["full"][1]
    automa["seen"] = 0
    automa["shuffles"] = 0
    automa["turned"] = 0
    automa["card"] = NO_CARD
    automa["patches"] = 0


@kernel
def play_solo(table, solo, game, automa, action, seed, index, episode):
    """Carry out the human's action and every turn that the Automa then has."""
    play(table, game, action, seed, index, episode)
    while game["to_play"] == AUTOMATON and not game["done"]:
        take_turn(table, solo, game, automa, seed, index, episode)


@kernel
def take_turn(table, solo, game, automa, seed, index, episode):
    """One turn of the Automa: turn a card, take a patch or advance, settle the spaces on the way."""
    card = turn_card(solo, automa, seed, index, episode)
    slot = slot_to_take(table, solo, game, card)
    start = game["positions"][AUTOMATON]
    if slot == NOTHING:
        move_to(table, game, game["positions"][HUMAN] + 1)  # pays nothing, unlike a player's
    else:
        patch = take_patch(table, game, slot, seed, index, episode)
        automa["patches"] += 1
        game["incomes"][AUTOMATON] += table["income"][patch]
        move_to(table, game, start + table["time"][patch])
    end = game["positions"][AUTOMATON]
    for space in range(start + 1, end + 1):
        if table["income_at"][space]:
            game["buttons"][AUTOMATON] += solo["income"][card]
        if space == solo["tile_space"] and game["bonus_holder"] == NOBODY:
            game["bonus_holder"] = AUTOMATON
    # A special patch that it passed is gone for the human, as where the Automa stands tells.
    game["resolved"] = end
    pass_turn(table, game)


@kernel
def turn_card(solo, automa, seed, index, episode):
    """Turn the next card; once all but those set aside are turned, or at the start, shuffle all of them first."""
    count = solo["card_count"]
    if automa["shuffles"] == 0 or automa["turned"] == count - solo["set_aside"]:
        automa["seen"] = 0
        automa["turned"] = 0
        automa["shuffles"] += 1
    stream = stream_of(seed, index, episode, AUTOMA_DRAW)
    left = drawn(stream, automa["shuffles"] * count + automa["turned"], count - automa["turned"])
    card = 0
    while (automa["seen"] >> card) & 1 or left > 0:
        if not (automa["seen"] >> card) & 1:
            left -= 1
        card += 1
    automa["seen"] |= 1 << card
    automa["turned"] += 1
    automa["card"] = card
    return card


@kernel
def slot_to_take(table, solo, game, card):
    """The slot whose patch the Automa takes, or `NOTHING`. Sets of slots are kept as bits."""
    slots = 0
    for slot in range(min(OFFERED, game["circle_size"])):
        if table["cost"][game["circle"][slot]] <= solo["buttons"][card]:
            slots |= 1 << slot
    if slots == 0:
        return NOTHING
    for k in range(MAX_FILTERS):
        code = solo["filters"][card, k]
        if code == NO_FILTER:
            break
        slots = filtered(table, game, code, slots)
    if slots & 4:  # of those still equal the one furthest from the neutral token
        return 2
    return 1 if slots & 2 else 0


@kernel
def filtered(table, game, code, slots):
    """The slots that a filter leaves: those with the highest mark; if nothing can be told apart, all."""
    best = np.int64(-1)
    left = 0
    for slot in range(OFFERED):
        if not (slots >> slot) & 1:
            continue
        mark = mark_of(table, game, code, game["circle"][slot])
        if mark > best:
            best = mark
            left = 0
        if mark == best:
            left |= 1 << slot
    return left


@kernel
def mark_of(table, game, code, patch):
    """How well a patch does in a filter."""
    if code == NO_OVERTAKE:
        target = min(game["positions"][AUTOMATON] + table["time"][patch], table["last_space"])
        return np.int64(target <= game["positions"][HUMAN])
    if code == LARGEST:
        return np.int64(table["size"][patch])
    return np.int64(table["income"][patch])


@kernel
def automa_score(table, solo, game, automa):
    """The Automa's points at its level."""
    points = table["bonus_points"] if game["bonus_holder"] == AUTOMATON else 0
    points += solo["scores_buttons"] * game["buttons"][AUTOMATON]
    points += solo["scores_patches"] * automa["patches"]
    points += solo["scores_patch_income"] * game["incomes"][AUTOMATON]
    return points


@kernel
def solo_winner(table, solo, game, automa):
    """Who has more points; a tie is the human's."""
    if score(table, game, HUMAN) >= automa_score(table, solo, game, automa):
        return HUMAN
    return AUTOMATON


@kernel
def is_consistent_solo(table, solo, game, automa):
    """Whether records from outside could be a solo game: nothing in them leads outside a table."""
    count = solo["card_count"]
    turned = 0
    for card in range(32):
        turned += (automa["seen"] >> card) & 1
    sound = is_consistent(table, game) and 0 <= automa["seen"] < (np.int64(1) << count)
    sound = sound and turned == automa["turned"] and turned <= count - solo["set_aside"]
    sound = sound and automa["shuffles"] >= (1 if turned > 0 else 0)
    sound = sound and NO_CARD <= automa["card"] < count and 0 <= automa["patches"] <= table["patch_count"]
    return sound and (game["to_play"] == HUMAN or game["done"] == 1)


# --- over many games ----------------------------------------------------------------------------------------------


@kernel
def reset_solo_games(start, stop, indices, tables, games, automas, masks, seed, episodes):
    """Start the next episode of each game named."""
    for k in range(start, stop):
        i = indices[k]
        episodes[i] += 1
        set_up_solo(tables[0], games[i], automas[i], seed, i, episodes[i])
        write_mask(tables[0], games[i], masks[i])


@kernel
def step_solo_games(start, stop, indices, tables, solos, games, automas, masks, actions, seed, episodes, rule, results):
    """Carry out checked actions; ``rule`` is (reward code, auto-reset?), ``results`` (rewards, done, final scores)."""
    table, solo = tables[0], solos[0]
    code, auto_reset = rule
    rewards, done, final_scores = results
    for k in range(start, stop):
        i = indices[k]
        game, automa = games[i], automas[i]
        play_solo(table, solo, game, automa, actions[k], seed, i, episodes[i])
        value = 0.0
        done[i] = game["done"]
        if game["done"]:
            final_scores[i, 0] = score(table, game, HUMAN)
            final_scores[i, 1] = automa_score(table, solo, game, automa)
            if code == MARGIN:
                value = (final_scores[i, 0] - final_scores[i, 1]) / MARGIN_SCALE
            else:
                value = 1.0 if solo_winner(table, solo, game, automa) == HUMAN else -1.0
            if auto_reset:
                episodes[i] += 1
                set_up_solo(table, game, automa, seed, i, episodes[i])
        rewards[i, 0] = value
        rewards[i, 1] = -value
        write_mask(table, game, masks[i])


@kernel
def accept_solo_game(tables, solos, games, automas, index, masks):
    """Whether records that were put there from outside can be played; if so the mask is current."""
    if not is_consistent_solo(tables[0], solos[0], games[index], automas[index]):
        return False
    write_mask(tables[0], games[index], masks[index])
    return True


@kernel
def score_solo_games(start, stop, tables, solos, games, automas, scores):
    """Both scores as they stand."""
    for i in range(start, stop):
        scores[i, 0] = score(tables[0], games[i], HUMAN)
        scores[i, 1] = automa_score(tables[0], solos[0], games[i], automas[i])


@kernel
def observe_solo_games(start, stop, tables, solos, games, automas, rows, numbers):
    """What the human sees: the game as in `observe_games`, and the numbers named in `automa_fields`."""
    quilts, patches, circle, scalars = rows
    table, solo = tables[0], solos[0]
    for i in range(start, stop):
        game, automa = games[i], automas[i]
        write_observation(table, game, HUMAN, quilts[i], patches[i], circle[i], scalars[i])
        out = numbers[i]
        card = automa["card"]
        out[0] = automa_score(table, solo, game, automa)
        out[1] = automa["patches"]
        out[2] = solo["tile_space"] if game["bonus_holder"] == NOBODY else -1
        out[3] = card
        out[4] = solo["buttons"][card] if card != NO_CARD else -1
        out[5] = solo["income"][card] if card != NO_CARD else -1
        out[6] = automa["shuffles"]
        out[7] = automa["turned"]
        for k in range(solo["card_count"]):
            out[8 + k] = (automa["seen"] >> k) & 1
