"""A network's work on a batch, shared out between threads.

Torch's own threads share out single operations, which for networks this small costs more than it saves. Here each
thread takes a part of the rows through the whole network, forwards and backwards; the gradients of the parts are added
up in a fixed order, so a run depends on the number of parts, but not on how fast each one is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor, nn

MIN_ROWS = 64  # a part with fewer rows is not worth waking a thread for


class SplitNetwork:
    """Calls a network that takes a dict of arrays and a mask, and gives a tuple of tensors; row by row throughout."""

    def __init__(self, network: nn.Module, threads: int) -> None:
        self._network = network
        self._parameters = tuple(network.parameters())
        self._threads = threads
        self._pool = ThreadPoolExecutor(max(threads - 1, 1), "network") if threads > 1 else None

    def __call__(self, observation: dict[str, Tensor], masks: Tensor) -> tuple[Tensor, ...]:
        """What the network answers to the whole batch."""
        rows = len(masks)
        parts = min(self._threads, rows // MIN_ROWS)
        if parts <= 1:
            answer: tuple[Tensor, ...] = self._network(observation, masks)
            return answer
        bounds = [rows * part // parts for part in range(parts + 1)]
        slices = [slice(start, stop) for start, stop in itertools.pairwise(bounds)]

        def work(part: slice) -> Any:
            return self._network({name: array[part] for name, array in observation.items()}, masks[part])

        if not torch.is_grad_enabled():
            return _joined(self.share([_task(work, part, False) for part in slices]))
        answer = _Split.apply(self, work, slices, *self._parameters)
        return answer

    def share(self, tasks: list[Callable[[], Any]]) -> list[Any]:
        """What the tasks give, in their order; the first is done by the caller."""
        assert self._pool is not None
        others = [self._pool.submit(task) for task in tasks[1:]]
        return [tasks[0](), *(other.result() for other in others)]


class _Split(torch.autograd.Function):
    """The parts keep graphs of their own, which the backward pass goes through in the same threads."""

    @staticmethod
    def forward(ctx: Any, split: SplitNetwork, work: Any, slices: list[slice], *parameters: Tensor) -> Any:
        ctx.split, ctx.slices, ctx.parameters = split, slices, parameters
        ctx.outputs = split.share([_task(work, part, True) for part in slices])
        return _joined([tuple(output.detach() for output in outputs) for outputs in ctx.outputs])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        def task(outputs: tuple[Tensor, ...], part: slice) -> Callable[[], tuple[Tensor, ...]]:
            given = [gradient[part] for gradient in gradients]
            return lambda: torch.autograd.grad(outputs, ctx.parameters, given)

        parts = ctx.split.share([task(*pair) for pair in zip(ctx.outputs, ctx.slices, strict=True)])
        return (None, None, None, *(sum(found[1:], found[0]) for found in zip(*parts, strict=True)))


def _task(work: Any, part: slice, gradient: bool) -> Callable[[], Any]:
    """The work on one part; whether gradients are wanted is something that each thread has to be told."""

    def task() -> Any:
        with torch.set_grad_enabled(gradient):
            return work(part)

    return task


def _joined(parts: list[Any]) -> tuple[Tensor, ...]:
    return tuple(torch.cat(outputs) for outputs in zip(*parts, strict=True))
