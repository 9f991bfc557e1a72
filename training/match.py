"""``patchwork match A B``: two agents on paired deals."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path

from training.arena import is_precise, play_pairs
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
    versus,
)
from training.results import PairedResult, write_records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("first", metavar="A", help="an agent, e.g. greedy or mcts:400,seed=3")
    parser.add_argument("second", metavar="B", help="the agent it plays against")
    add_playing_arguments(parser)
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep every game there, in the notation")


def run(arguments: argparse.Namespace) -> int:
    """Play the match and print what came out."""
    deals = deals_of(arguments)
    begun = time.perf_counter()
    what = f"{arguments.first} against {arguments.second}"
    so_far: list[PairedResult] = []

    def keep(result: PairedResult) -> None:
        so_far[:] = [result]
        if arguments.record is not None:
            write_records(result, arguments.record)

    with progress_bar(what, 2 * deals, quiet=arguments.json) as report, suppress(KeyboardInterrupt):
        play_pairs(
            arguments.first,
            arguments.second,
            deals,
            edition=arguments.edition,
            seed=arguments.seed,
            threads=arguments.threads,
            precision=arguments.precision,
            record=arguments.record is not None,
            progress=report,
            after_block=keep,
        )
    elapsed = time.perf_counter() - begun
    if not so_far:
        sys.stderr.write("interrupted before the first games had ended: nothing to report\n")
        return INTERRUPTED
    result = so_far[0]
    if arguments.json:
        print_json({**result.summary(), "seconds": elapsed, "stopped_early": result.games < 2 * deals})
    else:
        print_match(result, elapsed)
    finished = result.games == 2 * deals or is_precise(result, arguments.precision)
    return 0 if finished else INTERRUPTED


def print_match(result: PairedResult, elapsed: float) -> None:
    """The result as a small table."""
    console = output()
    console.print(f"[bold]{versus(result)}[/bold], {result.edition}, seed {result.seed}")
    console.print(
        f"{result.first} won [bold]{percent(result.win_rate)}[/bold] of {result.games} games "
        f"(95% interval {percent_interval(result.interval)}): {result.verdict}"
    )
    table = new_table(("", result.first, result.second), words=("",))
    for label, column, digits in FIGURES:
        table.add_row(label, *(f"{value:.{digits}f}" for value in result.means(column)))
    table.add_row("bonus tile", *(percent(share) for share in result.means("bonus")))
    table.add_row("time a decision", *(duration(seconds) for seconds in result.seconds_per_decision))
    console.print(table)
    won, split, lost = result.pair_counts
    margin = result.margin_interval
    console.print(f"score margin {result.margin:+.2f} ({margin.low:+.2f} to {margin.high:+.2f})")
    console.print(f"of {won + split + lost} deals {won} won in both seats, {split} split, {lost} lost in both")
    console.print(
        f"whoever began won {percent(result.beginner_rate)} ({percent_interval(result.beginner_interval)}); "
        f"{elapsed:.1f} s, {result.games / elapsed:.3g} games a second"
    )


FIGURES = (  # label, column of the results, digits
    ("mean score", "scores", 1),
    ("empty cells", "empty_cells", 1),
    ("isolated holes", "holes", 1),
    ("decisions", "decisions", 1),
)
