"""Experiments: variants of one configuration, trained and measured alike, in a table that can be continued.

An experiment's folder::

    settings.yaml     what was asked for; another question needs another folder
    results.csv       a row for each variant that is complete
    results.md        the same as a table for people
    VARIANT/          the run of each variant
"""

from __future__ import annotations

import csv
import dataclasses
import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from training.config import Config
from training.console import INTERRUPTED, percent, percent_interval
from training.intervals import Interval
from training.tournament import write_atomically

if TYPE_CHECKING:
    from training.games import Measured
    from training.trainer import Trainer

SETTINGS, RESULTS, TABLE = "settings.yaml", "results.csv", "results.md"


@dataclass(frozen=True)
class Rate:
    """A win rate with its 95% interval."""

    rate: float
    interval: Interval

    @classmethod
    def of(cls, result: Measured) -> Rate:
        """The rate of a match."""
        return cls(result.win_rate, result.interval)

    def __str__(self) -> str:
        return f"{percent(self.rate)} ({percent_interval(self.interval)})"


@dataclass(frozen=True)
class Outcome:
    """What became of one variant."""

    variant: str
    changes: str  # the fields in which its configuration differs
    weights: int  # of the network
    decisions: int  # that it was trained on
    seconds: float  # that the training took
    rates: dict[str, Rate]  # by the opponent's name

    @property
    def decisions_per_second(self) -> float:
        """The speed of training."""
        return self.decisions / self.seconds if self.seconds else 0.0

    def row(self) -> dict[str, Any]:
        """As a line of the CSV file."""
        row: dict[str, Any] = {
            "variant": self.variant,
            "changes": self.changes,
            "weights": self.weights,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": round(self.decisions_per_second, 1),
        }
        for name, rate in self.rates.items():
            row |= {name: rate.rate, f"{name} low": rate.interval.low, f"{name} high": rate.interval.high}
        return row

    @classmethod
    def of(cls, row: Mapping[str, str], opponents: Sequence[str]) -> Outcome:
        """The outcome that a line of the CSV file tells."""
        return cls(
            row["variant"],
            row["changes"],
            int(row["weights"]),
            int(row["decisions"]),
            float(row["seconds"]),
            {
                name: Rate(float(row[name]), Interval(float(row[f"{name} low"]), float(row[f"{name} high"])))
                for name in opponents
            },
        )


class Experiment:
    """A folder of variants of ``config``, all trained and measured by one ``command``."""

    def __init__(self, folder: Path, command: str, config: Config) -> None:
        self.folder = folder
        self.command = command
        self.opponents = config.baselines
        text = yaml.safe_dump({"command": command, "config": dataclasses.asdict(config)}, sort_keys=False)
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / SETTINGS
        if kept.exists() and kept.read_text(encoding="utf-8") != text:
            raise ValueError(f"{folder} holds an experiment with other settings, see {kept}; choose another folder")
        write_atomically(kept, text.encode())

    def outcomes(self) -> list[Outcome]:
        """Those that are complete."""
        path = self.folder / RESULTS
        if not path.exists():
            return []
        with path.open(newline="", encoding="utf-8") as file:
            return [Outcome.of(row, self.opponents) for row in csv.DictReader(file)]

    def complete(
        self, variants: Mapping[str, Callable[[Path], Outcome]], only: Collection[str] | None = None
    ) -> list[Outcome]:
        """Run the variants that are missing, or ``only`` some, each in a new folder; all that there are, in order."""
        for name, run in variants.items():
            done = {outcome.variant for outcome in self.outcomes()}
            if name not in done and (only is None or name in only):
                folder = self.folder / re.sub(r"\W+", "_", name)
                shutil.rmtree(folder, ignore_errors=True)  # what an interrupted attempt left
                self._keep([*self.outcomes(), run(folder)], list(variants))
        return self.outcomes()

    def _keep(self, outcomes: list[Outcome], order: list[str]) -> None:
        outcomes.sort(key=lambda outcome: order.index(outcome.variant))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(outcomes[0].row()))
        writer.writeheader()
        writer.writerows(outcome.row() for outcome in outcomes)
        write_atomically(self.folder / RESULTS, text.getvalue().encode())
        write_atomically(self.folder / TABLE, f"`{self.command}`:\n\n{markdown(outcomes)}".encode())


def trained(variant: str, changes: Sequence[str], config: Config, folder: Path) -> Outcome:
    """Train by a configuration and measure what comes out against its baselines."""
    trainer = _new_trainer(config, folder)
    if not trainer.train():
        raise KeyboardInterrupt
    return _outcome(variant, changes, trainer)


def untrained(config: Config, folder: Path) -> Outcome:
    """Measure the network that a configuration begins with."""
    trainer = _new_trainer(config, folder)
    trainer.evaluate(config.final_deals)
    return _outcome("untrained", (), trainer)


def _new_trainer(config: Config, folder: Path) -> Trainer:
    from training.run import RunDirectory
    from training.trainer import Trainer

    return Trainer(config, RunDirectory.create(folder, config))


def _outcome(variant: str, changes: Sequence[str], trainer: Trainer) -> Outcome:
    return Outcome(
        variant,
        " ".join(changes),
        sum(weights.numel() for weights in trainer.network.parameters()),
        trainer.updates * trainer.config.update_size,
        round(trainer.seconds, 2),
        {name: Rate.of(result) for name, result in trainer.last_rates.items()},
    )


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a table for people."""
    opponents = list(outcomes[0].rates)
    headings = ["variant", "weights", "decisions", "decisions/s", "seconds", *(f"vs `{name}`" for name in opponents)]
    lines = [f"| {' | '.join(headings)} |", f"|---|{'---:|' * (len(headings) - 1)}"]
    for outcome in outcomes:
        cells = [
            f"{outcome.variant} (`{outcome.changes}`)" if outcome.changes else outcome.variant,
            f"{outcome.weights:,}",
            f"{outcome.decisions:,}",
            f"{outcome.decisions_per_second:,.0f}",
            f"{outcome.seconds:.0f}",
            *(str(outcome.rates[name]) for name in opponents),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def run_command(folder: Path, measure: Callable[[], object]) -> int:
    """Run an experiment from the command line and print its table; what a user got wrong is told in one line."""
    # Threads that spin while they wait slow everything down as soon as anything else runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        measure()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on where it was left\n")
        return INTERRUPTED
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print((folder / TABLE).read_text(encoding="utf-8"), end="")
    return 0
