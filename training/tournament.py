"""``patchwork tournament A B C ...``: every agent against every other, on the same deals, in a directory.

The directory is the tournament: ``tournament.json`` says what is played, ``pairings/`` has the games of each
pairing, and everything else is made from those. A pairing's file is replaced in one go after every block of games,
so whatever interrupts a tournament, it loses that block at most and can be resumed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from patchwork_env import load_edition, make_agent
from patchwork_env.version import __version__
from training.arena import is_precise, play_pairs
from training.console import INTERRUPTED, add_playing_arguments, deals_of, print_json, progress_bar
from training.ratings import Rating, rate
from training.results import GAME_ROW, PairedResult, write_records

SETTINGS = "tournament.json"
FORMAT = 1


class TournamentError(ValueError):
    """A directory or a set of agents that no tournament can be played with."""


@dataclass
class Tournament:
    """What is played, and all games so far."""

    folder: Path
    agents: list[str]
    edition: str  # a name or a file, as given
    seed: int
    deals: int
    precision: float | None = None
    record: bool = False
    limits: dict[str, int] = field(default_factory=dict)  # agent -> games of a pairing with it, at most
    results: dict[tuple[str, str], PairedResult] = field(default_factory=dict)

    @property
    def pairings(self) -> list[tuple[str, str]]:
        """Who plays whom; of two agents the one named later comes first."""
        return [(late, early) for early, late in itertools.combinations(self.agents, 2)]

    def deals_of(self, pairing: tuple[str, str]) -> int:
        """How many deals a pairing plays."""
        return min(
            self.deals, *((self.limits[name] + 1) // 2 if name in self.limits else self.deals for name in pairing)
        )

    @property
    def games(self) -> int:
        """Games played so far."""
        return sum(result.games for result in self.results.values())

    def is_complete(self, pairing: tuple[str, str]) -> bool:
        """Whether a pairing has all its games."""
        result = self.results.get(pairing)
        return result is not None and (result.games >= 2 * self.deals_of(pairing) or is_precise(result, self.precision))

    def between(self, one: str, other: str) -> tuple[PairedResult, bool] | None:
        """The games of two agents, and whether ``one`` is the agent named first in them."""
        for pairing, named_first in (((one, other), True), ((other, one), False)):
            if pairing in self.results and self.results[pairing].games:
                return self.results[pairing], named_first
        return None

    def ratings(self) -> list[Rating]:
        """All agents, best first."""
        counts = {pairing: result.pair_counts for pairing, result in self.results.items()}
        return rate(self.agents, counts)

    def settings(self) -> dict[str, Any]:
        """What ``tournament.json`` says."""
        return {
            "format": FORMAT,
            "version": __version__,
            "agents": self.agents,
            "edition": self.edition,
            "seed": self.seed,
            "games": 2 * self.deals,
            "precision": self.precision,
            "record": self.record,
            "limits": self.limits,
        }

    def save_settings(self) -> None:
        """Write ``tournament.json``."""
        (self.folder / "pairings").mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.settings(), indent=2) + "\n"
        write_atomically(self.folder / SETTINGS, text.encode())

    def save_pairing(self, result: PairedResult) -> None:
        """Write a pairing's games, and those records that it still holds."""
        pairing = (result.first, result.second)
        if result.records:
            write_records(result, pairing_folder(self, pairing))
        path = self._pairing_file(pairing)
        temporary = path.with_suffix(".part")
        with temporary.open("wb") as file:
            np.save(file, result.rows, allow_pickle=False)
        os.replace(temporary, path)
        self.results[pairing] = result  # last, so that an interrupted tournament tells of no game that is not kept

    def load_pairings(self) -> None:
        """Read what has been played."""
        name = load_edition(self.edition).name
        for pairing in self.pairings:
            path = self._pairing_file(pairing)
            if path.exists():
                rows = np.load(path, allow_pickle=False)
                if rows.dtype != GAME_ROW or len(rows) % 2:
                    raise TournamentError(f"{path}: not the games of a pairing")
                self.results[pairing] = PairedResult(*pairing, name, self.seed, rows)

    def _pairing_file(self, pairing: tuple[str, str]) -> Path:
        return self.folder / "pairings" / f"{_file_name(pairing)}.npy"


def open_tournament(arguments: argparse.Namespace) -> Tournament:
    """The tournament that the options ask for, new or resumed."""
    folder: Path = arguments.out
    settings = folder / SETTINGS
    if arguments.resume:
        if not settings.exists():
            raise TournamentError(f"--resume: there is no tournament in {folder}")
        return _resumed(arguments, json.loads(settings.read_text(encoding="utf-8")))
    if settings.exists():
        raise TournamentError(f"there is a tournament in {folder}: go on with it (--resume) or name another --out")
    if len(arguments.agents) < 2:
        raise TournamentError("a tournament needs at least two agents")
    return Tournament(
        folder,
        _checked_agents(arguments.agents),
        os.fspath(arguments.edition or "revised"),
        arguments.seed or 0,
        deals_of(arguments),
        arguments.precision,
        arguments.record,
        dict(arguments.limit),
    )


def _resumed(arguments: argparse.Namespace, saved: dict[str, Any]) -> Tournament:
    """The tournament of a directory; agents may be added and games raised, edition and seed stay."""
    if saved.get("format") != FORMAT:
        raise TournamentError(
            f"{arguments.out / SETTINGS}: format {saved.get('format')!r}, this version reads {FORMAT}"
        )
    for name in ("edition", "seed"):
        asked = getattr(arguments, name)
        if asked is not None and asked != saved[name]:
            raise TournamentError(f"--{name} {asked}: the tournament in {arguments.out} has {name} {saved[name]}")
    added = [agent for agent in arguments.agents if agent not in saved["agents"]]
    agents = _checked_agents([*saved["agents"], *added])
    games = arguments.games or saved["games"]
    precision = arguments.precision if arguments.precision is not None else saved["precision"]
    tournament = Tournament(
        *(arguments.out, agents, saved["edition"], saved["seed"], (games + 1) // 2),
        *(precision, saved["record"] or arguments.record, {**saved["limits"], **dict(arguments.limit)}),
    )
    tournament.load_pairings()
    return tournament


def _checked_agents(agents: list[str]) -> list[str]:
    for agent in agents:
        if agents.count(agent) > 1:
            raise TournamentError(f"agent {agent!r} is named twice")
        make_agent(agent, 0)
    return list(agents)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="agents, e.g. random greedy mcts:400")
    add_playing_arguments(parser)
    parser.set_defaults(edition=None, seed=None)
    parser.add_argument("--out", type=Path, default=Path("runs/tournament"), help="directory (default runs/tournament)")
    parser.add_argument("--resume", action="store_true", help="go on with the tournament in that directory")
    parser.add_argument("--record", action="store_true", help="keep every game there, in the notation")
    parser.add_argument(
        "--limit",
        type=_limit,
        action="append",
        default=[],
        metavar="AGENT=GAMES",
        help="play fewer games in the pairings of a slow agent; may be given several times",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play what is missing, then write the tables and the report."""
    from training.report import print_standings, standings, write_reports

    tournament = open_tournament(arguments)
    tournament.save_settings()
    try:
        play(tournament, arguments.threads, arguments.json)
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    if tournament.games:
        write_reports(tournament)
        if arguments.json:
            print_json(standings(tournament))
        else:
            print_standings(tournament)
    if code:
        sys.stderr.write(
            f"interrupted after {tournament.games} games; go on with: patchwork tournament --resume --out "
            f"{tournament.folder}\n"
        )
    return code


def play(tournament: Tournament, threads: int | None, quiet: bool) -> None:
    """Play all pairings that lack games, keeping every block as it ends."""
    missing = [pairing for pairing in tournament.pairings if not tournament.is_complete(pairing)]
    for number, (first, second) in enumerate(missing, 1):
        start = tournament.results.get((first, second))
        begun = time.perf_counter()
        deals = tournament.deals_of((first, second))
        what = f"[{number}/{len(missing)}] {first} against {second}".replace("[", r"\[")
        with progress_bar(what, 2 * deals, quiet) as report:
            if start is not None:
                report(start.games)
            result = play_pairs(
                first,
                second,
                deals,
                edition=tournament.edition,
                seed=tournament.seed,
                threads=threads,
                precision=tournament.precision,
                start=start,
                record=tournament.record,
                progress=report,
                after_block=tournament.save_pairing,
            )
        if not quiet:
            sys.stderr.write(
                f"{first} against {second}: {100 * result.win_rate:.1f}% of {result.games} games, "
                f"{time.perf_counter() - begun:.1f} s\n"
            )


def _limit(text: str) -> tuple[str, int]:
    agent, _, games = text.rpartition("=")
    if not agent or not games.isdecimal() or int(games) < 1:
        raise argparse.ArgumentTypeError(f"expected AGENT=GAMES, e.g. mcts:2000=200, got {text}")
    return agent, int(games)


def write_atomically(path: Path, content: bytes) -> None:
    """Put a file in place in one go."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def pairing_folder(tournament: Tournament, pairing: tuple[str, str]) -> Path:
    """Where the recorded games of a pairing lie."""
    return tournament.folder / "games" / _file_name(pairing)


def _file_name(pairing: tuple[str, str]) -> str:
    """A name for a pairing that any file system takes; different agents get different names."""
    return "__".join(re.sub(r"[^A-Za-z0-9.=-]", lambda found: f"%{ord(found[0]):02x}", agent) for agent in pairing)
