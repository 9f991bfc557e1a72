"""The tables of a tournament: figures for people, scripts and spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.console import duration, json_text, label, new_table, output, percent
from training.intervals import Interval, mean_interval
from training.ratings import anchor_of
from training.report_html import render_html
from training.report_plot import draw_png
from training.results import GAME_ROW
from training.tournament import Tournament, write_atomically

SCALE = "Elo-like: 400 points are odds of ten to one, 100 points are 64%"


def standings(tournament: Tournament) -> dict[str, Any]:
    """All figures of a tournament, ready for JSON; agents from best to worst."""
    rate, interval = beginner_advantage(tournament)
    return {
        "edition": tournament.edition,
        "seed": tournament.seed,
        "games": tournament.games,
        "complete": all(tournament.is_complete(pairing) for pairing in tournament.pairings),
        "anchor": anchor_of(tournament.agents),
        "scale": SCALE,
        "first_player_win_rate": rate,
        "first_player_interval": list(interval),
        "ratings": [
            {
                "agent": entry.name,
                "rating": entry.rating,
                "interval": None if entry.interval is None else list(entry.interval),
                **agent_figures(tournament, entry.name),
            }
            for entry in tournament.ratings()
        ],
        "pairings": [result.summary() for result in tournament.results.values() if result.games],
    }


def agent_figures(tournament: Tournament, agent: str) -> dict[str, Any]:
    """What an agent did over all its games."""
    rows = games_of(tournament, agent)
    decisions = int(rows["decisions"].sum())
    names = {"score": "scores", "empty_cells": "empty_cells", "holes": "holes", "bonus_tiles": "bonus"}
    count = len(rows)
    return {
        "games": count,
        "win_rate": float(rows["won"].mean()) if count else None,
        **{name: float(rows[column].mean()) if count else None for name, column in names.items()},
        "seconds_per_decision": float(rows["seconds"].sum() / decisions) if decisions else None,
    }


def games_of(tournament: Tournament, agent: str) -> NDArray[Any]:
    """All games of an agent from its own side: each per-agent column has its figure, and `won` says the outcome."""
    columns = [(name, GAME_ROW[name].base) for name in GAME_ROW.names or () if GAME_ROW[name].shape == (2,)]
    parts = [np.zeros(0, [*columns, ("won", np.int8)])]
    for pairing, result in tournament.results.items():
        if agent in pairing:
            side = pairing.index(agent)
            part = np.zeros(result.games, parts[0].dtype)
            for name, _ in columns:
                part[name] = result.rows[name][:, side]
            part["won"] = result.rows["winner"] == side
            parts.append(part)
    return np.concatenate(parts)


def beginner_advantage(tournament: Tournament) -> tuple[float, Interval]:
    """How often whoever began won, over all pairings; the deals, which all pairings share, are what is counted."""
    won: dict[int, list[float]] = {}
    for result in tournament.results.values():
        for deal, wins in zip(result.rows["deal"][::2].tolist(), result.beginner_wins, strict=True):
            won.setdefault(deal, []).append(float(wins.mean()))
    means = [float(np.mean(entries)) for entries in won.values()]
    interval = mean_interval(means)
    return float(np.mean(means)), Interval(max(interval.low, 0.0), min(interval.high, 1.0))


def write_reports(tournament: Tournament) -> None:
    """(Re)write everything in the directory that is made from the games."""
    figures = standings(tournament)
    folder = tournament.folder
    write_atomically(folder / "standings.json", json_text(figures).encode())
    write_atomically(folder / "ratings.csv", _csv(figures["ratings"]).encode())
    write_atomically(folder / "pairings.csv", _csv(figures["pairings"]).encode())
    write_atomically(folder / "games.csv", _games_csv(tournament).encode())
    write_atomically(folder / "tournament.png", draw_png(tournament, figures))
    write_atomically(folder / "report.html", render_html(tournament, figures).encode())


def print_standings(tournament: Tournament) -> None:
    """The ratings and the cross-table, on the terminal."""
    console = output()
    ratings = tournament.ratings()
    title = f"{tournament.edition}, {tournament.games} games, seed {tournament.seed}"
    console.print(f"[bold]{title}[/bold] ({anchor_of(tournament.agents)} = 0; {SCALE})")
    headings = ("agent", "rating", "95% interval", "won", "score", "empty", "holes", "bonus", "a decision")
    table = new_table(headings, words=("agent",))
    for entry in ratings:
        figures = agent_figures(tournament, entry.name)
        if not figures["games"] or entry.rating is None or entry.interval is None:
            table.add_row(label(entry.name), "not rated yet")
            continue
        table.add_row(
            label(entry.name),
            f"{entry.rating:.0f}",
            f"{entry.interval.low:.0f} to {entry.interval.high:.0f}",
            percent(figures["win_rate"]),
            f"{figures['score']:.1f}",
            f"{figures['empty_cells']:.1f}",
            f"{figures['holes']:.1f}",
            percent(figures["bonus_tiles"]),
            duration(figures["seconds_per_decision"]),
        )
    console.print(table)
    cross = new_table(("", *(label(entry.name) for entry in ratings)), words=("",), title="row beats column, %")
    for entry in ratings:
        cross.add_row(label(entry.name), *(_cell(tournament, entry.name, other.name) for other in ratings))
    console.print(cross)
    rate, interval = beginner_advantage(tournament)
    console.print(f"whoever began won {percent(rate)} ({100 * interval.low:.1f} to {100 * interval.high:.1f}%)")
    console.print(f"report: {tournament.folder / 'report.html'}")


def _cell(tournament: Tournament, one: str, other: str) -> str:
    found = tournament.between(one, other)
    if found is None:
        return ""
    result, named_first = found
    rate = result.win_rate if named_first else 1 - result.win_rate
    return f"{100 * rate:.1f}"


def _csv(entries: list[dict[str, Any]]) -> str:
    """Rows of figures; what is a list or a mapping becomes several columns."""
    flat = []
    for entry in entries:
        row: dict[str, Any] = {}
        for key, value in entry.items():
            if isinstance(value, list):
                ends = ("low", "high") if key.endswith("interval") else ("first", "second")
                row |= {f"{key}_{end}": number for end, number in zip(ends, value, strict=True)}
            elif isinstance(value, dict):
                row |= {f"{key}_{name}": number for name, number in value.items()}
            else:
                row[key] = value
        flat.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in flat for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _games_csv(tournament: Tournament) -> str:
    """One line a game."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(GAME_ROW.names or ())
    headings = []
    for name in names:
        headings += [f"{name}_first", f"{name}_second"] if GAME_ROW[name].shape else [name]
    writer.writerow(["first", "second", *headings])
    for (first, second), result in tournament.results.items():
        for row in result.rows.tolist():
            cells: list[Any] = []
            for value in row:
                cells += value.tolist() if isinstance(value, np.ndarray) else [value]
            cells[-2:] = [f"{seconds:.3g}" for seconds in cells[-2:]]
            writer.writerow([first, second, *cells])
    return text.getvalue()
