"""``python -m patchwork_env.quilt_show_bench``: decisions per second of Quilt Show on this machine.

Measured as for Patchwork (see `bench`): a decision is a step, the full mask and the full observation of the new
state, in uniformly random legal play with auto-reset; choosing the action is not counted.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from typing import Any

from patchwork_env.bench import DECISIONS, batch_case

BATCHES = (1, 64, 1024)


def measure(num_players: int = 2, repeat: int = 5, quick: bool = False, **variants: Any) -> dict[str, Any]:
    """Name -> {median, low, high} in decisions per second, for one thread and all cores."""
    from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
    from patchwork_env.kernels import available_threads

    if repeat < 1:
        raise ValueError(f"repeat must be at least 1, got {repeat}")
    decisions = DECISIONS // (20 if quick else 1)
    cores = available_threads()
    cases: dict[str, Callable[[], float]] = {}
    for threads in sorted({1, cores}):
        for size in BATCHES:
            games = QuiltShowBatch(size, num_players, seed=7, threads=threads, **variants)
            games.reset()
            cases[f"batch_{size}_threads_{threads}"] = batch_case(games, decisions)
    for case in cases.values():
        case()  # compile, warm up
    samples: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeat):  # round by round, so that a noisy minute touches every case
        for name, case in cases.items():
            samples[name].append(case())
    return {
        "players": num_players,
        "variants": sorted(name for name, on in variants.items() if on),
        "cores": cores,
        "decisions_per_second": {
            name: {"median": statistics.median(values), "low": min(values), "high": max(values)}
            for name, values in samples.items()
        },
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Decisions per second of Quilt Show.")
    parser.add_argument("--players", type=int, default=2, help="2, 3 or 4 (default: 2)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each figure (default: 5)")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the decisions")
    parser.add_argument("--json", action="store_true", help="print the figures for a script")
    arguments = parser.parse_args()
    figures = measure(arguments.players, arguments.repeat, arguments.quick)
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return 0
    print(f"Quilt Show, {figures['players']} players: decisions per second (median, range)")
    for name, figure in figures["decisions_per_second"].items():
        print(f"{name:<22} {figure['median']:>12,.0f}   {figure['low']:,.0f} to {figure['high']:,.0f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
