"""Every kind of network trains, is kept and plays; no masked action is ever chosen, however many there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch, SoloBatch, load_edition
from patchwork_env.games.patchwork.actions import describe
from tests.playing import EDITIONS, random_actions
from tests.training.test_runs import changed, tiny, trained
from training.agent import CheckpointAgent
from training.checkpoint import CheckpointError, load_checkpoint
from training.circle import FEATURES as CIRCLE_FEATURES
from training.circle import LENGTH, PRESENT, CircleView
from training.config import NETWORK_KINDS
from training.networks import NETWORKS, AttentionNetwork, ConvolutionNetwork, FlatNetwork
from training.policy import NetworkPolicy, draw
from training.vec_env import SelfPlayVecEnv
from training.views import FullView

ACTIONS = 2027


def test_the_table_has_what_the_configuration_names() -> None:
    assert tuple(NETWORKS) == NETWORK_KINDS


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_full_view_is_the_environments_own(edition: str) -> None:
    games = PatchworkBatch(8, edition, seed=1)
    games.reset()
    view = FullView(games)
    generator = np.random.default_rng(1)
    for _ in range(60):
        some = np.array([1, 4, 6])
        before = view.mask.copy()
        view.update(some)
        np.testing.assert_array_equal(view.mask[[0, 2, 3, 5, 7]], before[[0, 2, 3, 5, 7]])
        view.update()
        np.testing.assert_array_equal(view.mask, games.action_mask)
        np.testing.assert_array_equal(view.counts, games.action_mask.sum(axis=1))
        np.testing.assert_array_equal(view.observation(some)["state"], games.observe_tensor()[some])
        games.step(random_actions(games, generator))
    assert (view.actions == np.arange(view.size)).all()


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_circle_is_told_patch_by_patch(edition: str) -> None:
    games = PatchworkBatch(8, edition, seed=1)
    games.reset()
    view = CircleView(games, 4)
    generator = np.random.default_rng(1)
    ended = False
    for _ in range(50):
        view.update()
        told = view.observation()["circle"]
        state = games.state
        for i in range(8):
            mover = int(games.to_play[i])
            size = int(state["circle_size"][i])
            assert told[i, :, PRESENT].sum() == min(size, LENGTH)
            assert not told[i, size:].any()
            ended |= size < LENGTH
            for place, patch in enumerate(state["circle"][i, : min(size, LENGTH)]):
                row = dict(zip(CIRCLE_FEATURES, told[i, place].tolist(), strict=True))
                known = games.edition.patches[patch]
                assert row["cost"] == pytest.approx(known.cost * 0.1)
                assert row["distance"] == place / LENGTH
                for player, name in ((mover, "own"), (1 - mover, "opponent")):
                    assert row[f"{name}_affordable"] == (known.cost <= state["buttons"][i, player])
                if place < 3 and not games.game(i).special_pending and row["own_affordable"]:
                    first = 1 + games.edition.cells * (1 + 8 * place)
                    legal = games.action_mask[i, first : first + 8 * games.edition.cells].sum()
                    assert row["own_ways"] == pytest.approx(np.log2(1 + legal) * 0.2, abs=1e-5)
        games.step(random_actions(games, generator))
    assert ended


def test_attention_looks_at_the_patches_that_are_there() -> None:
    network = AttentionNetwork(width=16, hidden=8)
    view = AttentionNetwork.view(PatchworkBatch(3, seed=1), placements=2)
    observation = {name: torch.rand(array.shape) for name, array in view.observation().items()}
    observation["circle"][:, :, PRESENT] = 1.0
    observation["circle"][0, 5:] = 0.0
    observation["circle"][1] = 0.0
    before = network.state_values(observation).detach()
    assert torch.isfinite(before).all()
    observation["circle"][0, 5:, :PRESENT] = 9.0  # nothing is there, whatever the numbers
    observation["circle"][2, 7, 0] = 9.0
    after = network.state_values(observation).detach()
    assert after[0].item() == pytest.approx(before[0].item(), abs=1e-6)
    assert after[2] != before[2]


@pytest.mark.parametrize("kind", NETWORKS)
def test_every_kind_trains_comes_back_and_plays(kind: str, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", tiny(f"network={kind}", "decisions=512", "league_every=1"))
    assert any("self@" in name for name in trainer.league.names)
    loaded = load_checkpoint(tmp_path / "run" / "latest")
    assert loaded.network.kind == kind
    for name, weights in trainer.network.state_dict().items():
        assert torch.equal(weights, loaded.network.state_dict()[name])
    for games in (PatchworkBatch(6, seed=3), SoloBatch(6, seed=3)):
        games.reset()
        for agent in (
            CheckpointAgent(str(tmp_path / "run" / "latest")),
            CheckpointAgent(str(tmp_path / "run" / "best")),
        ):
            games.step(agent.act(games, np.arange(6)))


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    trained(tmp_path / "run", tiny("decisions=128", "evaluate_every=0", "final_deals=1"))
    shape = {"kind": "oracle", "placements": 3, "width": 16, "hidden": 16}
    with pytest.raises(CheckpointError, match="network of kind 'oracle', this version knows candidates, "):
        load_checkpoint(changed(tmp_path / "run" / "latest", tmp_path / "other", network=shape))


@pytest.mark.parametrize("edition", ["revised", "stack_n_stuff"])
def test_a_plane_of_the_convolution_belongs_to_its_patch_orientation_and_cell(edition: str) -> None:
    """A logit that is added in one plane and cell must belong to the action that is described so."""
    network = ConvolutionNetwork(load_edition(edition), width=8, hidden=8)
    games = PatchworkBatch(1, edition, seed=1)
    games.reset()
    view = FullView(games)
    view.update()
    observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
    everything = torch.ones(1, view.size, dtype=torch.bool)
    before, _ = network(observation, everything)
    last = network.score[-1]
    assert isinstance(last, torch.nn.Conv2d)
    assert last.bias is not None
    with torch.no_grad():
        last.bias[1 + 2 * 8 + 5] += 100.0  # slot 2, orientation 5, any cell
    after, _ = network(observation, everything)
    moved = (after - before > 50)[0].nonzero().flatten().tolist()
    told = [describe(games.edition, games.state[0], action) for action in moved]
    assert {(info.slot, info.orientation) for info in told} == {(2, 5)}
    assert [(info.row, info.column) for info in told] == [
        (row, column) for row in range(games.edition.rows) for column in range(games.edition.columns)
    ]


def extreme_logits(rows: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits of all sizes that float32 has, and masks with one to all actions."""
    generator = torch.Generator().manual_seed(seed)
    scale = 10.0 ** torch.randint(-3, 30, (rows, 1), generator=generator)
    logits = torch.randn(rows, ACTIONS, generator=generator) * scale
    share = torch.rand(rows, 1, generator=generator) ** 4
    masks = torch.rand(rows, ACTIONS, generator=generator) < share
    masks[torch.arange(rows), torch.randint(ACTIONS, (rows,), generator=generator)] = True
    # The largest logits of all are masked ones.
    return torch.where(masks, logits, 3e38), masks


@pytest.mark.parametrize("times", [10, pytest.param(500, marks=pytest.mark.soak)])
def test_no_draw_of_up_to_a_million_chooses_a_masked_action(times: int) -> None:
    rows = 2_000
    for seed in range(times // 10):
        logits, masks = extreme_logits(rows, seed)
        for _ in range(10):
            assert masks[torch.arange(rows), draw(logits, masks)].all()


def test_even_infinite_noise_lifts_no_masked_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.Tensor, "exponential_", lambda self, generator=None: self.zero_())
    logits, masks = extreme_logits(200, seed=2)
    assert masks[torch.arange(200), draw(logits.masked_fill(~masks, -torch.inf), masks)].all()


def test_draws_follow_the_probabilities() -> None:
    masks = torch.tensor([True, False, True, True]).repeat(200_000, 1)
    logits = torch.tensor([0.6, 0.9, 0.3, 0.1]).log().repeat(200_000, 1)
    shares = torch.bincount(draw(logits, masks, torch.Generator().manual_seed(1)), minlength=4) / 200_000
    np.testing.assert_allclose(shares, [0.6, 0.0, 0.3, 0.1], atol=0.005)


class Told(FlatNetwork):
    """A network that says what it is told to say."""

    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__(load_edition("revised"), 8, 8)
        self.logits = torch.nn.Parameter(logits)

    def forward(self, observation: Any, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.logits.masked_fill(~masks, -torch.inf), torch.zeros(len(masks))


def test_a_policy_over_all_actions_neither_raises_nor_leaves_the_numbers() -> None:
    """Where `MaskableCategorical` fails its own check of a simplex, and where probabilities underflow."""
    rows = 512
    logits, masks = extreme_logits(rows, seed=3)
    env = SelfPlayVecEnv(1, network="flat")
    policy = NetworkPolicy(
        env.observation_space, env.action_space, lambda _: 1e-3, make_network=lambda: Told(logits.clamp(-1e4, 1e4))
    )
    actions, values, logarithms = policy({}, action_masks=masks.numpy())
    assert masks[torch.arange(rows), actions].all()
    assert torch.isfinite(logarithms).all()
    again_values, again, entropies = policy.evaluate_actions({}, actions, action_masks=masks.float())
    assert torch.equal(again, logarithms)
    assert torch.equal(again_values, values)
    assert torch.isfinite(entropies).all()
    (again.mean() + entropies.mean()).backward()
    gradient: Any = policy.network.logits.grad
    assert torch.isfinite(gradient).all()
    assert not gradient[~masks].any()


@pytest.mark.parametrize("network", ["candidates", "flat"])
@pytest.mark.parametrize("steps", [50, pytest.param(4_000, marks=pytest.mark.soak)])
def test_no_masked_action_is_chosen_in_up_to_millions_of_decisions(network: str, steps: int) -> None:
    """Games of an untrained network with wild logits; the environment would raise, here they are counted as well."""
    env: Any = SelfPlayVecEnv(512, seed=1, placements=8, network=network)
    made = NETWORKS[network].made_for(env.games.edition, 16, 16)
    with torch.no_grad():
        for weights in made.parameters():
            weights.mul_(8.0)
    observation = env.reset()
    wrong = decisions = 0
    for _ in range(steps):
        masks = torch.from_numpy(env.action_masks())
        with torch.no_grad():
            logits, _ = made({name: torch.from_numpy(array) for name, array in observation.items()}, masks)
        chosen = draw(logits, masks)
        wrong += int((~masks[torch.arange(512), chosen]).sum())
        decisions += 512
        observation, *_ = env.step(chosen.numpy())
    assert (wrong, decisions) == (0, 512 * steps)
    assert env.finished.games > 256
