"""The optimizer of all networks: Muon for weight matrices, Adam for everything else.

Muon takes the running mean of a matrix's gradients and makes all its singular values about equal before it steps, so
that a layer learns in every direction and not in the steepest few only. PyTorch's own Muon calculates in bfloat16,
which many processors only emulate; this one stays in float32, and has both rules in one optimizer, which is what
Stable-Baselines3 holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

MOMENTUM = 0.95
BETAS = (0.9, 0.999)
EPSILON = 1e-8
LIKE_ADAM = 0.2  # the root mean square of Adam's steps, as a share of the learning rate; that of matrices is made alike
NEWTON_SCHULZ = (3.4445, -4.775, 2.0315)  # coefficients of a quintic that drives singular values towards 1
ITERATIONS = 5


class MatrixOptimizer(torch.optim.Optimizer):
    """One learning rate serves both rules: the steps of a matrix are as large as Adam's would be."""

    def __init__(self, parameters: Iterable[Tensor], lr: float) -> None:
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Change every parameter that has a gradient."""
        if closure is not None:
            raise ValueError("gradients are calculated before the step, not in it")
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                rule = _matrix_step if min(parameter.shape, default=1) > 1 and parameter.ndim == 2 else _adam_step
                parameter.sub_(rule(parameter.grad, self.state[parameter]), alpha=group["lr"])


def _matrix_step(gradient: Tensor, state: dict[str, Any]) -> Tensor:
    """Muon's step of a weight matrix, for a learning rate of 1."""
    if not state:
        state["momentum"] = torch.zeros_like(gradient)
    momentum = state["momentum"].lerp_(gradient, 1 - MOMENTUM)
    step: Tensor = orthogonal(gradient.lerp(momentum, MOMENTUM)) * (LIKE_ADAM * max(gradient.shape) ** 0.5)
    return step


def _adam_step(gradient: Tensor, state: dict[str, Any]) -> Tensor:
    """Adam's step, for a learning rate of 1."""
    if not state:
        state.update(count=0, mean=torch.zeros_like(gradient), square=torch.zeros_like(gradient))
    state["count"] += 1
    mean = state["mean"].lerp_(gradient, 1 - BETAS[0])
    square = state["square"].lerp_(gradient.square(), 1 - BETAS[1])
    first, second = (1 - beta ** state["count"] for beta in BETAS)
    step: Tensor = (mean / first) / ((square / second).sqrt() + EPSILON)
    return step


def orthogonal(matrix: Tensor) -> Tensor:
    """A matrix with the same singular vectors, and singular values that all lie near 1."""
    tall = matrix.shape[0] > matrix.shape[1]
    wide: Tensor = matrix.T if tall else matrix
    wide = wide / (wide.norm() + EPSILON)
    first, third, fifth = NEWTON_SCHULZ
    for _ in range(ITERATIONS):
        square = wide @ wide.T
        wide = first * wide + (third * square + fifth * square @ square) @ wide
    return wide.T if tall else wide
