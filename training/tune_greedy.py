"""Tune the greedy player's weights by playing: CMA-ES against a pool of earlier selves.

    python -m training.tune_greedy --generations 100

Every candidate plays the same paired deals against every player of the pool. The pool is the weights that tuning
began with and, every few generations, the centre of the search, so that no single opponent is exploited. The file
that is written tells the command and what the result did on deals that were not used for tuning.
"""

from __future__ import annotations

import argparse
import functools
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from cma.evolution_strategy import CMAEvolutionStrategy
from numpy.typing import NDArray

from patchwork_env.agents.greedy import GreedyAgent
from patchwork_env.agents.valuation import WEIGHTS, WEIGHTS_FOLDER, read_weights, tuned_weights
from patchwork_env.games.patchwork.edition import load_edition
from patchwork_env.kernels import available_threads
from training.arena import play_pairs
from training.results import PairedResult

SMALLEST_SCALE = 0.3  # how far a weight that begins near 0 is moved, before CMA-ES learns better
MARGIN_SCALE = 20.0  # points of difference that count as a clear win
POOL_SIZE = 4  # earlier selves that are kept as opponents
TEST_SEED = 1_000_003  # deals of the final test; tuning uses seeds from --seed on


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--edition", default="revised", help="edition to play (default: %(default)s)")
    parser.add_argument("--generations", type=int, default=100, help="steps of CMA-ES (default: %(default)s)")
    parser.add_argument("--population", type=int, default=16, help="candidates a step (default: %(default)s)")
    parser.add_argument("--deals", type=int, default=128, help="deals against each opponent (default: %(default)s)")
    parser.add_argument("--renew", type=int, default=15, help="steps between additions to the pool")
    parser.add_argument("--sigma", type=float, default=0.3, help="first step size, relative to the weights")
    parser.add_argument("--seed", type=int, default=0, help="seed of the search and of the deals")
    parser.add_argument("--test-deals", type=int, default=1000, help="deals of the final test")
    parser.add_argument(
        "--start", type=Path, help="weights file to begin with (default: the edition's present weights)"
    )
    parser.add_argument("--output", type=Path, help="weights file to write (default: the edition's own)")


def strength(
    weights: NDArray[np.float64], pool: list[NDArray[np.float64]], deals: int, edition: str, seed: int
) -> float:
    """How well weights do against the pool: half the share of wins, half the bounded margin; 1 is best."""
    results = [
        play_pairs(
            GreedyAgent(weights=weights), GreedyAgent(weights=other), deals, edition=edition, seed=seed, threads=1
        )
        for other in pool
    ]
    return float(np.mean([_bounded(result) for result in results]))


def _bounded(result: PairedResult) -> float:
    scores = result.rows["scores"].astype(np.float64)
    margins = scores[:, 0] - scores[:, 1]
    return float(0.5 * result.win_rate + 0.25 * (1 + np.tanh(margins / MARGIN_SCALE).mean()))


def tune(start: NDArray[np.float64], arguments: argparse.Namespace) -> NDArray[np.float64]:
    """The weights that a search from ``start`` ends with."""
    scale = np.maximum(np.abs(start), SMALLEST_SCALE)
    search = CMAEvolutionStrategy(
        np.zeros(start.size),
        arguments.sigma,
        {"popsize": arguments.population, "seed": arguments.seed + 1, "verbose": -9},  # seed 0 means the clock
    )
    pool = [start]
    with ThreadPoolExecutor(available_threads()) as threads:
        for generation in range(arguments.generations):
            points = search.ask()
            candidates = [start + np.reshape(point, start.shape) * scale for point in points]
            seed = arguments.seed + generation
            play = functools.partial(strength, pool=pool, deals=arguments.deals, edition=arguments.edition, seed=seed)
            found = list(threads.map(play, candidates))
            search.tell(points, [-value for value in found])
            centre: NDArray[np.float64] = start + np.reshape(search.result.xfavorite, start.shape) * scale
            print(f"generation {generation + 1}: best {max(found):.3f}, mean {np.mean(found):.3f}", flush=True)
            if (generation + 1) % arguments.renew == 0:
                pool = [start, *[*pool[1:], centre][-POOL_SIZE:]]
    return centre


def weights_text(weights: NDArray[np.float64], provenance: str) -> str:
    """A weights file."""
    lines = ["provenance: >-", f"  {provenance}", "weights:"]
    for (name, (_, meaning)), (start, end) in zip(WEIGHTS.items(), weights, strict=True):
        lines += [f"  # {meaning}", f"  {name}: {{start: {start:.4f}, end: {end:.4f}}}"]
    return "\n".join(lines) + "\n"


def run(arguments: argparse.Namespace) -> int:
    """Tune, test and write the file."""
    edition = load_edition(arguments.edition)
    output = arguments.output or WEIGHTS_FOLDER / f"{edition.name}.yaml"
    before = tuned_weights(edition) if arguments.start is None else read_weights(arguments.start)
    after = tune(before, arguments)
    tests = {}
    for name, opponent in (("the weights it began with", GreedyAgent(weights=before)), ("random", "random")):
        result = play_pairs(
            GreedyAgent(weights=after),
            opponent,
            arguments.test_deals,
            edition=arguments.edition,
            seed=TEST_SEED,
        )
        low, high = result.interval.low, result.interval.high
        tests[name] = f"{result.win_rate:.1%} ({low:.1%} to {high:.1%}) against {name}"
    command = "python -m training.tune_greedy " + shlex.join(arguments.words)
    provenance = f"Written by `{command.strip()}`. On {arguments.test_deals} other deals, each played twice, it won "
    provenance += " and ".join(tests.values()) + "."
    output.write_text(weights_text(after, provenance), encoding="utf-8")
    print(provenance)
    return 0


def main(words: list[str] | None = None) -> int:
    """Read the words of a command line and run."""
    words = sys.argv[1:] if words is None else words
    parser = argparse.ArgumentParser(prog="python -m training.tune_greedy", description=__doc__.splitlines()[0])
    add_arguments(parser)
    arguments = parser.parse_args(words)
    arguments.words = words
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
