"""What a person sees while training: how far it is, how good it is, and how much longer."""

from __future__ import annotations

import math
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from training.console import percent, percent_interval
from training.games import Measured, TrainedGame


class Display:
    """A progress bar with figures; on something that is no terminal, a line for each evaluation."""

    def __init__(self, game: TrainedGame) -> None:
        self._game = game
        self._console = Console()
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:>7,.0f}/{task.total:,.0f} updates"),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("training", total=game.config.updates, figures="")
        self._rates = ""

    def __enter__(self) -> Display:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, text: str) -> None:
        """Tell what is going on."""
        self._progress.update(self._task, description=text)
        if not self._console.is_terminal:
            self._console.print(text)

    def update(self, updates: int, row: dict[str, Any], rates: dict[str, Measured]) -> None:
        """Show an update's figures, and an evaluation's where there was one."""
        if rates:
            self._rates = ", ".join(f"{name} {percent(result.win_rate)}" for name, result in rates.items())
            self._console.print(
                f"update {updates}: {row['decisions']:,} decisions in {_clock(row['seconds'])}, "
                f"{self._figures(row)}; wins against {self._rates}"
            )
        figures = f"{row['decisions_per_second']:,.0f}/s  {self._figures(row)}  {self._rates}"
        self._progress.update(self._task, completed=updates, figures=figures)

    def _figures(self, row: dict[str, Any]) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {row[name]:.1f}" for name in self._game.figure_names)

    def final_table(self, rates: dict[str, Measured], seconds: float, path: Path) -> None:
        """How good the trained player is."""
        self._progress.stop()
        table = Table(title=f"trained in {_clock(seconds)}; one forward pass a decision")
        table.add_column("against")
        columns = list(next(iter(rates.values())).figures) if rates else []
        for heading in ("wins", "95% interval", "games", *columns):
            table.add_column(heading, justify="right")
        for name, result in rates.items():
            table.add_row(
                name,
                percent(result.win_rate),
                percent_interval(result.interval),
                f"{result.games:,}",
                *result.figures.values(),
            )
        self._console.print(table)
        self._console.print(f"equal players win {percent(1 / self._game.num_players)} each")
        self._console.print(f"checkpoints, metrics and curves are in {path}")
        seats = " ".join([str(path / "best"), *["greedy"] * (self._game.num_players - 1)])
        self._console.print(f"play it in a match: patchwork {self._game.match_command} {seats}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(math.floor(seconds), 60)
    return f"{minutes}:{rest:02d} min"
