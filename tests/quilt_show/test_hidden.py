"""Hidden information: what a player observes does not depend on anything that the player cannot know."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.hidden import determinize
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from tests.quilt_show.arranging import act, enter, give_tiles, open_show, random_states, start, tile, unseen_cards

SETTINGS: list[tuple[int, dict[str, bool]]] = [
    (2, {}),
    (3, {"large_quilts": True, "two_shows": True}),
    (4, {"color_sorting": True}),
    (4, {"block_swaps": True, "all_patterns": True}),
]


def change_everything_hidden(games: QuiltShowBatch, index: int, viewer: int, chooser: random.Random) -> None:
    """Other hands, deck, discards, secret entries, and the counters that would tell of them."""
    record = games.state[index]
    pool = unseen_cards(games, index, viewer)
    chooser.shuffle(pool)
    piles = [record["hands"][player] for player in range(games.num_players) if player != viewer]
    for pile in [*piles, record["discards"], record["deck"]]:
        size = int(pile.sum())
        pile[:] = np.bincount(pool[:size], minlength=13)
        del pool[:size]
    record["draws"] += chooser.randint(1, 1000)
    record["decisions"] += chooser.randint(1, 100)
    if record["phase"] in (layout.IN_ENTER, layout.IN_SEW):
        take_back_entries(record, viewer)


def take_back_entries(record: Any, viewer: int) -> None:
    """Whatever the others have sewn for this show goes back into their sewing rooms."""
    kept = list(range(record["open_count"]))
    for quilt in range(record["open_count"], record["quilt_count"]):
        if record["quilt_owner"][quilt] == viewer:
            kept.append(quilt)
        else:
            take_apart(record, int(record["quilt_owner"][quilt]), quilt)
    for name in ("quilt_owner", "quilt_key", "quilt_tiles", "quilt_chip", "quilt_points"):
        column = record[name][kept].copy()
        record[name] = -1 if name in ("quilt_owner", "quilt_key") else 0
        record[name][: len(kept)] = column
    record["quilt_count"] = len(kept)
    if record["phase"] == layout.IN_SEW and record["to_play"] != viewer:
        put_back(record, int(record["to_play"]), int(record["sewing_key"]), int(record["sewing_tiles"]))
        record["sewing_key"], record["sewing_tiles"], record["phase"] = -1, 0, layout.IN_ENTER


def take_apart(record: Any, owner: int, quilt: int) -> None:
    put_back(record, owner, int(record["quilt_key"][quilt]), int(record["quilt_tiles"][quilt]))
    if record["quilt_chip"][quilt]:
        record["chips"][owner] |= 1 << int(record["quilt_chip"][quilt]) - 1


def put_back(record: Any, owner: int, key: int, word: int) -> None:
    for bit in range(18):
        if word >> bit & 1:
            other, value = divmod(bit, 3)
            pattern, color = (key, other) if key < 6 else (other, key - 6)
            record["loose"][owner, pattern] |= 1 << color * 3 + value


def observed(games: QuiltShowBatch, viewer: int) -> dict[str, Any]:
    seen = {name: array.copy() for name, array in games.observe(viewer).items()}
    seen["tensor"] = games.observe_tensor(viewer).copy()
    return seen


@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_observation_does_not_change_with_what_is_hidden(players: int, variants: dict[str, bool]) -> None:
    chooser = random.Random(players)
    secrets = 0
    for games in random_states(24, steps=900, every=9, num_players=players, **variants):
        viewer = chooser.randrange(players)
        twin = games.copy(seed=1)
        for index in range(games.num_games):
            change_everything_hidden(twin, index, viewer, chooser)
        before, after = observed(games, viewer), observed(twin, viewer)
        for name, array in before.items():
            assert np.array_equal(array, after[name]), name
        secrets += int((games.state["quilt_count"] != twin.state["quilt_count"]).sum())
    assert secrets > 5  # games in which somebody had secret entries


def test_observation_does_show_what_is_public() -> None:
    """Each of these changes must be seen, or the test above would prove nothing."""
    games = start(2)
    base = observed(games, 0)
    changes: dict[str, Any] = {
        "own hand": lambda record: record["hands"][0].__setitem__(0, record["hands"][0, 0] + 1),
        "size of the other hand": lambda record: record["hands"][1].__setitem__(0, record["hands"][1, 0] + 1),
        "deck size": lambda record: record["deck"].__setitem__(0, record["deck"][0] + 1),
        "discards": lambda record: record["discards"].__setitem__(0, 1),
        "face-up card": lambda record: record["face_up"].__setitem__(0, (record["face_up"][0] + 1) % 13),
        "exposed tile": lambda record: record["exposed"].__setitem__(0, (record["exposed"][0] + 1) % 18),
        "tiles of the other": lambda record: record["loose"][1].__setitem__(0, 1),
        "chips of the other": lambda record: record["chips"].__setitem__(1, 3),
        "money": lambda record: record["money"].__setitem__(1, 4),
        "markers": lambda record: record.__setitem__("markers", 3),
        "round": lambda record: record.__setitem__("round", 1),
        "prizes": lambda record: record["prizes"].__setitem__(0, 9),
        "mover": lambda record: record.__setitem__("to_play", 1),
    }
    for what, change in changes.items():
        twin = games.copy(seed=1)
        change(twin.state[0])
        after = observed(twin, 0)
        assert any(not np.array_equal(base[name], after[name]) for name in base if name != "tensor"), what
        assert not np.array_equal(base["tensor"], after["tensor"]), what


def test_entries_stay_secret_until_all_are_in() -> None:
    tiles = [tile(0, color, 5) for color in range(3)]
    seen = []
    for enters in (False, True):
        games = start(3)
        give_tiles(games, 0, tiles)
        open_show(games, [12, 10, 9, 8, 7])
        if enters:
            enter(games, 0, tiles, chip=3)
        act(games, "done")
        assert games.game(0).to_play == 1
        seen.append([observed(games, viewer) for viewer in range(3)])
        act(games, "done")
        act(games, "done")
        assert games.money[0].tolist() == ([12, 0, 0] if enters else [0, 0, 0])
    for viewer in (1, 2):
        for name, array in seen[0][viewer].items():
            assert np.array_equal(array, seen[1][viewer][name]), name
    assert not np.array_equal(seen[0][0]["tensor"], seen[1][0]["tensor"])


def test_sewing_is_seen_by_nobody_else() -> None:
    games = start(2)
    give_tiles(games, 0, [tile(0, color, 5) for color in range(3)])
    open_show(games, [12, 10, 9])
    before = observed(games, 1)
    act(games, "start", 0)
    act(games, "add", 2)
    after = observed(games, 1)
    for name, array in before.items():
        assert np.array_equal(array, after[name]), name


@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_determinized_games_look_the_same_and_are_possible(players: int, variants: dict[str, bool]) -> None:
    rng = np.random.default_rng(3)
    changed = 0
    for games in random_states(24, steps=700, every=9, num_players=players, seed=8, **variants):
        viewer = int(rng.integers(players))
        twin = determinize(games, viewer, rng)
        before, after = observed(games, viewer), observed(twin, viewer)
        for name, array in before.items():
            if name != "quilts":  # own entries may change places
                assert np.array_equal(array, after[name]), name
        for index in range(games.num_games):
            twin.load(index, twin.save(index))  # the check of damaged games accepts it
            others = [player for player in range(players) if player != viewer]
            changed += not np.array_equal(twin.state["hands"][index][others], games.state["hands"][index][others])
    assert changed > 1000


def test_determinized_hands_are_as_likely_as_they_should_be() -> None:
    games = start(2)
    pool = np.bincount(unseen_cards(games, 0, 0), minlength=13)
    many = games.copy(indices=np.zeros(4000, np.int64), seed=1)
    sample = determinize(many, 0, np.random.default_rng(1))
    mean = sample.state["hands"][:, 1].mean(axis=0)
    assert np.abs(mean - 4 * pool / pool.sum()).max() < 0.05
    assert (sample.state["hands"][:, 0] == games.state["hands"][0, 0]).all()


def test_determinized_entries_vary_and_every_other_player_may_have_some() -> None:
    games = start(3)
    give_tiles(games, 0, [tile(0, color, 5) for color in range(4)])
    open_show(games, [12, 10, 9, 8, 7])
    act(games, "done")
    many = games.copy(indices=np.zeros(400, np.int64), seed=1)
    sample = determinize(many, 1, np.random.default_rng(1))
    assert set(sample.state["quilt_count"].tolist()) == {0, 1}
    words = set(sample.state["quilt_tiles"][:, 0].tolist())
    assert len(words) == 1 + 1 + 4  # none, all four tiles, any three of them
    assert set(sample.state["quilt_chip"][:, 0].tolist()) == {0, 1, 2, 3}


def test_determinized_games_can_be_played_to_the_end() -> None:
    for players, variants in SETTINGS:
        for games in random_states(16, steps=200, every=60, num_players=players, seed=2, **variants):
            twin = determinize(games, None, np.random.default_rng(2))
            twin.auto_reset = False
            agent = RandomAgent(seed=1)
            for _ in range(300):
                twin.step(agent.act(twin, np.arange(16)))


def test_determinize_refuses_a_player_who_is_not_there() -> None:
    with pytest.raises(ValueError, match="player must be 0 to 1"):
        determinize(start(2), 2, np.random.default_rng(1))


def test_no_copy_or_save_tells_what_will_be_drawn() -> None:
    games = start(2)
    futures = set()
    for seed in range(20):
        twin = games.copy(seed=seed)
        for _ in range(3):
            act(twin, "deck")
        futures.add(twin.game(0).hands[0])
    act(games, "deck")
    assert len(futures) > 10
    twin = start(2, seed=6)
    other = start(2, seed=7)
    for batch in (twin, other):
        batch.load(0, games.save(0))
    for _ in range(20):
        for batch in (twin, other):
            act(batch, "deck")
    assert twin.game(0).hands != other.game(0).hands
