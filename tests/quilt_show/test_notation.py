"""Notation and replay: written, read and played again without loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patchwork_env import QuiltShowBatch, quilt_show_v0
from patchwork_env.agents.random import RandomAgent
from patchwork_env.commands.replay import OTHER_GAMES
from patchwork_env.games.quilt_show.notation import HEADING, GameRecord, NotationError, format_game, parse_game
from patchwork_env.interfaces.quilt_show_replay import Recorder, replay
from training.cli import main

CASES: list[dict[str, Any]] = [
    {},
    {"num_players": 3, "block_swaps": True, "two_shows": True},
    {"num_players": 4, "color_sorting": True, "large_quilts": True, "first_player": "player_2"},
]


def recorded(settings: dict[str, Any], seed: int = 3, index: int = 0, episode: int = 0) -> tuple[GameRecord, Any]:
    games = QuiltShowBatch(index + 1, seed=seed, auto_reset=False, threads=1, **settings)
    agent = RandomAgent(seed=seed)
    for _ in range(episode + 1):
        games.reset()
    recorder = Recorder(games, index)
    chosen = np.array([index])
    while not games.done[index]:
        action = agent.act(games, chosen)
        recorder.note(int(action[0]))
        games.step(action, chosen)
    return recorder.record(), games.game(index)


@pytest.mark.parametrize("settings", CASES, ids=str)
def test_game_is_read_and_played_again(settings: dict[str, Any]) -> None:
    record, original = recorded(settings, index=2, episode=1)
    text = format_game(record)
    read = parse_game(text)
    assert format_game(read) == text
    views = list(replay(read))
    assert len(views) == len(record.moves) + 1
    last = views[-1]
    assert (last.money, last.hands, last.winners) == (original.money, original.hands, original.winners)


def test_environment_records_its_game() -> None:
    env: Any = quilt_show_v0.env(num_players=3)
    with pytest.raises(RuntimeError, match="before the first reset"):
        env.unwrapped.record()
    env.reset(seed=1)
    env.reset(options={"first_player": "player_2"})  # a second episode, without a seed
    generator = np.random.default_rng(1)
    for _ in range(80):
        env.step(int(generator.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    record = parse_game(str(env.unwrapped.record()))
    assert (record.episode, record.first_player, record.result) == (1, "player_2", None)
    *_, last = replay(record)
    assert last.hands == env.unwrapped.game.hands


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("notation 1", "notation 9", "line 1: expected 'quilt show game, notation 1'"),
        ("players: 2", "players: 5", "num_players must be 2, 3 or 4"),
        ("players: 2", "gamers: 2", "line 2: expected one of players"),
        ("seed: 3\n", "", "the field 'seed' is missing"),
        ("\n2. ", "\n3. ", "expected move 2, got 3"),
        ("1. player_0: take", "1. player_0: grab", "unknown kind of action 'grab'"),
        ("result: money", "result: cash", "expected 'money 23 14, winner player_0'"),
    ],
)
def test_errors_name_the_line(old: str, new: str, message: str) -> None:
    record, _ = recorded({"first_player": "player_0"})
    text = format_game(record)
    number = next(line for line in text.splitlines() if line.startswith("1. "))
    text = text.replace(number, "1. player_0: take 0", 1)
    assert old in text
    with pytest.raises(NotationError, match=message):
        parse_game(text.replace(old, new, 1))


def test_replay_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, game = recorded({"num_players": 3, "two_shows": True})
    file = tmp_path / "game.txt"
    file.write_text(format_game(record), encoding="utf-8")
    assert main(["replay", str(file), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["moves"], outcome["money"]) == (len(record.moves), list(game.money))
    assert main(["replay", str(file), "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == len(record.moves) + 2
    assert "all legal" in listed[-1]
    assert HEADING in OTHER_GAMES
    assert main(["replay", str(file), "--gif", str(tmp_path / "film.gif")]) == 2
    assert "--boards" in capsys.readouterr().err
    assert main(["replay", str(file), "--boards"]) == 0
    assert capsys.readouterr().out.count("(open view)") == len(record.moves) + 1
    file.write_text(format_game(record).replace("seed: 3", "seed: 4"), encoding="utf-8")
    assert main(["replay", str(file), "--check"]) == 2


def test_replay_notices_what_does_not_fit() -> None:
    record, _ = recorded({})
    for change, message in (
        (("seed: 3", "seed: 4"), "move|line"),
        (("winner player", "winners player_0, player"), "the result is given as"),
    ):
        text = format_game(record).replace(*change)
        with pytest.raises(NotationError, match=message):
            list(replay(parse_game(text)))
