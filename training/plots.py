"""Learning curves as a picture."""

from __future__ import annotations

from pathlib import Path

from training.games import TrainedGame


def draw_curves(rows: list[dict[str, str]], lessons: list[dict[str, str]], game: TrainedGame, path: Path) -> None:
    """Lessons, if there were any, by passes; win rates, scores and the health of updates by decisions trained on."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    count = 4 if lessons else 3
    figure, panels = pyplot.subplots(1, count, figsize=(4.3 * count, 3.6), layout="constrained")
    axes = panels[-3:]
    decisions = [int(row["decisions"]) / 1e6 for row in rows]

    def curve(name: str) -> tuple[list[float], list[float]]:
        points = [(x, float(row[name])) for x, row in zip(decisions, rows, strict=True) if row[name] not in ("", "nan")]
        return [x for x, _ in points], [y for _, y in points]

    for name in game.config.baselines:
        xs, ys = curve(f"against_{name}")
        _, lows = curve(f"against_{name}_low")
        _, highs = curve(f"against_{name}_high")
        axes[0].plot(xs, ys, marker="o", markersize=3, label=f"against {name}")
        axes[0].fill_between(xs, lows, highs, alpha=0.2)
    axes[0].set(title="wins (95% interval)", ylim=(0, 1.02))
    axes[0].legend(loc="lower right")
    for name in game.figure_names:
        axes[1].plot(*curve(name), label=name.replace("_", " "))
    axes[1].set(title="self-play, mean of a player")
    axes[1].legend(loc="lower right")
    for name in ("entropy", "explained_variance"):
        axes[2].plot(*curve(name), label=name.replace("_", " "))
    axes[2].set(title="the updates")
    axes[2].legend(loc="upper right")
    for axis in axes:
        axis.set_xlabel("million decisions")
    if lessons:
        for name in ("chosen_alike", "value_error"):
            panels[0].plot([float(row[name]) for row in lessons], label=name.replace("_", " "))
        starts = [number for number, row in enumerate(lessons) if row["epoch"] == "1"]
        for number in starts[1:]:
            panels[0].axvline(number - 0.5, color="grey", linestyle=":")
        panels[0].set(title=f"lessons, {len(starts)} rounds", ylim=(0, 1.02), xlabel="passes")
        panels[0].legend(loc="upper left")
    for axis in panels:
        axis.grid(alpha=0.3)
    draft = path.with_name(f".{path.name}")
    figure.savefig(draft, dpi=110, format="png")
    pyplot.close(figure)
    draft.replace(path)
