"""What the commands that play games share: options, progress bars, and figures as people read them."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from training.arena import Progress as Report
from training.intervals import Interval
from training.results import PairedResult

DEFAULT_GAMES = 1000
MOST_GAMES = 100_000  # where a precision is asked for and no number of games
LONGEST_LABEL = 28  # letters of an agent's name in tables and pictures
INTERRUPTED = 130  # exit status of a command that was ended with Ctrl-C


def add_playing_arguments(parser: argparse.ArgumentParser, precision: bool = True) -> None:
    """The options of every command that plays matches; ``precision`` where a match may end early."""
    early = f"; with --precision at most this many, default {MOST_GAMES}" if precision else ""
    parser.add_argument("--games", type=_positive(int), help=f"games of a match (default {DEFAULT_GAMES}{early})")
    parser.add_argument("--seed", type=_seed, default=0, help="seed of deals and agents (default 0)")
    parser.add_argument("--edition", default="revised", help="edition by name or file (default revised)")
    if precision:
        parser.add_argument(
            "--precision",
            type=_positive(float),
            help="end a match once the 95%% interval reaches no further than this to each side, e.g. 0.01",
        )
    parser.add_argument("--threads", type=_positive(int), help="threads to play in (default: all cores)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def deals_of(arguments: argparse.Namespace) -> int:
    """How many deals the options ask for; games come in pairs."""
    games: int = arguments.games or (DEFAULT_GAMES if arguments.precision is None else MOST_GAMES)
    return (games + 1) // 2


def json_text(value: Any) -> str:
    """Figures for a script; what is not a number becomes null."""
    return json.dumps(_without_nan(value), indent=2, allow_nan=False) + "\n"


def print_json(value: Any) -> None:
    """Write figures for a script."""
    sys.stdout.write(json_text(value))


def new_table(headings: Sequence[str], words: Sequence[str] = (), title: str | None = None) -> Table:
    """A table without lines; the columns named in ``words`` are set to the left, numbers to the right."""
    table = Table(box=None, pad_edge=False, title=title, title_justify="left", title_style="")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in words else "right", no_wrap=True)
    return table


def output() -> Console:
    """The standard output; nothing is cut or broken there because of an unknown width."""
    console = Console(highlight=False, soft_wrap=True)
    return console if console.is_terminal else Console(highlight=False, soft_wrap=True, width=250)


def percent(rate: float) -> str:
    """A rate as a percentage."""
    return "-" if math.isnan(rate) else f"{100 * rate:.1f}%"


def percent_interval(interval: Interval) -> str:
    """An interval of a rate."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def duration(seconds: float) -> str:
    """A short time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


@contextmanager
def progress_bar(what: str, games: int, quiet: bool) -> Iterator[Report]:
    """A bar on the error output that counts games; what it hands out is called with each number that ended."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden, transient=True) as progress:
        task = progress.add_task(what, total=games)
        yield lambda ended: progress.advance(task, ended)


def label(agent: str) -> str:
    """An agent's name where there is little room: a path loses its front."""
    if os.sep in agent:
        agent = os.sep.join(Path(agent).parts[-2:])
    return agent if len(agent) <= LONGEST_LABEL else "…" + agent[1 - LONGEST_LABEL :]


def versus(result: PairedResult) -> str:
    """The names of a match."""
    return f"{result.first} against {result.second}"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _positive(kind: type[int] | type[float]) -> Any:
    def convert(text: str) -> int | float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"must be above 0, got {text}")
        return value

    convert.__name__ = kind.__name__
    return convert


def _seed(text: str) -> int:
    value = int(text)
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f"must be from 0 to 2**63 - 1, got {text}")
    return value
