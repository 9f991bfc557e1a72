"""Sharing work between threads, and keeping compiled code current."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, kernels
from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.patchwork import loops


@pytest.mark.parametrize("count", [0, 1, 127, 256, 1000, 1025])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_every_position_is_visited_once(count: int, threads: int) -> None:
    visits = np.zeros(count, np.int64)

    def visit(start: int, stop: int, array: Any) -> None:
        array[start:stop] += 1

    kernels.run_over(count, threads, visit, visits)
    assert (visits == 1).all()


def test_an_error_in_any_thread_is_raised() -> None:
    def fail(start: int, stop: int) -> None:
        if stop == 1024:
            raise RuntimeError("the last piece")

    with pytest.raises(RuntimeError, match="the last piece"):
        kernels.run_over(1024, 4, fail)


def final_state(seed: int) -> bytes:
    games = PatchworkBatch(512, seed=seed, threads=2)
    games.reset()
    agent = RandomAgent(seed=seed)
    for _ in range(30):
        games.step(agent.act(games, np.arange(512)))
        games.observe()
    return games.state.tobytes()


def test_batches_may_be_used_from_many_threads_at_once() -> None:
    expected = [final_state(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(final_state, range(8))) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected = final_state(3)  # the parent's pool has threads now
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        assert pool.apply_async(final_state, (3,)).get(timeout=120) == expected


def test_kept_machine_code_depends_on_all_sources() -> None:
    """Numba alone would look only at the file that defines a kernel, not at those that it calls."""
    stamp = loops.step_games._cache._cache_file._source_stamp
    names = {name for name, _, _ in stamp[1]}
    assert {"games/patchwork/rules.py", "kernels.py", "games/patchwork/loops.py"} <= names


def test_cost_does_not_grow_with_the_number_of_games_in_memory() -> None:
    games = PatchworkBatch(1024)
    assert games.state.nbytes + games.episodes.nbytes < 1_000_000
    assert len(games.save(0)) < 200
