"""Games as text: lossless, checked against the rules, with errors that name the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, patchwork_v0
from patchwork_env.games.patchwork.notation import GameRecord, NotationError, cell_name, format_game, parse_game
from patchwork_env.interfaces.replay import Recorder, check_result, replay
from tests.playing import EDITIONS, random_actions


def recorded(edition: str, seed: int, moves: int = 1_000) -> GameRecord:
    env = patchwork_v0.raw_env(edition=edition, first_player="random")
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(moves):
        if any(env.terminations.values()):
            break
        env.step(int(random_actions(env.games, generator)[0]))
    return env.record()


@pytest.mark.parametrize("edition", EDITIONS)
def test_games_are_written_and_read_without_loss(edition: str) -> None:
    for seed in range(25):
        record = recorded(edition, seed)
        text = format_game(record)
        again = parse_game(text)
        again.first_line = record.first_line
        assert again == record
        assert format_game(again) == text
        for game in replay(again):
            last = game
        check_result(again, last)
        assert record.result is not None
        assert last.scores == record.result.scores


def test_a_game_under_way_is_unfinished() -> None:
    record = recorded("revised", 3, moves=10)
    assert record.result is None
    assert str(record).endswith("result: unfinished\n")
    *_, game = replay(parse_game(str(record)))
    check_result(record, game)
    assert not game.done


def test_recording_a_batch_with_auto_reset() -> None:
    games = PatchworkBatch(6, "stack_n_stuff", seed=2)
    games.reset()
    recorders = [Recorder(games, i) for i in range(6)]
    generator = np.random.default_rng(0)
    ended = np.zeros(6, bool)
    while not ended.all():
        actions = random_actions(games, generator)
        result = games.step(actions)
        for i in np.flatnonzero(~ended):
            first, second = result.final_scores[i].tolist()
            recorders[i].note(int(actions[i]), (first, second) if result.done[i] else None)
        ended |= result.done
    for recorder in recorders:
        record = parse_game(str(recorder.record(players=("a", "b"))))
        assert record.players == ("a", "b")
        *_, game = replay(record)
        check_result(record, game)


def test_a_house_edition_is_found_by_its_file_and_must_still_be_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: revised\nname: mine\nstart_buttons: 9\n")
    text = str(recorded(str(path), 1))
    assert f"edition: {path}" in text
    assert parse_game(text).edition.start_buttons == 9
    path.write_text("extends: revised\nname: mine\nstart_buttons: 8\n")
    with pytest.raises(NotationError, match="line 3: the game was played with another version of edition"):
        parse_game(text)


def test_cells_are_named_by_column_and_row() -> None:
    assert [cell_name(0, 0), cell_name(4, 2), cell_name(8, 8)] == ["a1", "c5", "i9"]


def spoiled(line: int, text: str | None) -> str:
    """A good game with one line replaced (counted from 1), or cut before it."""
    lines = str(recorded("revised", 5)).splitlines()
    if text is None:
        return "\n".join(lines[: line - 1])
    lines[line - 1] = text
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "chess game", r"line 1: expected 'patchwork game, notation 1'"),
        (2, "edition: revisd", r"line 2: unknown edition 'revisd' \(did you mean 'revised'\?\)"),
        (2, "editon: revised", r"line 2: expected a field"),
        (4, "seed: minus one", r"line 4: expected whole numbers"),
        (5, "first: me", r"line 5: expected player_0 or player_1, got 'me'"),
        (5, "seed: 3", r"line 5: seed is given twice"),
        (6, "circle: 1 2 3", r"line 6: the circle must name each patch from 0 to 32 once"),
        (7, "1. player_0: jump", r"line 7: '1\. player_0: jump' is no move"),
        (7, "2. player_0: advance", r"line 7: expected move 1, got move 2"),
        (9, None, r"line 8: the file ends without a 'result:' line"),
    ],
)
def test_a_text_that_is_no_game_is_told_with_its_line(line: int, text: str | None, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        parse_game(spoiled(line, text), "my.game")


def test_missing_fields_and_text_after_the_result_are_told() -> None:
    with pytest.raises(NotationError, match="the field 'edition' is missing"):
        parse_game("patchwork game, notation 1\nresult: unfinished\n")
    with pytest.raises(NotationError, match="nothing may follow the result"):
        parse_game(str(recorded("revised", 5)) + "more\n")
    with pytest.raises(NotationError, match=r"expected 'player_0 23"):
        parse_game(str(recorded("revised", 5)).rpartition("result:")[0] + "result: draw\n")


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("1. player_1: advance", r"g, line 7: it is the turn of player_0, not of player_1"),
        ("1. player_0: decline", r"g, line 7: player_0 has no special patch"),
        ("1. player_0: special at a1", r"g, line 7: player_0 has no special patch"),
        ("1. player_0: buy 0, orientation 0, at a1", r"g, line 7: patch 0 is not offered; the next ones are"),
        ("1. player_0: buy 1, orientation 7, at a1", r"g, line 7: patch 1 has orientations 0 to 3, not 7"),
        ("1. player_0: buy 1, orientation 0, at i9", r"g, line 7: patch 1 would reach over the edge"),
        ("1. player_0: buy 1, orientation 0, at a1; refill 3", r"g, line 7: no patches join the circle here"),
        ("1. player_0: buy 14, orientation 0, at a1", r"g, line 7: patch 14 costs 10 buttons, player_0 has 5"),
    ],
)
def test_a_move_that_the_rules_forbid_is_told_with_its_line(move: str, message: str) -> None:
    circle = [1, 14, *(patch for patch in range(33) if patch not in (0, 1, 14)), 0]
    text = (
        "patchwork game, notation 1\nedition: revised\nseed: 1\nplayers: a, b\nfirst: player_0\n"
        f"circle: {' '.join(map(str, circle))}\n{move}\nresult: unfinished\n"
    )
    with pytest.raises(NotationError, match=message):
        list(replay(parse_game(text, "g"), "g"))


def test_a_wrong_result_is_told() -> None:
    record = recorded("revised", 5)
    *_, game = replay(record)
    assert record.result is not None
    text = str(record).replace(f"player_0 {record.result.scores[0]},", "player_0 99,")
    with pytest.raises(NotationError, match="the result is given as"):
        check_result(parse_game(text), game)
    with pytest.raises(NotationError, match="called unfinished, but it is over"):
        check_result(parse_game(str(record).rpartition("result:")[0] + "result: unfinished\n"), game)
    with pytest.raises(NotationError, match="the game is not over"):
        check_result(record, next(iter(replay(record))))
    record.moves.append(record.moves[0])
    with pytest.raises(NotationError, match="the game was already over"):
        list(replay(record))


def test_a_record_needs_a_game() -> None:
    with pytest.raises(RuntimeError, match="before the first reset"):
        patchwork_v0.raw_env().record()
