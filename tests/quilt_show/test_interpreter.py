"""The same rules without compiling: games go the same way with ``NUMBA_DISABLE_JIT=1``."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib, warnings
import numpy as np
warnings.simplefilter("error")
from patchwork_env import QuiltShowBatch, make_agent
from patchwork_env.games.quilt_show.hidden import determinize
from training.quilt_show_choices import ChoiceView
digest = hashlib.sha256()
for players, variants in ((2, {}), (4, {"block_swaps": True, "color_sorting": True, "large_quilts": True})):
    for name, steps in (("random", 260), ("greedy", 220), ("ismcts:2", 12)):
        games = QuiltShowBatch(2, players, seed=5, threads=1, **variants)
        games.reset()
        view = ChoiceView(games)
        agent = make_agent(name, seed=3, game="quilt_show")
        for step in range(steps):
            result = games.step(agent.act(games, np.arange(2)))
            digest.update(result.rewards.tobytes())
            if step % 20 == 0:
                digest.update(np.round(games.observe_tensor(), 4).tobytes())
                view.update()
                digest.update(np.round(view.features, 4).tobytes() + np.round(view.everyones_situations(), 4).tobytes())
                twin = determinize(games, None, np.random.default_rng(step))
                digest.update(twin.state["hands"].tobytes())
                games.load(0, games.save(0))
        digest.update(games.state["hands"].tobytes() + games.state["loose"].tobytes())
print(digest.hexdigest())
"""


def digest(**variables: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_interpreted_games_are_the_same() -> None:
    assert digest() == digest(NUMBA_DISABLE_JIT="1")
