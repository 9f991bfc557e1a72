"""The published ladder: all scripted agents on two editions, then the best of them against the Automa.

``make strength`` runs it. The directory has a tournament for each edition, with its report, and ``ladder.md`` with
the tables of the README. Run again, it goes on where it was left.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path

from patchwork_env.games.patchwork.automa import deck_names, level_names
from training.console import INTERRUPTED, duration
from training.report import print_standings, standings, write_reports
from training.solo import SoloResult, play_solo, print_solo
from training.tournament import SETTINGS, Tournament, TournamentError, play, write_atomically

EDITIONS = ("revised", "stack_n_stuff")
SEED = 7


@dataclass(frozen=True)
class Budget:
    """How much is played."""

    agents: tuple[str, ...]
    games: int  # of a pairing
    solo_games: int  # at each level with each deck
    limits: dict[str, int] = field(default_factory=dict)  # agent -> games of its pairings at most


_FAST = ("random", "advance", "greedy", "lookahead:6")

BUDGETS: dict[str, Budget] = {
    # a first look
    "quick": Budget((*_FAST, "mcts:100", "mcts:400"), 400, 50, {"lookahead:6": 200, "mcts:100": 100, "mcts:400": 50}),
    # the published one
    "small": Budget(
        (*_FAST, "mcts:100", "mcts:400"), 2000, 200, {"lookahead:6": 600, "mcts:100": 400, "mcts:400": 300}
    ),
    # enough games to tell close neighbours apart
    "large": Budget((*_FAST, "mcts:100", "mcts:400", "mcts:2000"), 4000, 1000, {"mcts:400": 1000, "mcts:2000": 1000}),
}


def main(words: list[str] | None = None) -> int:
    """Play what is missing of a budget and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m training.strength", description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", choices=list(BUDGETS), default="small", help="how much is played (default small)")
    parser.add_argument("--out", type=Path, default=Path("runs/strength"), help="directory (default runs/strength)")
    parser.add_argument("--threads", type=int, help="threads to play in (default: all cores)")
    arguments = parser.parse_args(words)
    budget = BUDGETS[arguments.budget]
    try:
        measure(budget, arguments.out / arguments.budget, arguments.threads)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; the same command goes on where it was left\n")
        return INTERRUPTED
    except TournamentError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def measure(budget: Budget, folder: Path, threads: int | None) -> None:
    """Play the tournaments and the solo games of a budget."""
    tables = []
    best = budget.agents[0]
    for edition in EDITIONS:
        tournament = open_ladder(budget, folder / edition, edition)
        play(tournament, threads, quiet=False)
        write_reports(tournament)
        print_standings(tournament)
        tables.append(ladder_table(tournament))
        if edition == EDITIONS[0]:
            best = tournament.ratings()[0].name
    results = []
    for deck in deck_names():
        for level in level_names():
            results.append(play_solo(best, budget.solo_games, level=level, deck=deck, seed=SEED, threads=threads))
            print_solo(results[-1:])
    tables.append(automa_table(results))
    write_atomically(folder / "ladder.md", "\n".join(tables).encode())
    print(f"tables: {folder / 'ladder.md'}")


def open_ladder(budget: Budget, folder: Path, edition: str) -> Tournament:
    """The tournament of an edition, with what has been played of it."""
    tournament = Tournament(
        folder, list(budget.agents), edition, SEED, (budget.games + 1) // 2, limits=dict(budget.limits)
    )
    if (folder / SETTINGS).exists():
        tournament.load_pairings()
    tournament.save_settings()
    return tournament


def ladder_table(tournament: Tournament) -> str:
    """Ratings and cross-table in Markdown."""
    figures = standings(tournament)
    names = [entry["agent"] for entry in figures["ratings"]]
    others = [name for name in names if name != "advance"]
    lines = [
        f"`{tournament.edition}`, {figures['games']:,} games, seed {tournament.seed}:",
        "",
        "| agent | rating | score | empty cells | holes | a decision | "
        + " | ".join(f"vs `{name}`" for name in others)
        + " |",
        "|---|---|---|---|---|---|" + "---|" * len(others),
    ]
    for entry in figures["ratings"]:
        low, high = entry["interval"]
        cells = []
        for other in others:
            found = tournament.between(entry["agent"], other)
            if found is None:
                cells.append("")
                continue
            result, named_first = found
            cells.append(f"{100 * (result.win_rate if named_first else 1 - result.win_rate):.1f}%")
        lines.append(
            f"| `{entry['agent']}` | {entry['rating']:.0f} ({low:.0f} to {high:.0f}) | {entry['score']:.1f} | "
            f"{entry['empty_cells']:.1f} | {entry['holes']:.1f} | {duration(entry['seconds_per_decision'])} | "
            + " | ".join(cells)
            + " |"
        )
    return "\n".join(lines) + "\n"


def automa_table(results: list[SoloResult]) -> str:
    """Solo results in Markdown: a row a level, two columns a deck."""
    first = results[0]
    decks = list(dict.fromkeys(result.deck for result in results))
    lines = [
        f"`{first.agent}` against the Automa on `{first.edition}`, {len(first.rows)} games a cell, seed {first.seed}:",
        "",
        "| level | " + " | ".join(f"{deck} deck: won | score, Automa's" for deck in decks) + " |",
        "|---|" + "---|---|" * len(decks),
    ]
    for level in dict.fromkeys(result.level for result in results):
        cells = []
        for result in (result for result in results if result.level == level):
            agent_score, automa_score = result.rows["scores"].mean(axis=0)
            low, high = result.interval
            cells.append(f"{100 * result.win_rate:.1f}% ({100 * low:.1f} to {100 * high:.1f}%)")
            cells.append(f"{agent_score:.1f}, {automa_score:.1f}")
        lines.append(f"| {level} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
