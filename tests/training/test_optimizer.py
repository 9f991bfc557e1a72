"""The optimizer of all networks: which rule steps what, and that it can be stopped and continued."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from training.optimizer import LIKE_ADAM, MatrixOptimizer, orthogonal


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Matrices this small are not worth sharing out."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("shape", [(8, 8), (64, 20), (20, 64)])
def test_all_singular_values_become_nearly_equal(shape: tuple[int, int]) -> None:
    torch.manual_seed(1)
    left, values, right = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    spread = torch.linspace(0.05, 1.0, len(values))
    made = orthogonal(left @ torch.diag(spread) @ right)
    assert made.shape == shape
    after = torch.linalg.svdvals(made)
    assert after.min() > 0.5
    assert after.max() < 1.3
    # The directions stay: seen in the old ones the matrix is diagonal still.
    seen = left.T @ made @ right.T
    torch.testing.assert_close(seen, torch.diag(torch.diagonal(seen)), atol=1e-4, rtol=0.0)


@pytest.mark.parametrize("shape", [(), (7,), (1, 7), (7, 1)])
def test_what_is_no_matrix_steps_as_with_adam(shape: tuple[int, ...]) -> None:
    torch.manual_seed(2)
    start = torch.randn(shape)
    ours, theirs = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    optimizers = MatrixOptimizer([ours], lr=0.01), torch.optim.Adam([theirs], lr=0.01)
    for _ in range(20):
        for parameter, optimizer in zip((ours, theirs), optimizers, strict=True):
            optimizer.zero_grad()
            (parameter**4).sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    torch.testing.assert_close(ours, theirs)
    assert not torch.equal(ours, start)


def test_a_matrix_steps_as_far_as_adam_would_whatever_its_gradient() -> None:
    for scale in (1e-3, 1e3):
        torch.manual_seed(3)
        matrix = nn.Parameter(torch.zeros(40, 40))
        matrix.grad = scale * torch.randn(40, 40)
        MatrixOptimizer([matrix], lr=0.1).step()
        assert matrix.detach().square().mean().sqrt().item() == pytest.approx(0.1 * LIKE_ADAM, rel=0.2)


def error_after(make_optimizer: type[torch.optim.Optimizer], rate: float) -> float:
    """How far a linear layer is from what it is to learn, after a few steps, where inputs are of unlike sizes."""
    torch.manual_seed(4)
    inputs = torch.randn(256, 16) @ torch.randn(16, 16) * torch.logspace(0, -2, 16)
    wanted = inputs @ torch.randn(16, 12)
    layer = nn.Linear(16, 12, bias=False)
    optimizer = make_optimizer(layer.parameters(), lr=rate)  # type: ignore[call-arg]
    for step in range(200):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / 200)
        optimizer.zero_grad()
        loss: Tensor = nn.functional.mse_loss(layer(inputs), wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return loss.item()


def test_it_learns_in_directions_that_adam_hardly_sees() -> None:
    rates = (0.003, 0.01, 0.03, 0.1, 0.3)
    ours, adams = (min(error_after(kind, rate) for rate in rates) for kind in (MatrixOptimizer, torch.optim.Adam))
    assert ours < 0.5 * adams


def test_it_goes_on_from_its_state_as_if_never_stopped() -> None:
    torch.manual_seed(5)
    inputs = torch.randn(32, 6)

    def steps(network: nn.Module, optimizer: MatrixOptimizer, count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            network(inputs).square().mean().backward()
            optimizer.step()

    whole = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4))
    optimizer = MatrixOptimizer(whole.parameters(), lr=0.01)
    steps(whole, optimizer, 3)
    resumed = copy.deepcopy(whole)
    again = MatrixOptimizer(resumed.parameters(), lr=0.5)
    again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    steps(whole, optimizer, 3)
    steps(resumed, again, 3)
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


def test_gradients_come_before_the_step() -> None:
    parameter = nn.Parameter(torch.zeros(3))
    with pytest.raises(ValueError, match="before the step"):
        MatrixOptimizer([parameter], lr=0.1).step(lambda: 0.0)
    MatrixOptimizer([parameter], lr=0.1).step()  # without a gradient nothing moves
    assert torch.equal(parameter, torch.zeros(3))
