"""The training loop around a game's learner: league, evaluation, metrics, checkpoints and resuming."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from patchwork_env.agents.base import make_agent
from training.config import Config
from training.console import percent
from training.display import Display
from training.games import Measured, trained_game
from training.league import League, frozen
from training.lessons import ROUND_GAMES, Lessons, Study, play_games
from training.network_agent import NetworkAgent
from training.plots import draw_curves
from training.policy import NetworkPolicy
from training.ppo import TurnAwarePPO
from training.run import RunDirectory

EVALUATION_SEED = 1_000_003  # deals that are the same in every evaluation, and not those of training


class Trainer:
    """A run: made new, or brought back with `restore`; `train` does the rest."""

    def __init__(self, config: Config, directory: RunDirectory) -> None:
        self.config = config
        self.directory = directory
        torch.set_num_threads(1)  # the policy shares out whole batches instead, see `training.split`
        self.game = trained_game(config)
        self.env = self.game.make_env()
        self.model = self.game.make_model(
            self.env,
            n_steps=config.steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            learning_rate=lambda left: (
                config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * left
            ),
            clip_range=config.clip,
            target_kl=config.target_kl,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            ent_coef=config.entropy,
            vf_coef=config.value_weight,
            max_grad_norm=config.max_grad_norm,
            policy_kwargs={"make_network": self.game.make_network, "threads": config.threads},
            seed=config.seed,
            device="cpu",
        )
        self.model.set_logger(configure(str(directory.path / "tensorboard"), ["tensorboard"]))
        self.averaged = AveragedModel(self.network, avg_fn=running_mean(config.averaged_updates))
        self.league = League(config, self.game, self.env)
        for name in [config.teacher, *config.lesson_partners] if config.teacher else []:
            make_agent(name)  # a bad name is told of at once
        self.updates = 0  # done so far
        self.seconds = 0.0  # spent so far, evaluations included
        self.best: tuple[float, ...] = ()  # win rates against the baselines, hardest first
        self.last_rates: dict[str, Measured] = {}

    @property
    def network(self) -> Any:
        """The network being trained."""
        return self.model.policy.network

    @property
    def mean_network(self) -> Any:
        """The mean of the network over the last updates: what is measured and kept."""
        return self.averaged.module

    def agent(self) -> NetworkAgent:
        """The averaged network as a player that takes its best choice."""
        return self.game.make_agent(self.mean_network)

    def train(self) -> bool:
        """Train to the end; False if Ctrl-C ended it before."""
        left = (self.config.updates - self.updates) * self.config.update_size
        with Display(self.game) as display, _interrupts() as interrupted:
            try:
                if self.config.teacher and self.updates == 0:
                    self.take_lessons(display, interrupted)
            except _Interrupted:
                return False
            if self.config.rehearsal:
                self._keep_rehearsing()
            loop = _Loop(self, display, interrupted)
            try:
                if left > 0:
                    self.model.learn(left, callback=loop, reset_num_timesteps=self.updates == 0)
            except _Interrupted:
                self.save()
                return False
            display.say("measuring the trained player")
            rates = self.evaluate(self.config.final_deals)
            self.keep_if_best(rates)
            self.save()
            self.draw()
            display.final_table(rates, self.seconds, self.directory.path)
        return True

    def take_lessons(self, display: Display, interrupted: list[bool]) -> None:
        """Round by round, let the games be played that are not played yet, and learn from all there are."""
        started = time.perf_counter()
        taken: list[Lessons] = []
        log = ["round,epoch,decisions,chosen_alike,value_error"]
        for number in range(self.config.lesson_rounds):
            lessons = self.directory.read_lessons(number) or Lessons.none()
            pupil = self.network if number > 0 else None
            teacher = self.config.teacher if pupil is None else f"the network+mcts:{self.config.lesson_search}"
            while lessons.games < self.config.lesson_games:
                if interrupted:
                    raise _Interrupted
                count = min(ROUND_GAMES, self.config.lesson_games - lessons.games)
                first = number * self.config.lesson_games + lessons.games
                lessons = Lessons.joined([lessons, play_games(self.config, first, count, pupil)])
                self.directory.save_lessons(number, lessons)
                display.say(
                    f"{teacher} played {lessons.games:,} of {self.config.lesson_games:,} games, "
                    f"{len(lessons.actions):,} decisions"
                )
            taken.append(lessons)
            everything = Lessons.joined(taken)
            for epoch, (right, error) in enumerate(self._study(everything).learn(), start=1):
                display.say(f"epoch {epoch} of the lessons: {right:.1%} chosen alike, value error {error:.3f}")
                log.append(f"{number + 1},{epoch},{len(everything.actions)},{right:.4f},{error:.4f}")
            self.directory.write("lessons.csv", "\n".join([*log, ""]))
            self.averaged.module.load_state_dict(self.network.state_dict())
            self._save_checkpoint("lessons")
        self.seconds += time.perf_counter() - started

    def _study(self, lessons: Lessons) -> Study:
        policy = self.model.policy
        assert isinstance(policy, NetworkPolicy)
        return Study(policy, lessons, self.config)

    def _keep_rehearsing(self) -> None:
        """From now on, let every update end with some of the lessons that were taken."""
        study = self._study(self.directory.all_lessons())
        assert isinstance(self.model, TurnAwarePPO)
        self.model.rehearse = lambda: study.rehearse(self.updates)

    def evaluate(self, deals: int) -> dict[str, Measured]:
        """Matches against the baselines, by their names."""
        self.last_rates = {
            name: self.game.measure(self.agent(), name, deals, EVALUATION_SEED) for name in self.config.baselines
        }
        return self.last_rates

    def keep_if_best(self, rates: dict[str, Measured]) -> None:
        """Keep the network as the best one if the last baseline, the hardest, was never beaten more often."""
        reached = tuple(result.win_rate for result in reversed(list(rates.values())))
        if reached > self.best:
            self.best = reached
            self._save_checkpoint("best")

    def save(self) -> None:
        """Write the latest checkpoint and all that resuming needs; only between two updates."""
        self._save_checkpoint("latest")
        # SB3 draws its minibatches from numpy's global generator.
        name, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002
        self.directory.save_state(
            {
                "updates": self.updates,
                "seconds": self.seconds,
                "best": list(self.best),
                "timesteps": self.model.num_timesteps,
                "n_updates": self.model._n_updates,
                "policy": frozen(self.network.state_dict()),
                "averaged": frozen(self.averaged.state_dict()),
                "optimizer": frozen(self.model.policy.optimizer.state_dict()),
                "torch_random": torch.get_rng_state(),
                "numpy_random": [name, torch.from_numpy(np.asarray(keys, np.int64)), position, has_gauss, gauss],
                "env": {name: torch.from_numpy(array) for name, array in self.env.kept().items()},
                "episode_starts": torch.from_numpy(np.array(self.model._last_episode_starts, np.bool_)),
                "league": self.league.state(),
            }
        )

    def _save_checkpoint(self, name: str) -> None:
        self.game.save(self.directory.path / name, self.mean_network, self.updates * self.config.update_size)

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state as if never stopped."""
        self.updates = state["updates"]
        self.seconds = state["seconds"]
        self.best = tuple(state["best"])
        self.model.num_timesteps = state["timesteps"]
        self.model._n_updates = state["n_updates"]
        self.league.restore(state["league"], self.network)
        self.network.load_state_dict(state["policy"])
        self.averaged.load_state_dict(state["averaged"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.env.restore({name: tensor.numpy() for name, tensor in state["env"].items()})
        self.model._last_obs = self.env.observe()
        self.model._last_episode_starts = state["episode_starts"].numpy()
        torch.set_rng_state(state["torch_random"])
        name, keys, position, has_gauss, gauss = state["numpy_random"]
        np.random.set_state((name, keys.numpy().astype(np.uint32), position, has_gauss, gauss))  # noqa: NPY002

    def draw(self) -> None:
        """Bring the picture of the learning curves up to date."""
        rows, lessons = (self.directory.read_table(name) for name in ("metrics.csv", "lessons.csv"))
        draw_curves(rows, lessons, self.game, self.directory.path / "curves.png")


class _Loop(BaseCallback):
    """What happens between two updates. SB3 calls the hooks; a rollout starts when an update is complete."""

    def __init__(self, trainer: Trainer, display: Display, interrupted: list[bool]) -> None:
        super().__init__()
        self._trainer = trainer
        self._display = display
        self._interrupted = interrupted
        self._started = time.perf_counter()
        self._first = True

    def _on_step(self) -> bool:
        return True

    def _on_training_start(self) -> None:
        """What the lessons have led to is the first point of the curves."""
        trainer = self._trainer
        if trainer.updates == 0 and trainer.config.teacher and trainer.config.evaluate_every:
            rates = trainer.evaluate(trainer.config.evaluate_deals)
            trainer.keep_if_best(rates)
            row = self._row(float("nan"), rates)
            trainer.directory.add_metrics(row)
            wins = ", ".join(f"{name} {percent(result.win_rate)}" for name, result in rates.items())
            self._display.say(f"wins after the lessons: {wins}")

    def _on_rollout_start(self) -> None:
        if not self._first:
            self._complete_update()
        self._first = False
        if self._interrupted:
            raise _Interrupted
        self._trainer.league.reseed(self._trainer.config.seed + self._trainer.updates)

    def _on_training_end(self) -> None:
        self._complete_update()

    def _complete_update(self) -> None:
        trainer, config = self._trainer, self._trainer.config
        trainer.updates += 1
        trainer.averaged.update_parameters(trainer.network)
        rates: dict[str, Measured] = {}
        if config.evaluate_every and trainer.updates % config.evaluate_every == 0:
            rates = trainer.evaluate(config.evaluate_deals)
            trainer.keep_if_best(rates)
        if trainer.updates % config.league_every == 0:
            trainer.league.join(trainer.network, trainer.updates)
        now = time.perf_counter()
        spent, self._started = now - self._started, now
        trainer.seconds += spent
        row = self._row(spent, rates)
        trainer.directory.add_metrics(row)
        trainer.env.finished.clear()
        self._display.update(trainer.updates, row, rates)
        if trainer.updates % config.checkpoint_every == 0:
            trainer.save()
        if rates:
            trainer.draw()

    def _row(self, spent: float, rates: dict[str, Measured]) -> dict[str, Any]:
        """One line of metrics, also handed to TensorBoard."""
        trainer = self._trainer
        finished = trainer.env.finished
        trainer.league.learn_from(finished.league_games, finished.league_wins)
        logged = trainer.model.logger.name_to_value
        selves = [
            rate for name, rate in zip(trainer.league.names, trainer.league.win_rates, strict=True) if "@" in name
        ]
        row: dict[str, Any] = {
            "update": trainer.updates,
            "decisions": trainer.updates * trainer.config.update_size,
            "seconds": round(trainer.seconds, 2),
            "decisions_per_second": round(trainer.config.update_size / spent, 1),
            **finished.figures(),
            "earlier_selves": sum(selves) / len(selves) if selves else float("nan"),
            **{
                name: float(logged.get(f"train/{key}", float("nan")))
                for name, key in (
                    ("entropy", "entropy_loss"),
                    ("approximate_kl", "approx_kl"),
                    ("clip_fraction", "clip_fraction"),
                    ("explained_variance", "explained_variance"),
                    ("value_loss", "value_loss"),
                )
            },
        }
        row["entropy"] = -row["entropy"]
        for name in trainer.config.baselines:
            result = rates.get(name)
            row[f"against_{name}"] = result.win_rate if result else float("nan")
            row[f"against_{name}_low"] = result.interval.low if result else float("nan")
            row[f"against_{name}_high"] = result.interval.high if result else float("nan")
        for key, value in row.items():
            if isinstance(value, int | float) and not np.isnan(value):
                trainer.model.logger.record(f"patchwork/{key}", value)
        trainer.model.logger.dump(trainer.updates * trainer.config.update_size)
        return row


def running_mean(window: int) -> Callable[[Tensor, Tensor, Tensor | int], Tensor]:
    """How `AveragedModel` takes in the weights of an update: a mean over about the last ``window`` of them."""

    def average(mean: Tensor, latest: Tensor, count: Tensor | int) -> Tensor:
        return torch.lerp(mean, latest, 1 / min(int(count) + 1, window))

    return average


class _Interrupted(Exception):  # noqa: N818 (nothing went wrong)
    """Ctrl-C was pressed, and the update under way is complete."""


@contextmanager
def _interrupts() -> Iterator[list[bool]]:
    """A list that gets an entry with Ctrl-C; a second Ctrl-C interrupts for real."""
    seen: list[bool] = []

    def note(number: int, frame: Any) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(True)
        print("\nfinishing this update, then saving (Ctrl-C again to stop at once)")

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: there is no Ctrl-C to catch
        yield seen
        return
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
