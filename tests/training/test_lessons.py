"""Learning from a teacher's games before self-play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.base import UnknownAgentError
from training import lessons, trainer
from training.candidates import CandidateView
from training.config import Config, ConfigError, load_config
from training.lessons import Lessons, learn, play_round
from training.run import RunDirectory
from training.trainer import Trainer

TINY = [
    *("games=16", "steps=8", "minibatch=64", "decisions=256", "width=16", "hidden=16", "placements=2"),
    *("league_share=0.2", "evaluate_every=0", "final_deals=2", "baselines=[random]", "checkpoint_every=1"),
    *("lesson_games=12", "lesson_epochs=2"),
]


def tiny(*changes: str) -> Config:
    return load_config(None, [*TINY, *changes])


def test_lessons_are_the_teachers_decisions_with_the_results_of_their_games() -> None:
    config = tiny("teacher=greedy", "outcome_share=1")
    given = play_round(config, 0)
    assert given.games == 12
    games = PatchworkBatch(len(given.actions), auto_reset=False)
    games.reset()
    games.state[:] = given.positions
    games.renew_masks()
    everyone = np.arange(len(given.actions))
    np.testing.assert_array_equal(given.actions, make_agent("greedy").act(games, everyone))
    assert (games.action_mask.sum(axis=1) > 1).all()
    assert set(given.results.tolist()) == {-1.0, 1.0}
    assert play_round(config, 0).as_bytes() == given.as_bytes()
    kept = Lessons.from_bytes(given.as_bytes())
    assert kept.positions.tobytes() == given.positions.tobytes()
    assert kept.games == 12


def test_both_players_of_a_game_are_paid_opposite_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "STRAYS", 0.0)
    given = play_round(tiny("teacher=greedy", "lesson_games=1"), 0)
    paid = {int(player): set(given.results[given.positions["to_play"] == player].tolist()) for player in (0, 1)}
    assert len(paid[0]) == len(paid[1]) == 1
    assert paid[0] == {-result for result in paid[1]}


def test_a_network_learns_to_choose_like_its_teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    config = tiny("teacher=advance", "lesson_games=64", "lesson_epochs=6")
    made = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    told: list[tuple[int, float, float]] = []
    learn(made.model.policy, play_round(config, 0), config, lambda *row: told.append(row))  # type: ignore[arg-type]
    assert [row[0] for row in told] == [1, 2, 3, 4, 5, 6]
    assert told[-1][1] > 0.9 > told[0][1]
    assert told[-1][2] < told[0][2]


def test_the_place_of_an_action_is_found_or_that_of_its_kind() -> None:
    games = PatchworkBatch(32, seed=2, auto_reset=False)
    games.reset()
    few, many = CandidateView(games, 2), CandidateView(games, 648)
    dice = np.random.default_rng(1)
    unlisted = 0
    for _ in range(30):
        few.update()
        many.update()
        chosen = np.argmax(dice.random(many.mask.shape) * many.mask, axis=1)
        actions = many.actions[np.arange(32), chosen]
        places = few.places_of(actions)
        live = ~games.done
        assert few.mask[live, places[live]].all()
        listed = ((few.actions == actions[:, None]) & few.mask).any(axis=1)
        np.testing.assert_array_equal(few.actions[np.arange(32), places][listed], actions[listed])
        kinds = (chosen + 647) // 648
        special = few.moves[:, :, 2].any(axis=1)
        same = live & ~special
        np.testing.assert_array_equal((places[same] + 1) // 2, kinds[same])
        unlisted += int((live & ~listed).sum())
        games.step(actions[live], np.flatnonzero(live))
    assert unlisted > 50


def test_a_run_stopped_during_its_lessons_goes_on_as_if_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lessons, trainer):
        monkeypatch.setattr(module, "ROUND_GAMES", 4)
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    config = tiny("teacher=greedy")
    whole = Trainer(config, RunDirectory.create(tmp_path / "whole", config))
    assert whole.train()
    stopped = RunDirectory.create(tmp_path / "parts", config)
    stopped.save_lessons(play_round(config, 0))
    directory, found, state = RunDirectory.resume(tmp_path / "parts")
    assert state == {}
    second = Trainer(found, directory)
    assert second.train()
    taken = directory.read_lessons()
    assert taken is not None
    assert taken.games == 12
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, second.network.state_dict()[name]), name


def test_mistakes_about_teachers_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="teacher: only patchwork has it"):
        load_config(None, ["game=quilt_show", "teacher=greedy"])
    config = tiny("teacher=gredy")
    with pytest.raises(UnknownAgentError, match="gredy"):
        Trainer(config, RunDirectory.create(tmp_path / "run", config))
