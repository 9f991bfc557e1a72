from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.base import UnknownAgentError
from patchwork_env.interfaces.replay import check_result, replay
from training.arena import BLOCK_DEALS, play_blocks, play_pairs
from training.results import GAME_ROW, PairedResult, count_holes


def same_games(one: PairedResult, other: PairedResult) -> bool:
    """Whether everything but the time taken is the same."""
    names = [name for name in GAME_ROW.names or () if name != "seconds"]
    return len(names) > 5 and all(np.array_equal(one.rows[name], other.rows[name]) for name in names)


class Advancer:
    """Buys nothing; places a special patch on the first free cell."""

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        first: NDArray[np.int64] = games.action_mask[indices].argmax(axis=1)
        return first


@pytest.mark.parametrize("edition", ["revised", "stack_n_stuff"])
def test_both_games_of_a_pair_have_the_same_deal_and_refill(edition: str) -> None:
    result = play_pairs("random", "random", 80, edition=edition, seed=5, record=True)
    assert result.games == 160
    assert result.rows["deal"].tolist() == [deal for deal in range(80) for _ in range(2)]
    assert result.rows["first_seat"].tolist() == [0, 1] * 80
    circles = {record.circle for record in result.records}
    assert len(circles) == 80
    refilled = 0
    for one, other in zip(result.records[::2], result.records[1::2], strict=True):
        assert one.circle == other.circle
        assert one.moves != other.moves
        orders = [[move.refill for move in record.moves if move.refill] for record in (one, other)]
        if all(orders):
            refilled += 1
            assert orders[0] == orders[1]
    assert refilled == (0 if edition == "revised" else pytest.approx(80, abs=10))


def test_what_is_reported_is_what_a_replay_gives() -> None:
    result = play_pairs("random", Advancer(), 3, seed=1, record=True)
    for k, record in enumerate(result.records):
        *_, game = replay(record)
        check_result(record, game)
        assert record.players == (("random", "Advancer") if k % 2 == 0 else ("Advancer", "random"))
        turns = [[move.player for move in record.moves].count(player) for player in range(2)]
        seats = [k % 2, 1 - k % 2]
        assert game.done
        assert result.rows["scores"][k].tolist() == [game.scores[seat] for seat in seats]
        assert result.rows["winner"][k] == seats.index(game.winner or 0)
        assert result.rows["decisions"][k].tolist() == [turns[seat] for seat in seats]
        assert result.rows["empty_cells"][k].tolist() == [int((game.quilts[seat] == 0).sum()) for seat in seats]
        assert result.rows["bonus"][k].tolist() == [int(game.bonus_holder == seat) for seat in seats]
    assert (result.rows["seconds"] > 0).all()


def test_threads_and_length_do_not_change_the_games() -> None:
    deals = 2 * BLOCK_DEALS + 10
    long = play_pairs("random", "random", deals, seed=9, threads=2)
    short = play_pairs("random", "random", BLOCK_DEALS + 3, seed=9, threads=1)
    assert np.array_equal(short.rows["scores"], long.rows["scores"][: short.games])
    assert not same_games(play_pairs("random", "random", deals, seed=10), long)


def test_a_match_continues_where_it_was_left() -> None:
    whole = play_pairs("random", "random", 3 * BLOCK_DEALS, seed=2)
    part = play_pairs("random", "random", BLOCK_DEALS, seed=2)
    assert same_games(play_pairs("random", "random", 3 * BLOCK_DEALS, seed=2, start=part), whole)
    other = play_pairs("random", "random", 1, seed=3)
    with pytest.raises(ValueError, match="different matches"):
        whole.joined(other)


def test_precision_ends_a_match_early() -> None:
    result = play_pairs("random", "random", 5000, seed=4, precision=0.05, min_deals=50)
    assert 100 <= result.games < 2000
    assert result.interval.half_width <= 0.05
    before = result.games - 2 * BLOCK_DEALS
    shorter = play_pairs("random", "random", before // 2, seed=4)
    assert before < 100 or shorter.interval.half_width > 0.05


def test_a_deterministic_agent_splits_every_pair_with_itself() -> None:
    result = play_pairs(Advancer(), Advancer(), 20, seed=0)
    assert result.win_rate == 0.5
    assert (result.wins.sum(axis=1) == 1).all()
    assert result.interval.contains(0.5)
    assert 0 < result.interval.half_width < 0.1


def test_random_beats_never_buying() -> None:
    result = play_pairs("random", Advancer(), 100, seed=0)
    assert result.interval.low > 0.5
    mirrored = play_pairs(Advancer(), "random", 100, seed=0)
    assert mirrored.interval.high < 0.5
    assert result.first == "random"
    assert result.second == "Advancer"


def test_closing_ends_play() -> None:
    ended: list[int] = []
    blocks = play_blocks("random", "random", 10**9, seed=0, progress=ended.append)
    block = next(blocks)
    blocks.close()  # would not return if the threads played on
    assert block.games == 2 * BLOCK_DEALS
    assert sum(ended) >= block.games


def test_a_bad_agent_is_named() -> None:
    with pytest.raises(UnknownAgentError, match="did you mean 'random'"):
        play_pairs("randon", "random", 1)


def test_mistakes_of_an_agent_are_not_swallowed() -> None:
    class Broken:
        def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.full(len(indices), games.edition.num_actions - 1)

    with pytest.raises(ValueError, match="special patch to place"):
        play_pairs(Broken(), "random", 1)


def test_holes_are_regions_of_empty_cells() -> None:
    drawn = """
        ##.#.....
        ##.######
        ####.####
        ###...###
        ####.####
        #.#####.#
        .########
        ########.
        #######..
    """
    rows = [[int(mark == "#") for mark in line] for line in drawn.split()]
    quilt = np.array(rows, np.uint8)
    full, bare = np.ones((9, 9), np.uint8), np.zeros((9, 9), np.uint8)
    assert count_holes(np.stack([quilt, full, bare])).tolist() == [7, 0, 1]


def test_holes_of_winding_regions() -> None:
    snake = np.zeros((7, 7), np.uint8)
    snake[1, :6] = snake[3, 1:] = snake[5, :6] = 1
    assert count_holes(snake) == 1
    checkers = np.indices((7, 7)).sum(axis=0) % 2
    assert count_holes(checkers.astype(np.uint8)) == 25


def test_agents_are_made_by_their_text() -> None:
    assert play_pairs("random:seed=1", "random", 1).first == "random:seed=1"
    assert make_agent("random:seed=1")
