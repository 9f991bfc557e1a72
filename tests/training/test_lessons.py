"""Learning from a teacher's games before self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.base import UnknownAgentError
from patchwork_env.agents.mcts import Findings, MctsAgent
from training import lessons, trainer
from training.candidates import CandidateView
from training.config import Config, ConfigError, load_config
from training.lessons import CHOICES, Lessons, Study, play_games, weighed
from training.run import RunDirectory
from training.trainer import Trainer

TINY = [
    *("games=16", "steps=8", "minibatch=64", "decisions=256", "width=16", "hidden=16", "placements=2"),
    *("league_share=0.2", "evaluate_every=0", "final_deals=2", "baselines=[random]", "checkpoint_every=1"),
    *("lesson_games=12", "lesson_epochs=2"),
]


def tiny(*changes: str) -> Config:
    return load_config(None, [*TINY, *changes])


def put_up(positions: NDArray[Any]) -> PatchworkBatch:
    """Games that stand as recorded."""
    games = PatchworkBatch(len(positions), auto_reset=False)
    games.reset()
    games.state[:] = positions
    games.renew_masks()
    return games


def test_lessons_are_the_teachers_decisions_with_the_results_of_their_games() -> None:
    config = tiny("teacher=greedy", "outcome_share=1")
    given = play_games(config, 0, 12)
    assert given.games == 12
    games = put_up(given.positions)
    everyone = np.arange(len(given.actions))
    np.testing.assert_array_equal(given.actions[:, 0], make_agent("greedy").act(games, everyone))
    assert (given.actions[:, 1:] == -1).all()
    np.testing.assert_array_equal(given.weights, np.eye(1, CHOICES).repeat(len(everyone), axis=0))
    assert (games.action_mask.sum(axis=1) > 1).all()
    assert set(given.values.tolist()) == {-1.0, 1.0}
    kept = Lessons.from_bytes(given.as_bytes())
    assert kept.positions.tobytes() == given.positions.tobytes()
    assert kept.games == 12


def test_lessons_depend_on_the_numbers_of_the_games_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "PART_GAMES", 4)
    config = tiny("teacher=lookahead:2", "threads=2")
    whole = play_games(config, 0, 12)
    parts = [play_games(tiny("teacher=lookahead:2", "threads=1"), first, 4) for first in (0, 4, 8)]
    assert whole.as_bytes() == Lessons.joined(parts).as_bytes()


def test_a_search_tells_how_good_it_found_each_step() -> None:
    given = play_games(tiny("teacher=mcts:30"), 0, 4)
    np.testing.assert_allclose(given.weights.sum(axis=1), 1, atol=1e-5)
    assert (given.weights[given.actions == -1] == 0).all()
    assert ((given.actions >= 0).sum(axis=1) > 1).mean() > 0.5
    masks = put_up(given.positions).action_mask
    rows, columns = np.nonzero(given.actions >= 0)
    assert masks[rows, given.actions[rows, columns]].all()


def test_a_step_weighs_by_its_visits_and_by_its_result() -> None:
    nothing, values = np.array([[3, 5, -1]]), np.zeros(1)
    alike = weighed(Findings(nothing, np.array([[30, 10, 0]]), np.array([[0.2, 0.2, 0.0]]), values))
    np.testing.assert_allclose(alike, [[0.75, 0.25, 0]], atol=1e-6)
    worse = weighed(Findings(nothing, np.array([[30, 10, 0]]), np.array([[0.1, 0.2, 0.0]]), values))
    assert worse[0, 1] > 0.75  # the one that was visited less turned out better


def test_findings_are_what_the_tree_holds() -> None:
    games = PatchworkBatch(3, seed=4, auto_reset=False)
    games.reset()
    agent = MctsAgent(60, seed=1)
    indices = np.array([0, 2])
    chosen = agent.act(games, indices)
    found = agent.findings(indices)
    np.testing.assert_array_equal(found.actions[:, 0], chosen)
    assert (np.diff(found.visits, axis=1) <= 0).all()
    assert (found.visits.sum(axis=1) == 60).all()
    tried = found.visits > 0
    mean = (found.visits * found.results).sum(axis=1) / 60
    np.testing.assert_allclose(found.values, mean, atol=1e-6)
    assert (found.actions[tried] >= 0).all()
    assert agent.findings(indices, most=1).actions.tolist() == [[action] for action in chosen]


def test_both_players_of_a_game_are_paid_opposite_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "STRAYS", 0.0)
    given = play_games(tiny("teacher=greedy"), 0, 1)
    paid = {int(player): set(given.values[given.positions["to_play"] == player].tolist()) for player in (0, 1)}
    assert len(paid[0]) == len(paid[1]) == 1
    assert paid[0] == {-result for result in paid[1]}


def test_a_network_learns_to_choose_like_its_teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    config = tiny("teacher=advance", "lesson_epochs=6")
    made = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    epochs = list(Study(made.model.policy, play_games(config, 0, 64), config).learn())  # type: ignore[arg-type]
    assert len(epochs) == 6
    assert epochs[-1][0] > 0.9 > epochs[0][0]
    assert epochs[-1][1] < epochs[0][1]


def test_a_network_teaches_itself_in_later_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    config = tiny("teacher=greedy", "lesson_games=6", "lesson_rounds=2", "lesson_search=8", "evaluate_every=1")
    made = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    before = {name: weights.clone() for name, weights in made.network.state_dict().items()}
    own = play_games(config, 6, 6, made.network)
    assert (np.abs(own.values) <= 1).all()
    assert len(set(own.values.tolist())) > 12  # what the search thinks, not only how the games ended
    assert made.train()
    assert (tmp_path / "run" / "lessons" / "policy.safetensors").is_file()
    assert (tmp_path / "run" / "lessons.csv").read_text().splitlines()[-1].startswith("2,2,")
    first = made.directory.read_table("metrics.csv")[0]
    assert first["update"] == "0"
    assert 0 <= float(first["against_random"]) <= 1
    assert first["score"] == "nan"  # no game was played by itself yet
    for number in (0, 1):
        taken = made.directory.read_lessons(number)
        assert taken is not None
        assert taken.games == 6
    assert any(not torch.equal(before[name], weights) for name, weights in made.network.state_dict().items())


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


def test_lessons_are_taken_again_after_each_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    alike = []
    for rehearsal in (0, 60):
        config = tiny("teacher=advance", "lesson_epochs=1", "learning_rate=0.05", f"rehearsal={rehearsal}")
        made = Trainer(config, RunDirectory.create(tmp_path / str(rehearsal), config))
        assert made.train()
        taken = made.directory.read_lessons(0)
        assert taken is not None
        chosen = made.agent().act(put_up(taken.positions), np.arange(len(taken.actions)))
        alike.append((chosen == taken.actions[:, 0]).mean())
    assert alike[1] > 0.5 > alike[0]


def test_a_run_stopped_during_its_lessons_goes_on_as_if_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "ROUND_GAMES", 4)
    monkeypatch.setattr(lessons, "MINIBATCH", 64)
    config = tiny("teacher=greedy", "lesson_rounds=2", "lesson_games=8", "lesson_search=4", "rehearsal=2")
    whole = Trainer(config, RunDirectory.create(tmp_path / "whole", config))
    assert whole.train()
    calls: list[int] = []

    def play_and_stop(config: Config, first: int, *rest: Any) -> Lessons:
        calls.append(first)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return play_games(config, first, *rest)

    parts = Trainer(config, RunDirectory.create(tmp_path / "parts", config))
    with monkeypatch.context() as patched:
        patched.setattr(trainer, "play_games", play_and_stop)
        with pytest.raises(KeyboardInterrupt):
            parts.train()
    assert calls == [0, 4, 8, 12]  # in the middle of the second round
    directory, found, state = RunDirectory.resume(tmp_path / "parts")
    assert state == {}
    second = Trainer(found, directory)
    assert second.train()
    for number in (0, 1):
        first, again = whole.directory.read_lessons(number), directory.read_lessons(number)
        assert first is not None
        assert again is not None
        assert first.as_bytes() == again.as_bytes()
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, second.network.state_dict()[name]), name


def test_mistakes_about_teachers_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="teacher: only patchwork has it"):
        load_config(None, ["game=quilt_show", "teacher=greedy"])
    with pytest.raises(ConfigError, match="rehearsal: lessons are taken again"):
        load_config(None, ["rehearsal=3"])
    config = tiny("teacher=gredy")
    with pytest.raises(UnknownAgentError, match="gredy"):
        Trainer(config, RunDirectory.create(tmp_path / "run", config))
