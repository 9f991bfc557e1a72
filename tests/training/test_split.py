"""A batch shared out between threads gives what it gives in one piece."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from patchwork_env import PatchworkBatch
from training.candidates import CandidateView
from training.policy import CandidateNetwork
from training.split import SplitNetwork


def answers(call: object, network: CandidateNetwork, view: CandidateView) -> tuple[list[torch.Tensor], torch.Tensor]:
    """The gradients of a loss on both outputs, and the values."""
    observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
    masks = torch.from_numpy(view.mask.copy())
    network.zero_grad()
    logits, values = call(observation, masks)  # type: ignore[operator]
    chosen = torch.log_softmax(logits, dim=1)[:, 0]
    (chosen.mean() + (values**2).mean()).backward()
    return [parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None], values.detach()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_gradients_and_answers_are_those_of_the_whole_batch(threads: int) -> None:
    torch.manual_seed(0)
    games = PatchworkBatch(300, seed=2)
    games.reset()
    games.step(np.zeros(300, int))
    view = CandidateView(games, 4)
    view.update()
    network = CandidateNetwork(32, 16)
    split = SplitNetwork(network, threads)
    whole, shared = answers(network, network, view), answers(split, network, view)
    again = answers(split, network, view)
    for one, other, repeated in zip(whole[0], shared[0], again[0], strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
        assert torch.equal(other, repeated)
    torch.testing.assert_close(whole[1], shared[1])


def test_without_gradients_none_are_kept() -> None:
    games = PatchworkBatch(200, seed=2)
    games.reset()
    view = CandidateView(games, 4)
    view.update()
    network = CandidateNetwork(32, 16)
    observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
    with torch.no_grad():
        logits, values = SplitNetwork(network, 2)(observation, torch.from_numpy(view.mask))
        expected, _ = network(observation, torch.from_numpy(view.mask))
    assert not logits.requires_grad
    assert not values.requires_grad
    torch.testing.assert_close(logits, expected)
