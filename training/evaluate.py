"""``patchwork evaluate AGENT``: one agent, or a checkpoint of one in training, against a pool of opponents."""

from __future__ import annotations

import argparse
import sys

from training.arena import play_pairs
from training.console import (
    INTERRUPTED,
    add_playing_arguments,
    deals_of,
    duration,
    new_table,
    output,
    percent,
    percent_interval,
    print_json,
    progress_bar,
)
from training.results import PairedResult

POOL = ("random", "greedy", "lookahead:6", "mcts:200")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("agent", metavar="CHECKPOINT", help="a checkpoint's path, or any agent by name")
    parser.add_argument(
        "--against", nargs="+", default=list(POOL), metavar="AGENT", help=f"the opponents (default {' '.join(POOL)})"
    )
    add_playing_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play a match against each opponent."""
    results: list[PairedResult] = []
    code = 0
    try:
        for opponent in arguments.against:
            results.append(_match(arguments, opponent))
    except KeyboardInterrupt:
        sys.stderr.write(f"interrupted after {len(results)} of {len(arguments.against)} opponents\n")
        code = INTERRUPTED
    if arguments.json:
        print_json({"agent": arguments.agent, "opponents": [result.summary() for result in results]})
    else:
        print_results(arguments.agent, results)
    return code


def _match(arguments: argparse.Namespace, opponent: str) -> PairedResult:
    deals = deals_of(arguments)
    with progress_bar(f"{arguments.agent} against {opponent}", 2 * deals, quiet=arguments.json) as report:
        return play_pairs(
            arguments.agent,
            opponent,
            deals,
            edition=arguments.edition,
            seed=arguments.seed,
            threads=arguments.threads,
            precision=arguments.precision,
            progress=report,
        )


def print_results(agent: str, results: list[PairedResult]) -> None:
    """A line for each opponent."""
    console = output()
    if not results:
        return
    console.print(f"[bold]{agent}[/bold], {results[0].edition}, seed {results[0].seed}")
    headings = ("against", "won", "95% interval", "games", "margin", "score", "empty", "holes", "bonus", "a decision")
    table = new_table(headings, words=("against",))
    for result in results:
        table.add_row(
            result.second,
            percent(result.win_rate),
            percent_interval(result.interval),
            str(result.games),
            f"{result.margin:+.1f}",
            f"{result.means('scores')[0]:.1f}",
            f"{result.means('empty_cells')[0]:.1f}",
            f"{result.means('holes')[0]:.1f}",
            percent(result.means("bonus")[0]),
            duration(result.seconds_per_decision[0]),
        )
    console.print(table)
