"""``python -m training.throughput``: how many decisions a second training takes in, beside stock MaskablePPO.

Both learn in turn, update by update, so that a noisy minute touches both; medians and ranges are given because
machines are shared. *Ours* is rollouts and updates of a configuration as `patchwork train` does them; what happens
between two updates (evaluating, averaging, metrics, checkpoints) is not counted, and no earlier self has joined the
league yet. *Stock* is sb3-contrib's MaskablePPO with its `MlpPolicy` (a logit for each of the 2,027 actions) and
torch's own choice of threads, on a `DummyVecEnv` of Gymnasium environments, each a game of its own against `random`,
the cheapest opponent; steps, epochs and minibatches are ours (a minibatch is never more than an update). A decision is
one that trains: those of opponents are made but not counted, nor are our forced moves; stock trains on its own too.

Afterwards a few more updates of ours are looked at part by part.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from training.config import Config, config_file, load_config
from training.console import new_table, output, percent, print_json

NEVER = 1e6  # a divergence that no update reaches
STOCK_GAMES = 64  # environments of the stock learner; more do not make it faster


def main(words: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m training.throughput", description=__doc__.partition("\n")[0])
    parser.add_argument("changes", nargs="*", metavar="key=value", help="fields that differ from the configuration")
    parser.add_argument("--config", default="quickstart", help="a configuration's name or file (default %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="updates of each learner (default %(default)s)")
    parser.add_argument("--stock-games", type=int, default=STOCK_GAMES, help="games of stock (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args(words)
    # Threads that spin while they wait slow everything down as soon as anything else runs.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        config = load_config(config_file(arguments.config), arguments.changes)
        figures = measure(config, arguments.repeat, arguments.stock_games)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if arguments.json:
        print_json(figures)
    else:
        print_figures(figures)
    return 0


def measure(config: Config, repeat: int, stock_games: int) -> dict[str, Any]:
    """Decisions per second of both learners and their ratio, each with median, low and high; and ours by parts.

    The latter is in seconds for a decision.
    """
    if repeat < 1:
        raise ValueError(f"--repeat must be at least 1, got {repeat}")
    config = dataclasses.replace(config, target_kl=NEVER)  # an update that ends early would pass for a fast one
    with tempfile.TemporaryDirectory() as folder:
        learners = {"ours": make_learner(config, Path(folder) / "run"), "stock": _make_stock(config, stock_games)}
        samples: dict[str, list[float]] = {name: [] for name in learners}
        for learn in learners.values():
            learn()  # compile, warm up
        for _ in range(repeat):
            for name, learn in learners.items():
                samples[name].append(learn())
    ratios = [ours / stock for ours, stock in zip(samples["ours"], samples["stock"], strict=True)]
    return {
        "edition": config.edition,
        "repeat": repeat,
        "decisions_per_second": {name: _spread(values) for name, values in samples.items()},
        "ratio": _spread(ratios),
        "profile": {name: seconds / (repeat * config.update_size) for name, seconds in profile(config, repeat).items()},
    }


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def make_learner(config: Config, folder: Path) -> Callable[[], float]:
    """What trains one update when it is called, and answers the decisions per second."""
    import torch

    from training.run import RunDirectory
    from training.trainer import Trainer

    trainer = Trainer(config, RunDirectory.create(folder, config))
    threads = torch.get_num_threads()  # as the trainer wants them

    def learn() -> float:
        torch.set_num_threads(threads)
        return _timed(trainer.model, config.update_size)

    return learn


def _make_stock(config: Config, games: int) -> Callable[[], float]:
    """The same for sb3-contrib's learner as it comes."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    from patchwork_env.interfaces.gym import PatchworkEnv
    from patchwork_env.kernels import available_threads

    def one_game() -> PatchworkEnv:
        return PatchworkEnv(config.edition, opponent="random", seat="random", first_player="random")

    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([one_game] * games),
        n_steps=config.steps,
        batch_size=min(config.minibatch, games * config.steps),
        n_epochs=config.epochs,
        seed=config.seed,
        device="cpu",
    )

    def learn() -> float:
        torch.set_num_threads(available_threads())
        return _timed(model, games * config.steps)

    return learn


def profile(config: Config, repeat: int) -> dict[str, float]:
    """Seconds of ``repeat`` updates of ours by part, each counted once."""
    import torch

    from training.run import RunDirectory
    from training.stopwatches import Stopwatches
    from training.trainer import Trainer

    with tempfile.TemporaryDirectory() as folder, Stopwatches() as watches:
        trainer = Trainer(config, RunDirectory.create(Path(folder) / "run", config))
        trainer.model.learn(config.update_size, reset_num_timesteps=False)  # compile, warm up
        model, env = trainer.model, trainer.env
        policy, buffer = model.policy, model.rollout_buffer
        watches.watch("rollout: view", env.view, "update")
        watches.watch("rollout: network", policy, "forward", "predict_values")
        watches.watch("rollout: environment", env.games, "step", "reset")
        watches.watch("rollout: opponents", env, "_play_others")
        watches.watch("rollout: buffer", buffer, "add", "compute_returns_and_advantage")
        watches.watch("rollout: the rest", model, "collect_rollouts")
        watches.watch("update: minibatches", buffer, "_get_samples")
        watches.watch("update: forward", policy, "evaluate_actions")
        watches.watch("update: backward", torch.Tensor, "backward")
        watches.watch("update: optimizer", policy.optimizer, "step", "zero_grad")
        watches.watch("update: optimizer", torch.nn.utils, "clip_grad_norm_")
        watches.watch("update: the rest", model, "train")
        model.learn(repeat * config.update_size, reset_num_timesteps=False)
        return dict(watches.seconds)


def _timed(model: Any, decisions: int) -> float:
    start = time.perf_counter()
    model.learn(decisions, reset_num_timesteps=False)
    return decisions / (time.perf_counter() - start)


def print_figures(figures: dict[str, Any]) -> None:
    """Tables for people."""
    console = output()
    console.print(f"edition {figures['edition']}, updates of each in turn: {figures['repeat']}")
    table = new_table(("decisions per second", "median", "lowest", "highest"), words=("decisions per second",))
    for name, spread in figures["decisions_per_second"].items():
        table.add_row(name, *(f"{spread[key]:,.0f}" for key in ("median", "low", "high")))
    table.add_row("ratio", *(f"{figures['ratio'][key]:.1f}" for key in ("median", "low", "high")))
    console.print(table)
    console.print("\nwhere our time goes")
    parts = new_table(("part", "µs a decision", "share"), words=("part",))
    whole = sum(figures["profile"].values())
    for name, seconds in figures["profile"].items():
        parts.add_row(name, f"{1e6 * seconds:.1f}", percent(seconds / whole))
    console.print(parts)


if __name__ == "__main__":
    sys.exit(main())
