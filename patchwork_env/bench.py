"""``patchwork bench``: decisions per second on this machine.

A decision is a step, the full mask and the full observation of the new state, in uniformly random legal play with
auto-reset. Choosing the action is not counted. Every figure is repeated; the median and the range are given, because
machines are shared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

DECISIONS = 200_000  # of a batch, per repetition
SINGLE_DECISIONS = 10_000  # of an interface that plays one game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--edition", default="revised", help="an edition's name or file (default: revised)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each figure (default: 5)")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the decisions, and no start times")
    parser.add_argument("--json", action="store_true", help="print the figures for a script")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    if arguments.repeat < 1:
        raise ValueError(f"--repeat must be at least 1, got {arguments.repeat}")
    figures = measure(arguments.edition, arguments.repeat, arguments.quick)
    print(json.dumps(figures, indent=2) if arguments.json else _table(figures))
    return 0


def measure(edition: str, repeat: int, quick: bool = False) -> dict[str, Any]:
    """All figures: name -> {median, low, high} in decisions per second, and the start times in seconds."""
    from patchwork_env.kernels import available_threads

    share = 20 if quick else 1
    cores = available_threads()
    cases: dict[str, Callable[[], float]] = {}
    for threads in sorted({1, cores}):
        for size in (1, 64, 1024):
            name = f"batch_{size}_threads_{threads}"
            cases[name] = _batch_case(edition, size, threads, DECISIONS // share)
    cases["aec_raw"] = _aec_case(edition, "raw_env", SINGLE_DECISIONS // share)
    cases["aec_env"] = _aec_case(edition, "env", SINGLE_DECISIONS // share)
    cases["gymnasium"] = _gymnasium_case(edition, SINGLE_DECISIONS // share)
    samples: dict[str, list[float]] = {name: [] for name in cases}
    for case in cases.values():
        case()  # compile, warm up
    for _ in range(repeat):  # round by round, so that a noisy minute touches every case
        for name, case in cases.items():
            samples[name].append(case())
    return {
        "edition": edition,
        "cores": cores,
        "decisions_per_second": {
            name: {"median": statistics.median(values), "low": min(values), "high": max(values)}
            for name, values in samples.items()
        },
        "start_seconds": {} if quick else _start_times(),
    }


def _batch_case(edition: str, size: int, threads: int, decisions: int) -> Callable[[], float]:
    from patchwork_env.interfaces.batch import PatchworkBatch

    games = PatchworkBatch(size, edition, seed=7, threads=threads)
    games.reset()
    return batch_case(games, decisions)


def batch_case(games: Any, decisions: int) -> Callable[[], float]:
    """What plays on in a batch of any game when it is called, and answers the decisions per second."""
    from patchwork_env.agents.random import RandomAgent

    size: int = games.num_games
    agent = RandomAgent(seed=7)
    everyone = np.arange(size)
    steps = max(20, min(decisions, 20_000 * size) // size)

    def case() -> float:
        spent = 0.0
        for _ in range(steps):
            actions = agent.act(games, everyone)
            start = time.perf_counter()
            games.step(actions)
            games.observe()
            spent += time.perf_counter() - start
        return steps * size / spent

    return case


def _aec_case(edition: str, entry: str, decisions: int) -> Callable[[], float]:
    from patchwork_env import patchwork_v0

    env = getattr(patchwork_v0, entry)(edition=edition)
    generator = np.random.default_rng(7)

    def case() -> float:
        spent = 0.0
        played = 0
        env.reset(seed=7)
        while played < decisions:
            start = time.perf_counter()
            observation, _, terminated, _, _ = env.last()
            spent += time.perf_counter() - start
            if terminated:
                start = time.perf_counter()
                env.reset()
                spent += time.perf_counter() - start
                continue
            action = int(generator.choice(np.flatnonzero(observation["action_mask"])))
            start = time.perf_counter()
            env.step(action)
            spent += time.perf_counter() - start
            played += 1
        return played / spent

    return case


def _gymnasium_case(edition: str, decisions: int) -> Callable[[], float]:
    """Decisions of the learner; those of its random opponent come on top."""
    import gymnasium

    env = gymnasium.make("patchwork_env/Patchwork-v0", edition=edition, opponent="random")
    generator = np.random.default_rng(7)

    def case() -> float:
        spent = 0.0
        _, info = env.reset(seed=7)
        for _ in range(decisions):
            action = int(generator.choice(np.flatnonzero(info["action_mask"])))
            start = time.perf_counter()
            _, _, terminated, _, info = env.step(action)
            if terminated:
                _, info = env.reset()
            spent += time.perf_counter() - start
        return decisions / spent

    return case


_FIRST_USE = """
import time
start = time.perf_counter()
import patchwork_env
imported = time.perf_counter() - start
import numpy
games = patchwork_env.PatchworkBatch(1024, seed=7)
games.reset(); games.step(numpy.zeros(1024, int)); games.observe(); games.step(numpy.zeros(1024, int))
print(imported, time.perf_counter() - start)
"""


def _start_times() -> dict[str, float]:
    """Seconds to import the package, and to the second step of a batch without and with kernels kept on disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        runs = []
        for _ in range(2):
            command = [sys.executable, "-c", _FIRST_USE]
            output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            runs.append([float(word) for word in output.split()])
    return {"import": runs[1][0], "cold": runs[0][1], "warm": runs[1][1]}


def _table(figures: dict[str, Any]) -> str:
    labels = {"aec_raw": "AEC raw_env()", "aec_env": "AEC env()", "gymnasium": "Gymnasium, against random"}
    lines = [
        f"edition {figures['edition']}, {figures['cores']} cores; decisions per second: median (lowest to highest)",
        "",
    ]
    for name, values in figures["decisions_per_second"].items():
        if name.startswith("batch"):
            _, size, _, threads = name.split("_")
            label = f"batch of {size}, {threads} thread{'s' if threads != '1' else ''}"
        else:
            label = labels[name]
        lines.append(f"  {label:<28}{values['median']:>12,.0f}   ({values['low']:,.0f} to {values['high']:,.0f})")
    if figures["start_seconds"]:
        lines.append("")
        for name, seconds in figures["start_seconds"].items():
            label = {"import": "import", "cold": "first use, cold", "warm": "first use, warm"}[name]
            lines.append(f"  {label:<28}{seconds:>12.2f} s")
    return "\n".join(lines)


def main() -> int:
    """``python -m patchwork_env.bench``."""
    parser = argparse.ArgumentParser(prog="python -m patchwork_env.bench", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
