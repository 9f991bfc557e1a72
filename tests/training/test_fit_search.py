"""The small networks of the search: fitted to a teacher, and read back by the search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch, load_edition, make_agent
from patchwork_env.agents import mcts, position, prior
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.position import FEATURES, network_of, position_scratch, position_value
from patchwork_env.agents.prior import BUTTONS_PER_UNIT, add_opinion, prior_scratch
from patchwork_env.agents.valuation import WEIGHTS, tuned_weights
from tests.training.test_lessons import tiny
from training import fit_search
from training.candidates import CandidateView
from training.fit_search import Prior, Value, fit, numbers_of, prior_data, prior_loss, seen, value_data, value_loss
from training.lessons import Lessons, play_games
from training.run import RunDirectory, RunError


def positions(count: int = 40) -> PatchworkBatch:
    """Games after some decisions of the greedy player, none with a special patch to place."""
    games = PatchworkBatch(count, seed=6, auto_reset=False)
    games.reset()
    player = make_agent("greedy")
    for _ in range(12):
        games.step(player.act(games, np.arange(count)))
    return games


def test_the_search_reads_what_was_trained() -> None:
    games = positions()
    torch.manual_seed(1)
    network = Prior()
    numbers = numbers_of(network)
    assert numbers.shape == (prior.PARAMETERS,)
    view = CandidateView(games, 2)
    view.update()
    with torch.no_grad():
        said = network(torch.from_numpy(view.state[:, :FEATURES]), torch.from_numpy(view.moves)).numpy()
    scratch = prior_scratch(1, len(WEIGHTS))
    compared = 0
    for i in range(games.num_games):
        if games.game(i).special_pending:
            continue
        places = np.flatnonzero(view.mask[i])
        values = np.zeros(len(places))
        add_opinion(
            *(games.tables[0], games.state[i], border_words(games.edition), tuned_weights(games.edition), numbers),
            *(scratch, 0, view.actions[i, places], len(places), values),
        )
        np.testing.assert_allclose(values, BUTTONS_PER_UNIT * said[i, (places + 1) // 2], atol=1e-3)
        compared += 1
    assert compared > 20


def test_a_search_begins_with_what_the_network_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    games = PatchworkBatch(1, seed=3, auto_reset=False)
    games.reset()
    chosen = []
    for name in ("advance", "buy"):
        network = Prior()
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.zero_()
            network.move.weight[0, fit_search.MOVE_FEATURES.index(name)] = 100.0
            network.answer.weight[0, 0] = 1.0
        numbers = numbers_of(network)
        monkeypatch.setattr(mcts, "prior_network", lambda edition, numbers=numbers: numbers)
        agent = make_agent("mcts:30", seed=1)
        chosen.append(int(agent.act(games, np.zeros(1, np.int64))[0]))
    assert chosen[0] == 0
    assert chosen[1] != 0


def test_a_search_judges_positions_as_was_trained() -> None:
    games = positions()
    torch.manual_seed(1)
    network = Value()
    numbers = numbers_of(network)
    assert numbers.shape == (position.PARAMETERS,)
    view = CandidateView(games, 1)
    view.update()
    with torch.no_grad():
        said = network(torch.from_numpy(view.state[:, :FEATURES])).numpy()
    scratch = tuple(part[0] for part in position_scratch(1))
    for i in range(games.num_games):
        value = position_value(games.tables[0], games.state[i], border_words(games.edition), numbers, scratch)
        assert value == pytest.approx(said[i] if games.to_play[i] == 0 else -said[i], abs=1e-5)


def test_a_prior_learns_what_greedy_values_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_search, "MINIBATCH", 64)
    data = seen(play_games(tiny("teacher=advance"), 0, 64), prior_data, "revised")
    network = Prior()
    fit(network, data, prior_loss, 6)
    with torch.no_grad():
        assert prior_loss(network, data) < 0.1 < prior_loss(None, data)


def test_positions_learn_what_they_and_their_followers_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_search, "MINIBATCH", 64)
    monkeypatch.setattr(fit_search, "PART", 100)
    lessons = play_games(tiny("teacher=greedy"), 0, 64)
    positions, values = seen(lessons, value_data, "revised")
    assert len(positions) == len(values)
    assert len(lessons.actions) < len(values) <= 2 * len(lessons.actions)
    first_part = value_data(lessons.part(0, 100), "revised")
    torch.testing.assert_close(values[:100], torch.from_numpy(lessons.values[:100]))
    follower = PatchworkBatch(1, seed=0, auto_reset=False)
    follower.reset()
    follower.state[:] = lessons.positions[:1]
    follower.renew_masks()
    mover = int(follower.to_play[0])
    follower.step(lessons.actions[0, :1])
    sign = 1 if int(follower.to_play[0]) == mover else -1
    assert first_part[1][100] == pytest.approx(sign * float(lessons.values[0]))
    network = Value()
    fit(network, (positions, values), value_loss, 6)
    with torch.no_grad():
        assert value_loss(network, (positions, values)) < 0.8 * values.var()


@pytest.mark.parametrize("source", ["teacher", "run"])
def test_the_command_writes_both_networks(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--teacher", "lookahead:1", "--games", "4"]
    if source == "run":
        run = RunDirectory.create(tmp_path / "run", tiny("teacher=greedy"))
        for number in range(2):
            run.save_lessons(number, play_games(tiny("teacher=greedy"), 4 * number, 4))
        words = ["--lessons", str(run.path)]
    assert fit_search.main([*words, "--epochs", "0.05", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "explains" in printed
    assert "cross-entropy" in printed
    for folder, parameters in (("values", position.PARAMETERS), ("priors", prior.PARAMETERS)):
        assert network_of(load_edition("revised"), tmp_path / folder, parameters).shape == (parameters,)
        with pytest.raises(ValueError, match="expected 7 numbers"):
            network_of(load_edition("revised"), tmp_path / folder, 7)


def test_all_rounds_of_a_run_are_read(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "run", tiny("teacher=greedy"))
    with pytest.raises(RunError, match="holds no lessons"):
        run.all_lessons()
    rounds = [play_games(tiny("teacher=greedy"), number, 1) for number in range(3)]
    for number, lessons in enumerate(rounds):
        run.save_lessons(number, lessons)
    np.testing.assert_array_equal(run.all_lessons().actions, Lessons.joined(rounds).actions)
