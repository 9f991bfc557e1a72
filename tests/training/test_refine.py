"""Learning from the network's own search: what is learnt from, and that it is learnt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch
from tests.networks import untrained
from tests.playing import EDITIONS
from training.agent import policy_of
from training.checkpoint import load_checkpoint, save_checkpoint
from training.cli import main
from training.guided import GuidedAgent
from training.refine import Settings, play_round, refine

SMALL = Settings(rounds=3, games=12, simulations=6, minibatch=64, epochs=3, memory=2, learning_rate=0.003)


@pytest.mark.parametrize("edition", EDITIONS)
def test_findings_are_shares_of_the_candidates_and_values_of_the_mover(edition: str) -> None:
    checkpoint = untrained(edition)
    games = PatchworkBatch(8, edition, seed=3)
    games.reset()
    search = GuidedAgent(policy_of(checkpoint), 20, seed=1, leaves=1)
    rows = np.arange(8)
    view, shares, values = search.findings(games, rows)
    assert shares.sum(axis=1) == pytest.approx(np.ones(8))
    assert not shares[~view.mask].any()
    assert (abs(values) <= 1).all()
    best = view.actions[rows, shares.argmax(axis=1)]
    assert games.action_mask[rows, best].all()


def test_a_round_ends_its_games_and_tells_the_winner_from_the_loser() -> None:
    search = GuidedAgent(policy_of(untrained()), 2, seed=1, outcome_share=1.0, leaves=1)
    with torch.no_grad():  # a critic that knows nothing leaves half of the outcome in the value
        for parameter in search.policy.network.get_submodule("value").parameters():
            parameter.zero_()
    samples, _ = play_round(search, search.policy.edition, SMALL, 0, np.random.default_rng(0))
    assert (samples["mask"].sum(axis=1) > 1).all()
    assert len(samples["value"]) > 12 * 20
    assert set(np.sign(samples["value"])) == {-1, 1}
    assert abs(samples["value"]).min() >= 0.25


def test_the_policy_comes_nearer_to_what_the_search_finds() -> None:
    torch.manual_seed(3)
    rows = [row for row, _ in refine(untrained(), SMALL)]
    assert [row["round"] for row in rows] == [1, 2, 3]
    assert rows[-1]["policy_loss"] < rows[0]["policy_loss"]


def test_the_same_seed_refines_alike() -> None:
    outcomes = []
    for _ in range(2):
        torch.manual_seed(3)
        outcomes.append([checkpoint for _, checkpoint in refine(untrained(), SMALL)][-1])
    first, second = (outcome.network.state_dict() for outcome in outcomes)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_command_leaves_a_checkpoint_and_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_checkpoint(tmp_path / "run" / "best", untrained())
    words = ["refine", str(tmp_path / "run" / "best"), "--out", str(tmp_path / "fine" / "policy")]
    small = ["--rounds", "2", "--games", "4", "--simulations", "2", "--deals", "2", "--against", "random"]
    assert main([*words, *small]) == 0
    assert "against random" in capsys.readouterr().out
    refined = load_checkpoint(tmp_path / "fine" / "policy")
    assert refined.decisions > 0
    assert refined.config["refined"]["rounds"] == 2
    assert len((tmp_path / "fine" / "refined.csv").read_text(encoding="utf-8").splitlines()) == 3
    assert main([*words, *small]) == 2
    assert "already holds a checkpoint" in capsys.readouterr().err
