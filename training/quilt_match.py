"""``patchwork quilt-show A B [C [D]]``: agents at one table of Quilt Show, in every rotation of the seats."""

from __future__ import annotations

import argparse
import json
from typing import Any

from patchwork_env.games.quilt_show.cards import VARIANTS
from training.rotations import TableResult, play_rotations

HELP = "play two to four agents of Quilt Show against each other"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two to four agents, e.g. greedy or ismcts:200")
    parser.add_argument("--deals", type=int, default=100, help="deals; each is played once a rotation (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals and the agents (default: 0)")
    parser.add_argument("--threads", type=int, help="threads (default: all cores)")
    for name in VARIANTS:
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=f"play the variant {name}")
    parser.add_argument("--json", action="store_true", help="print the figures for a script")


def run(arguments: argparse.Namespace) -> int:
    """Play and print what came out."""
    if not 2 <= len(arguments.agents) <= 4:
        raise ValueError(f"name two to four agents, got {len(arguments.agents)}")
    variants: dict[str, Any] = {name: True for name in VARIANTS if getattr(arguments, name)}
    result = play_rotations(
        arguments.agents, arguments.deals, seed=arguments.seed, threads=arguments.threads, **variants
    )
    print(json.dumps(result.as_dict(), indent=2) if arguments.json else table(result))
    return 0


def table(result: TableResult) -> str:
    """The figures as text."""
    with_variants = f" with {', '.join(result.variants)}" if result.variants else ""
    width = max(5, *(len(name) for name in result.agents))
    lines = [
        f"Quilt Show, {len(result.agents)} players{with_variants}: {result.games} games",
        "",
        f"{'agent':<{width}}  win rate  95% interval    money",
    ]
    for agent, name in enumerate(result.agents):
        low, high = result.interval(agent)
        money = result.money[:, :, agent].mean()
        rate = f"{100 * result.win_rates[agent]:.1f}%"
        lines.append(f"{name:<{width}}  {rate:>8}  {100 * low:5.1f} to {100 * high:5.1f}  {money:5.1f}k")
    lines.append("")
    lines.append(f"{result.decisions.mean():.0f} decisions a game, {int(result.truncated.sum())} games cut off")
    return "\n".join(lines)
