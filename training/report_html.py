"""The report of a tournament as one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from patchwork_env import load_edition
from patchwork_env.version import __version__
from training.console import duration, label
from training.tournament import Tournament, pairing_folder

_TEMPLATES = Path(__file__).parent / "templates"
_WIDTH = 640  # of the drawings, in their own units
_BINS = 48


def render_html(tournament: Tournament, figures: dict[str, Any]) -> str:
    """The page."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["duration"] = duration
    environment.filters["label"] = label
    environment.filters["percent"] = lambda rate: f"{100 * rate:.1f}%"
    edition = load_edition(tournament.edition)
    rated = [entry for entry in figures["ratings"] if entry["rating"] is not None]
    return environment.get_template("tournament.html").render(
        tournament=tournament,
        figures=figures,
        edition=edition,
        version=__version__,
        rated=rated,
        unrated=[entry for entry in figures["ratings"] if entry["rating"] is None],
        lead=lead(figures, rated),
        ladder=ladder(rated),
        cross=cross_table(tournament, figures),
        scores=score_curves(tournament, rated),
        effort=effort(rated),
        notable=notable_games(tournament, rated),
        beginner=_beginner(figures),
        command=command(tournament),
        width=_WIDTH,
    )


def lead(figures: dict[str, Any], rated: list[dict[str, Any]]) -> str:
    """The outcome in a sentence or two."""
    if len(rated) < 2:
        return "Too few games have been played to say anything."
    best, runner_up = rated[0], rated[1]
    met = _pairing(figures, best["agent"], runner_up["agent"])
    text = f"{label(best['agent'])} comes out on top"
    if met is None:
        return text + "."
    rate, (low, high) = met
    text += f", and wins {100 * rate:.1f}% of its games against {label(runner_up['agent'])}"
    if low > 0.5:
        return text + "."
    if high < 0.5:
        return text + ": it owes its place to the games against the others."
    return text + ": too close to call between the two."


def _pairing(figures: dict[str, Any], one: str, other: str) -> tuple[float, tuple[float, float]] | None:
    for summary in figures["pairings"]:
        low, high = summary["interval"]
        if (summary["first"], summary["second"]) == (one, other):
            return summary["win_rate"], (low, high)
        if (summary["first"], summary["second"]) == (other, one):
            return 1 - summary["win_rate"], (1 - high, 1 - low)
    return None


def ladder(rated: list[dict[str, Any]]) -> dict[str, Any]:
    """Where the bars of the ratings stand, as shares of the width."""
    if not rated:
        return {"ticks": [], "bars": {}}
    low = min(entry["interval"][0] for entry in rated)
    high = max(entry["interval"][1] for entry in rated)
    step = _tick_step(high - low)
    low, high = step * math.floor(low / step), step * math.ceil(high / step)
    high = max(high, low + step)

    def share(value: float) -> float:
        return float(round(100 * (value - low) / (high - low), 2))

    ticks = [{"value": int(low + k * step), "at": share(low + k * step)} for k in range(round((high - low) / step) + 1)]
    bars = {
        entry["agent"]: {
            "low": share(entry["interval"][0]),
            "high": share(entry["interval"][1]),
            "at": share(entry["rating"]),
        }
        for entry in rated
    }
    return {"ticks": ticks, "bars": bars}


def _tick_step(span: float) -> int:
    return next((step for step in (10, 25, 50, 100, 200, 250, 500) if span / step <= 6), 1000)


def cross_table(tournament: Tournament, figures: dict[str, Any]) -> list[dict[str, Any]]:
    """A row an agent, a cell a pairing."""
    names = [entry["agent"] for entry in figures["ratings"]]
    rows = []
    for one in names:
        cells: list[dict[str, Any] | None] = []
        for other in names:
            met = _pairing(figures, one, other)
            found = tournament.between(one, other)
            if met is None or found is None:
                cells.append(None)
                continue
            rate, (low, high) = met
            result, named_first = found
            won, split, lost = result.pair_counts if named_first else result.pair_counts[::-1]
            margin = result.margin if named_first else -result.margin
            cells.append(
                {
                    "rate": f"{100 * rate:.1f}",
                    "reach": f"{50 * (high - low):.1f}",
                    "strength": round(200 * abs(rate - 0.5)),
                    "wins": rate >= 0.5,
                    "note": f"{one} against {other}: {100 * rate:.1f}% ({100 * low:.1f} to {100 * high:.1f}%) of "
                    f"{result.games} games, mean margin {margin:+.1f}; of {won + split + lost} deals {won} won in "
                    f"both seats, {split} split, {lost} lost in both",
                }
            )
        rows.append({"agent": one, "cells": cells})
    return rows


def score_curves(tournament: Tournament, rated: list[dict[str, Any]]) -> dict[str, Any]:
    """How the final scores of each agent are spread, as outlines to draw."""
    from training.report import games_of

    scores = {entry["agent"]: games_of(tournament, entry["agent"])["scores"] for entry in rated}
    everything = np.concatenate([np.zeros(0), *scores.values()])
    if not len(everything):
        return {"curves": [], "ticks": []}
    low, high = np.percentile(everything, [0.2, 99.8])
    low, high = 10 * math.floor(low / 10), max(10 * math.ceil(high / 10), 10 * math.floor(low / 10) + 10)
    edges = np.linspace(low, high, _BINS + 1)
    curves, row_height, tall = [], 34, 46
    for row, (agent, values) in enumerate(scores.items()):
        counts, _ = np.histogram(np.clip(values, low, high), edges)
        smooth = np.convolve(counts, [0.25, 0.5, 0.25], "same")
        heights = tall * smooth / smooth.max()
        base = 56 + row * row_height
        points = [f"{_WIDTH * (k + 0.5) / _BINS:.1f},{base - height:.1f}" for k, height in enumerate(heights)]
        mean = float(values.mean())
        curves.append(
            {
                "agent": agent,
                "base": base,
                "points": f"0,{base} " + " ".join(points) + f" {_WIDTH},{base}",
                "mean": f"{mean:.1f}",
                "at": round(_WIDTH * (mean - low) / (high - low), 1),
            }
        )
    ticks = [
        {"value": value, "at": round(_WIDTH * (value - low) / (high - low), 1)} for value in range(low, high + 1, 10)
    ]
    return {"curves": curves, "ticks": ticks, "height": 56 + len(curves) * row_height}


def effort(rated: list[dict[str, Any]]) -> dict[str, Any]:
    """Rating against the time of a decision, as points to draw; the time is on a logarithmic scale."""
    points = [entry for entry in rated if entry["seconds_per_decision"]]
    if len(points) < 2:
        return {"points": [], "ticks": []}
    times = [math.log10(entry["seconds_per_decision"]) for entry in points]
    low, high = math.floor(min(times)), max(math.ceil(max(times)), math.floor(min(times)) + 1)
    bottom, top = min(entry["rating"] for entry in points), max(entry["rating"] for entry in points)
    drawn = []
    for entry, when in zip(points, times, strict=True):
        x = 50 + (_WIDTH - 170) * (when - low) / (high - low)
        y = 200 - 165 * (entry["rating"] - bottom) / max(top - bottom, 1)
        drawn.append({"agent": entry["agent"], "x": round(x, 1), "y": round(y, 1)})
    ticks = [
        {"label": duration(10.0**power), "x": round(50 + (_WIDTH - 170) * (power - low) / (high - low), 1)}
        for power in range(low, high + 1)
    ]
    return {"points": drawn, "ticks": ticks}


def notable_games(tournament: Tournament, rated: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Games worth a look: the highest score, the fullest quilts, and the greatest upset."""
    edition = load_edition(tournament.edition)
    ratings = {entry["agent"]: entry["rating"] for entry in rated}
    candidates: dict[str, tuple[float, Any, int]] = {}
    for pairing, result in tournament.results.items():
        if not result.games or any(agent not in ratings for agent in pairing):
            continue
        scores = result.rows["scores"].astype(np.int64)
        lower_rated = int(ratings[pairing[0]] > ratings[pairing[1]])
        gap = abs(ratings[pairing[0]] - ratings[pairing[1]])
        upsets = np.where(result.rows["winner"] == lower_rated, gap, -1.0)
        for title, values in (
            ("The highest score", scores.max(axis=1)),
            ("The fullest quilts", edition.cells * 2 - result.rows["empty_cells"].sum(axis=1)),
            ("The greatest upset", upsets),
        ):
            game = int(np.argmax(values))
            if values[game] > candidates.get(title, (0.0, None, 0))[0]:
                candidates[title] = (float(values[game]), result, game)
    games = []
    for title, (_, result, game) in candidates.items():
        row = result.rows[game]
        won = int(row["winner"])
        names = (result.first, result.second)
        file = pairing_folder(tournament, names) / f"{row['deal']:06d}-{'ab'[row['first_seat']]}.txt"
        games.append(
            {
                "title": title,
                "winner": names[won],
                "loser": names[1 - won],
                "scores": f"{row['scores'][won]} to {row['scores'][1 - won]}",
                "empty": f"{row['empty_cells'][won]} and {row['empty_cells'][1 - won]}",
                "began": names[int(row["first_seat"])],
                "deal": int(row["deal"]),
                "file": quote(file.relative_to(tournament.folder).as_posix()) if file.exists() else None,
            }
        )
    return games


def _beginner(figures: dict[str, Any]) -> str:
    rate, (low, high) = figures["first_player_win_rate"], figures["first_player_interval"]
    if low > 0.5:
        judged = "Beginning is an advantage"
    elif high < 0.5:
        judged = "Beginning is a disadvantage"
    else:
        judged = "Beginning makes no difference that these games could show"
    return f"{judged}: whoever began won {100 * rate:.1f}% ({100 * low:.1f} to {100 * high:.1f}%)."


def command(tournament: Tournament) -> str:
    """What to type to play the same tournament."""
    parts = ["patchwork tournament", *tournament.agents, f"--games {2 * tournament.deals}"]
    parts += [f"--seed {tournament.seed}", f"--edition {tournament.edition}"]
    if tournament.precision is not None:
        parts.append(f"--precision {tournament.precision}")
    parts += [f"--limit {agent}={games}" for agent, games in tournament.limits.items()]
    return " ".join(parts)
