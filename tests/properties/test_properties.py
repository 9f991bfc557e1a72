"""Properties that hold in every game that can be played."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchwork_env import IllegalActionError, PatchworkBatch, load_edition, patchwork_v0
from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.patchwork.actions import describe
from patchwork_env.games.patchwork.reward import REWARDS
from patchwork_env.games.patchwork.rules import score
from tests.playing import EDITIONS, arrange, covered, meanings, random_actions

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)

editions = st.sampled_from(EDITIONS)
seeds = st.integers(0, 2**63 - 1)
lengths = st.integers(0, 60)


def played(edition: str, seed: int, length: int, num_games: int = 4, **options: Any) -> PatchworkBatch:
    """A batch after ``length`` random decisions in each game."""
    games = PatchworkBatch(num_games, edition, seed=seed, **options)
    games.reset()
    agent = RandomAgent(seed=seed)
    everyone = np.arange(num_games)
    for _ in range(length):
        games.step(agent.act(games, everyone))
    return games


def play_on(games: PatchworkBatch, seed: int, steps: int) -> list[bytes]:
    """What a batch looks like in the coming steps of random play."""
    agent = RandomAgent(seed=seed)
    seen = []
    for _ in range(steps):
        result = games.step(agent.act(games, np.arange(games.num_games)))
        seen.append(games.state.tobytes() + result.rewards.tobytes() + games.action_mask.tobytes())
    return seen


@SETTINGS
@given(editions, seeds, lengths)
def test_cells_and_buttons_add_up(edition_name: str, seed: int, length: int) -> None:
    edition = load_edition(edition_name)
    games = PatchworkBatch(1, edition, seed=seed, auto_reset=False)
    games.reset()
    game = games.game(0)
    generator = np.random.default_rng(seed)
    for _ in range(length):
        if game.done:
            break
        player, buttons, incomes = game.to_play, game.buttons, game.incomes
        position, settled = game.positions[player], int(games.state["resolved"][0])
        empty = edition.cells - len(covered(games, player))
        action = random_actions(games, generator)
        info = game.describe(int(action[0]))
        games.step(action)
        spent = gained = 0
        if info.kind == "buy":
            assert info.patch is not None
            spent = edition.patches[info.patch].cost
            gained = edition.patches[info.patch].income
        elif info.kind == "advance":
            spent = position - game.positions[player]
        now_settled = int(games.state["resolved"][0]) if game.special_pending else game.positions[player]
        marks = sum(settled < mark <= now_settled for mark in edition.income_spaces)
        assert game.incomes[player] == incomes[player] + gained
        assert game.buttons[player] == buttons[player] - spent + marks * game.incomes[player]
        assert game.buttons[1 - player] == buttons[1 - player]
        assert edition.cells - len(covered(games, player)) == empty - len(info.cells)
        assert game.buttons[player] >= 0


@SETTINGS
@given(editions, seeds, lengths)
def test_the_mask_is_exactly_what_step_accepts(edition: str, seed: int, length: int) -> None:
    games = played(edition, seed, length, num_games=1)
    blob = games.save(0)
    legal = games.action_mask[0].copy()
    assert games.game(0).done or legal.any()
    generator = np.random.default_rng(seed)
    sample = {*np.flatnonzero(legal)[:40].tolist(), *generator.integers(-2, games.edition.num_actions + 2, 60).tolist()}
    for action in sample:
        allowed = 0 <= action < len(legal) and legal[action]
        try:
            games.step(np.array([action]))
        except IllegalActionError:
            assert not allowed
            assert games.save(0) == blob
        else:
            assert allowed
        games.load(0, blob)


@SETTINGS
@given(editions, seeds, lengths)
def test_every_legal_purchase_covers_free_cells_and_can_be_paid(edition: str, seed: int, length: int) -> None:
    games = played(edition, seed, length, num_games=1)
    game = games.game(0)
    taken = covered(games, game.to_play)
    for action in game.legal_actions():
        info = describe(games.edition, games.state[0], int(action))
        assert not taken & set(info.cells)
        assert all(0 <= r < games.edition.rows and 0 <= c < games.edition.columns for r, c in info.cells)
        if info.patch is not None:
            assert games.edition.patches[info.patch].cost <= game.buttons[game.to_play]


@SETTINGS
@given(editions, seeds, lengths, st.sampled_from(sorted(REWARDS)))
def test_saving_and_loading_changes_nothing(edition: str, seed: int, length: int, reward: str) -> None:
    games = played(edition, seed, length, reward=reward)
    blobs = [games.save(i) for i in range(4)]
    assert all(len(blob) < 200 for blob in blobs)
    episodes = games.episodes.copy()
    expected = play_on(games, seed, 12)
    for i, blob in enumerate(blobs):
        games.load(i, blob)
        assert games.save(i) == blob
    games.episodes[:] = episodes
    assert play_on(games, seed, 12) == expected


@SETTINGS
@given(editions, seeds, lengths)
def test_a_pickled_batch_plays_on_the_same(edition: str, seed: int, length: int) -> None:
    games = played(edition, seed, length)
    twin = pickle.loads(pickle.dumps(games))
    np.testing.assert_array_equal(twin.action_mask, games.action_mask)
    assert play_on(twin, seed, 30) == play_on(games, seed, 30)


@SETTINGS
@given(editions, seeds, lengths)
def test_a_copy_is_the_same_game_with_its_own_future(edition: str, seed: int, length: int) -> None:
    games = played(edition, seed, length)
    before = games.state.tobytes()
    for twin in (games.copy(), copy.deepcopy(games)):
        assert twin.state.tobytes() == before
        np.testing.assert_array_equal(twin.action_mask, games.action_mask)
        play_on(twin, seed, 5)
        assert games.state.tobytes() == before
    assert games.copy([2, 2, 0]).state.tobytes() == games.state[[2, 2, 0]].tobytes()
    assert games.copy(seed=3).copy(seed=4).state.tobytes() == before


@SETTINGS
@given(editions, seeds, st.integers(1, 12), st.integers(1, 100))
def test_a_game_is_the_same_in_a_batch_of_any_size(edition: str, seed: int, small: int, length: int) -> None:
    first, second = played(edition, seed, length, small), played(edition, seed, length, small + 5)
    assert first.state.tobytes() == second.state[:small].tobytes()
    np.testing.assert_array_equal(first.action_mask, second.action_mask[:small])
    for name, array in first.observe().items():
        np.testing.assert_array_equal(array, second.observe()[name][:small])


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_game_is_the_same_on_any_number_of_threads(edition: str) -> None:
    batches = [played(edition, 11, 120, 700, threads=threads, first_player="random") for threads in (1, 2, 5)]
    for games in batches[1:]:
        assert games.state.tobytes() == batches[0].state.tobytes()
        np.testing.assert_array_equal(games.action_mask, batches[0].action_mask)
        np.testing.assert_array_equal(games.observe_tensor(), batches[0].observe_tensor())


@SETTINGS
@given(editions, seeds)
def test_a_game_is_the_same_through_every_interface(edition: str, seed: int) -> None:
    games = PatchworkBatch(1, edition, seed=seed, auto_reset=False)
    games.reset()
    env = patchwork_v0.raw_env(edition=edition)
    env.reset(seed=seed)
    gym = gymnasium.make("patchwork_env/Patchwork-v0", edition=edition, opponent="random", seat=0).unwrapped
    gym.reset(seed=seed)
    opponent = RandomAgent(seed=seed)
    generator = np.random.default_rng(seed)
    while not games.done[0]:
        if games.to_play[0] == 0:
            assert games.state.tobytes() == gym._seated.games.state.tobytes()  # type: ignore[attr-defined]
            action = random_actions(games, generator)
            gym.step(int(action[0]))
        else:
            action = opponent.act(games, np.zeros(1, np.int64))
        env.step(int(action[0]))
        games.step(action)
        assert games.state.tobytes() == env.games.state.tobytes()
        np.testing.assert_array_equal(games.observe_tensor(0)[0], env.observe("player_0")["observation"])


@SETTINGS
@given(editions, seeds, lengths)
def test_both_players_see_the_same_game_from_two_sides(edition: str, seed: int, length: int) -> None:
    games = played(edition, seed, length)
    mine = {name: array.copy() for name, array in games.observe(0).items()}
    theirs = games.observe(1)
    np.testing.assert_array_equal(mine["quilts"], theirs["quilts"][:, ::-1])
    np.testing.assert_array_equal(mine["patches"], theirs["patches"])
    np.testing.assert_array_equal(mine["circle"], theirs["circle"])
    mover = {name: array.copy() for name, array in games.observe().items()}
    for name, array in games.observe(games.to_play).items():
        np.testing.assert_array_equal(array, mover[name])


@SETTINGS
@given(editions, seeds, lengths, st.sampled_from(["transpose", "flip rows", "flip columns"]))
def test_a_turned_quilt_has_the_turned_mask(edition: str, seed: int, length: int, how: str) -> None:
    games = played(edition, seed, length, num_games=1)
    side = games.edition.rows - 1

    def turned(cell: tuple[int, int]) -> tuple[int, int]:
        row, column = cell
        return {"transpose": (column, row), "flip rows": (side - row, column)}.get(how, (row, side - column))

    expected = set()
    for key in meanings(games):
        if key[0] == "special":
            expected.add(("special", turned(key[1])))
        elif key[0] == "buy":
            expected.add((*key[:3], frozenset(turned(cell) for cell in key[3])))
        else:
            expected.add(key)
    resolved = games.state["resolved"][0]
    arrange(games, quilts=[{turned(cell) for cell in covered(games, player)} for player in range(2)], resolved=resolved)
    assert set(meanings(games)) == expected


@SETTINGS
@given(editions, seeds, st.sampled_from(["shaped", "shaped_margin"]))
def test_shaping_sums_up_to_the_plain_reward(edition: str, seed: int, reward: str) -> None:
    plain_name = {"shaped": "outcome", "shaped_margin": "margin"}[reward]
    shaped, plain = (
        PatchworkBatch(1, edition, seed=seed, auto_reset=False, reward=name) for name in (reward, plain_name)
    )
    shaped.reset()
    plain.reset()
    generator = np.random.default_rng(seed)
    totals = np.zeros((2, 2))
    steps_with_reward = 0
    while not shaped.done[0]:
        action = random_actions(shaped, generator)
        step = shaped.step(action).rewards[0]
        steps_with_reward += bool(step.any())
        totals[0] += step
        totals[1] += plain.step(action).rewards[0]
    np.testing.assert_allclose(totals[0], totals[1], atol=1e-4)
    assert steps_with_reward > 5
    assert totals[1].sum() == pytest.approx(0)


def test_auto_reset_starts_the_next_episode_and_keeps_the_final_scores() -> None:
    kept, fresh = (PatchworkBatch(3, seed=9, auto_reset=auto) for auto in (False, True))
    kept.reset()
    fresh.reset()
    generator = np.random.default_rng(1)
    ended = np.zeros(3, bool)
    while not ended.all():
        live = np.flatnonzero(~ended)
        actions = random_actions(fresh, generator)
        result = fresh.step(actions)
        kept.step(actions[live], live)
        np.testing.assert_array_equal(result.done[live], kept.done[live])
        for i in live[result.done[live]]:
            assert result.final_scores[i].tolist() == [score(kept.tables[0], kept.state[i], p) for p in range(2)]
            assert fresh.state["decisions"][i] == 0
            assert fresh.episodes[i] == 1
        ended |= result.done
    kept.reset()
    assert kept.episodes.tolist() == [1, 1, 1]


def test_random_play_has_the_known_figures() -> None:
    games = PatchworkBatch(2_048, seed=1)
    games.reset()
    agent = RandomAgent(seed=1)
    everyone = np.arange(2_048)
    ended = legal = single = steps = decisions = first_wins = 0
    scores: list[float] = []
    for _ in range(430):
        counts = games.action_mask.sum(axis=1)
        legal, single, steps = legal + int(counts.sum()), single + int((counts == 1).sum()), steps + 2_048
        before = games.state["decisions"].copy()
        result = games.step(agent.act(games, everyone))
        decisions += int((before[result.done] + 1).sum())
        ended += int(result.done.sum())
        first_wins += int((result.rewards[:, 0] > 0).sum())
        scores.append(float(result.final_scores[result.done].mean()) if result.done.any() else np.nan)
    assert decisions / ended == pytest.approx(42.7, rel=0.02)
    assert legal / steps == pytest.approx(79, rel=0.03)
    assert single / steps == pytest.approx(0.30, abs=0.01)
    assert np.nanmean(scores) == pytest.approx(-11, abs=2)
    assert first_wins / ended == pytest.approx(0.5, abs=0.02)
