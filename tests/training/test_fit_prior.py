"""The network that a search begins with: fitted to a teacher, and read back by the search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch, load_edition, make_agent
from patchwork_env.agents import mcts, prior
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.position import FEATURES
from patchwork_env.agents.prior import BUTTONS_PER_UNIT, PARAMETERS, add_opinion, prior_scratch
from patchwork_env.agents.valuation import WEIGHTS, tuned_weights
from tests.training.test_lessons import tiny
from training import fit_prior
from training.candidates import CandidateView
from training.fit_prior import Prior, fit, loss_of, seen
from training.fit_value import numbers_of
from training.lessons import play_games


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
    assert numbers.shape == (PARAMETERS,)
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
            network.move.weight[0, fit_prior.MOVE_FEATURES.index(name)] = 100.0
            network.answer.weight[0, 0] = 1.0
        numbers = numbers_of(network)
        monkeypatch.setattr(mcts, "prior_network", lambda edition, numbers=numbers: numbers)
        agent = make_agent("mcts:30", seed=1)
        chosen.append(int(agent.act(games, np.zeros(1, np.int64))[0]))
    assert chosen[0] == 0
    assert chosen[1] != 0


def test_a_network_learns_what_greedy_values_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_prior, "MINIBATCH", 64)
    data = seen(play_games(tiny("teacher=advance"), 0, 64), "revised")
    network = fit(data, 6, 0)
    with torch.no_grad():
        answers = network(data[0], data[1])
    assert loss_of(answers, *data[2:]) < 0.1 < loss_of(torch.zeros_like(answers), *data[2:])


def test_the_command_writes_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "revised.npy"
    words = ["--teacher", "lookahead:1", "--games", "4", "--epochs", "1", "--output", str(output)]
    assert fit_prior.main(words) == 0
    assert "cross-entropy" in capsys.readouterr().out
    assert np.load(output).shape == (PARAMETERS,)
    assert prior.network_of(load_edition("revised"), tmp_path, PARAMETERS).shape == (PARAMETERS,)
    with pytest.raises(ValueError, match="expected 7 numbers"):
        prior.network_of(load_edition("revised"), tmp_path, 7)
