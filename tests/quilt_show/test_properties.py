"""Conservation: cards, tiles, chips and markers never appear or vanish, and money comes from prizes and sales only."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.cards import CARD_COUNTS, VARIANTS
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch

GAMES = 16


@st.composite
def batches(draw: st.DrawFn) -> QuiltShowBatch:
    """A batch of any settings, some way into its games."""
    players = draw(st.integers(2, 4))
    variants: dict[str, Any] = {name: draw(st.booleans()) for name in VARIANTS if name != "block_swaps" or players > 2}
    games = QuiltShowBatch(GAMES, players, seed=draw(st.integers(0, 2**63 - 1)), threads=1, **variants)
    games.reset()
    agent = RandomAgent(seed=1)
    for _ in range(draw(st.integers(0, 300))):
        games.step(agent.act(games, np.arange(GAMES)))
    return games


def tiles_of(record: Any) -> list[int]:
    """Every tile, once for each place where it lies."""
    words = [(group, int(word)) for rows in (*record["loose"], record["gone"]) for group, word in enumerate(rows)]
    words += [
        (int(key), int(word)) for key, word in zip(record["quilt_key"], record["quilt_tiles"], strict=True) if word
    ]
    words.append((int(record["sewing_key"]), int(record["sewing_tiles"])))
    return [number(group, bit) for group, word in words for bit in range(18) if word >> bit & 1]


def number(group: int, bit: int) -> int:
    other, value = divmod(bit, 3)
    return group * 18 + bit if group < 6 else other * 18 + (group - 6) * 3 + value


def check_pieces(games: QuiltShowBatch) -> None:
    patterns = games.settings.patterns
    for record in games.state:
        counts = sum(record[name].astype(int) for name in ("deck", "discards", "removed"))
        counts = counts + record["hands"].sum(axis=0)
        for card in record["face_up"]:
            if card >= 0:
                counts[card] += 1
        assert tuple(counts.tolist()) == CARD_COUNTS
        assert sum(CARD_COUNTS) == 96
        tiles = tiles_of(record)
        first = 6 if games.settings.color_sorting else 0
        for stack in range(6):
            tiles += [number(first + stack, bit) for bit in range(18) if int(record["face_down"][stack]) >> bit & 1]
            if record["exposed"][stack] >= 0:
                tiles.append(number(first + stack, int(record["exposed"][stack])))
        assert sorted(tiles) == list(range(18 * patterns))


def chips_of(record: Any, players: int) -> list[int]:
    """All chips: in the players' hands and on quilts."""
    held = [chip for player in range(players) for chip in (1, 2, 3) if int(record["chips"][player]) >> chip - 1 & 1]
    return sorted(held + [int(chip) for chip in record["quilt_chip"] if chip])


@settings(max_examples=25, deadline=None)
@given(batches())
def test_cards_and_tiles_never_appear_or_vanish(games: QuiltShowBatch) -> None:
    check_pieces(games)
    agent = RandomAgent(seed=2)
    for _ in range(15):
        games.step(agent.act(games, np.arange(GAMES)))
        check_pieces(games)


@settings(max_examples=25, deadline=None)
@given(batches())
def test_chips_markers_and_money(games: QuiltShowBatch) -> None:
    players = games.num_players
    agent = RandomAgent(seed=3)
    games = games.copy(seed=1)
    games.auto_reset = False
    for _ in range(40):
        before = games.state.copy()
        actions = agent.act(games, np.arange(GAMES))
        result = games.step(actions)
        for index in range(GAMES):
            if not result.done[index]:
                check_step(before[index], games.state[index], int(actions[index]), games, players)


def check_step(before: Any, after: Any, action: int, games: QuiltShowBatch, players: int) -> None:
    judged = after["round"] != before["round"]
    chips = chips_of(after, players)
    if not judged:
        assert chips == chips_of(before, players)
        made = after["loose"].sum() != before["loose"].sum() and before["phase"] == layout.IN_PAY
        assert before["markers"] - after["markers"] == int(made)
        assert after["money"].sum() == before["money"].sum()
        if action != layout.ACCEPT:
            assert (after["money"] == before["money"]).all()
        return
    assert after["markers"] == games.settings.markers
    earned = (after["money"] - before["money"])[:players]
    prizes = before["prizes"][before["prizes"] > 0].astype(int)
    assert (earned >= 0).all()
    assert earned.sum() <= prizes.sum()
    won = before["quilt_count"] - after["quilt_count"]
    assert won >= min(before["quilt_count"], len(prizes))
    if won <= len(prizes) and len(set(before["quilt_points"][: before["quilt_count"]])) == before["quilt_count"]:
        assert earned.sum() == prizes[:won].sum()  # no ties: each winner has a whole prize
    assert len(chips_of(before, players)) - len(chips) <= won


@settings(max_examples=20, deadline=None)
@given(batches())
def test_every_state_has_a_legal_action_and_the_masks_are_current(games: QuiltShowBatch) -> None:
    assert games.action_mask.any(axis=1).all()
    kept = games.action_mask.copy()
    for index in range(GAMES):
        games.load(index, games.save(index))
    assert np.array_equal(kept, games.action_mask)


@settings(max_examples=20, deadline=None)
@given(batches(), st.sampled_from(["outcome", "money"]))
def test_rewards_are_zero_sum(games: QuiltShowBatch, reward: str) -> None:
    games = QuiltShowBatch(GAMES, **{**games.settings.as_dict(), "two_shows": True}, reward=reward, seed=1, threads=1)
    games.reset()
    agent = RandomAgent(seed=4)
    total = np.zeros((GAMES, games.num_players))
    over = np.zeros(GAMES, bool)
    for _ in range(2000):
        result = games.step(agent.act(games, np.arange(GAMES)))
        assert np.abs(result.rewards.sum(axis=1)).max() < 1e-5
        total[~over] += result.rewards[~over]
        fresh = result.done & ~over & ~result.truncated
        if reward == "money":
            money = result.final_money.astype(float)
            others = (money.sum(axis=1, keepdims=True) - money) / (games.num_players - 1)
            assert np.allclose(total[fresh], ((money - others) / 20)[fresh], atol=1e-4)
        else:
            assert np.allclose(np.clip(total[fresh], 0, None).sum(axis=1), 1) or (total[fresh] == 0).all()
        over |= result.done
        if over.all():
            break
