"""The picture of a tournament: its cross-table and its ratings."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from training.console import label
from training.tournament import Tournament

WIN, EVEN, LOSS = "#14746f", "#f6f1e7", "#b5523b"


def draw_png(tournament: Tournament, figures: dict[str, Any]) -> bytes:
    """A PNG; agents from best to worst."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    entries = figures["ratings"]
    names = [entry["agent"] for entry in entries]
    count = len(names)
    longest = max(len(label(name)) for name in names)
    height = 1.8 + 0.5 * count + 0.05 * longest
    figure = Figure(
        figsize=(max(9.0, 5.5 + 1.15 * count) + 0.16 * longest, height),
        dpi=130,
        layout="constrained",
        facecolor="white",
    )
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(1, 2, width_ratios=[max(count, 3) * 0.9, 4])
    cross, ladder = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    figure.suptitle(f"{tournament.edition}: {tournament.games:,} games on paired deals, seed {tournament.seed}")
    rates = np.full((count, count), math.nan)
    for row, one in enumerate(names):
        for column, other in enumerate(names):
            found = tournament.between(one, other)
            if found is not None:
                result, named_first = found
                rates[row, column] = result.win_rate if named_first else 1 - result.win_rate
    colors = LinearSegmentedColormap.from_list("wins", [LOSS, EVEN, WIN]).with_extremes(bad="#e7e3da")
    cross.imshow(rates, cmap=colors, vmin=0, vmax=1, aspect="auto")
    for row in range(count):
        for column in range(count):
            if not math.isnan(rates[row, column]):
                shade = "white" if abs(rates[row, column] - 0.5) > 0.28 else "#222222"
                text = f"{100 * rates[row, column]:.1f}"
                cross.text(column, row, text, ha="center", va="center", color=shade, fontsize=9)
    labels = [label(name) for name in names]
    cross.set_xticks(range(count), labels, rotation=30, ha="left", rotation_mode="anchor")
    cross.set_yticks(range(count), labels)
    cross.tick_params(length=0, labeltop=True, labelbottom=False)
    cross.spines[:].set_visible(False)
    cross.set_xlabel("row beats column, % of games")
    for row, entry in enumerate(entries):
        if entry["rating"] is None:
            continue
        low, high = entry["interval"]
        ladder.plot([low, high], [row, row], color=WIN, linewidth=2.5, solid_capstyle="round")
        ladder.plot(entry["rating"], row, "o", color=WIN, markersize=6)
        ladder.annotate(
            f"{entry['rating']:.0f}",
            (entry["rating"], row),
            (0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    ladder.set_ylim(count - 0.5, -0.5)
    ladder.margins(x=0.12)
    ladder.set_yticks(range(count), labels)
    ladder.tick_params(axis="y", length=0)
    ladder.grid(axis="x", color="#dddddd")
    ladder.set_axisbelow(True)
    ladder.spines[["top", "right", "left"]].set_visible(False)
    ladder.set_xlabel(f"rating with 95% interval ({figures['anchor']} = 0)")
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()
