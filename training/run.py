"""A run's directory: what was asked for, what happened, and all that is needed to go on.

::

    config.yaml        the resolved configuration
    versions.yaml      of Python, the libraries and the sources
    metrics.csv        a row for each update
    tensorboard/       the same for TensorBoard
    latest/, best/     checkpoints: weights and description
    lessons_*.npz      the teachers' decisions so far, a file for each round, if there are lessons
    lessons.csv        how well they were learnt
    lessons/           the checkpoint that they led to
    state.pt           optimizer, random state, games and league, for resuming
    curves.png         the learning curves so far
"""

from __future__ import annotations

import csv
import io
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import yaml

from patchwork_env.version import __version__
from training.config import Config, load_config
from training.lessons import Lessons

LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib")
STATE_FORMAT = 4


class RunError(ValueError):
    """A run directory that cannot be used; the message says why."""


class RunDirectory:
    """The files of one run. Each is written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metrics = path / "metrics.csv"

    @classmethod
    def create(cls, path: Path, config: Config) -> RunDirectory:
        """A new run; a directory that already holds one is not touched."""
        if (path / "config.yaml").exists():
            raise RunError(f"{path} already holds a run; continue it with --resume {path}, or choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        run = cls(path)
        run.write("config.yaml", config.as_yaml())
        run.write("versions.yaml", yaml.safe_dump(_versions(), sort_keys=False))
        return run

    @classmethod
    def resume(cls, path: Path) -> tuple[RunDirectory, Config, dict[str, Any]]:
        """A run that was interrupted, its configuration and the state to go on from; empty if it has lessons only."""
        if not (path / "config.yaml").is_file():
            raise RunError(f"{path} holds no run: there is no config.yaml in it")
        run = cls(path)
        state_file = path / "state.pt"
        if not state_file.is_file() and run._lessons_file(0).is_file():
            return run, load_config(path / "config.yaml"), {}
        if not state_file.is_file():
            raise RunError(f"{path} was stopped before its first checkpoint; start it again without --resume")
        state: dict[str, Any] = torch.load(state_file, weights_only=True)
        if state["format"] != STATE_FORMAT:
            raise RunError(f"{path}: state.pt has format {state['format']}, this version reads {STATE_FORMAT}")
        run._cut_metrics(state["updates"])
        return run, load_config(path / "config.yaml"), state

    def write(self, name: str, text: str) -> None:
        """Write a text file at once."""
        self._write_bytes(name, text.encode())

    def save_state(self, state: dict[str, Any]) -> None:
        """Write what resuming needs, at once."""
        buffer = io.BytesIO()
        torch.save({"format": STATE_FORMAT, **state}, buffer)
        self._write_bytes("state.pt", buffer.getvalue())

    def save_lessons(self, number: int, lessons: Lessons) -> None:
        """Write the decisions of a round's teacher so far, at once."""
        self._write_bytes(self._lessons_file(number).name, lessons.as_bytes())

    def read_lessons(self, number: int) -> Lessons | None:
        """The decisions of a round's teacher so far; None if there are none."""
        file = self._lessons_file(number)
        return Lessons.from_bytes(file.read_bytes()) if file.is_file() else None

    def all_lessons(self) -> Lessons:
        """The decisions of the teachers of all rounds so far."""
        rounds: list[Lessons] = []
        while (lessons := self.read_lessons(len(rounds))) is not None:
            rounds.append(lessons)
        if not rounds:
            raise RunError(f"{self.path} holds no lessons: there is no {self._lessons_file(0).name} in it")
        return Lessons.joined(rounds)

    def _lessons_file(self, number: int) -> Path:
        return self.path / f"lessons_{number + 1}.npz"

    def add_metrics(self, row: dict[str, Any]) -> None:
        """Append a row; the first row decides the columns, later ones may leave some empty."""
        columns = self._columns() or list(row)
        new = not self.metrics.exists()
        with self.metrics.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore", restval="")
            if new:
                writer.writeheader()
            writer.writerow(row)

    def read_table(self, name: str) -> list[dict[str, str]]:
        """All rows of a CSV file so far; none if there is no such file."""
        path = self.path / name
        if not path.exists():
            return []
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def _columns(self) -> list[str] | None:
        if not self.metrics.exists():
            return None
        with self.metrics.open(newline="", encoding="utf-8") as file:
            return next(csv.reader(file), None)

    def _cut_metrics(self, updates: int) -> None:
        """Forget rows of updates that were lost with an interruption."""
        rows = [row for row in self.read_table(self.metrics.name) if int(row["update"]) <= updates]
        columns = self._columns()
        if columns is None:
            return
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns)
        writer.writeheader()
        writer.writerows(rows)
        self.write("metrics.csv", text.getvalue())

    def _write_bytes(self, name: str, content: bytes) -> None:
        draft = self.path / f".{name}.draft"
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / name)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "patchwork_env": __version__}
    found |= {library: version(library) for library in LIBRARIES}
    return {**found, "sources": _git_state()}


def _git_state() -> str:
    """The commit of the sources and whether they were changed since; a text for people."""
    here = Path(__file__).parent
    try:
        commit = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(
            ["git", "-C", str(here), "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not in a repository"
    return f"{commit}{' with changes' if changes else ''}"
