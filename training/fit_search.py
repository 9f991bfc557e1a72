"""Train the two small networks of the scripted search on the decisions of a stronger player.

    python -m training.fit_search --teacher mcts:200 --games 3072
    python -m training.fit_search --lessons runs/taught

One says what a position is worth (`patchwork_env.agents.position`), the other what a strong player is likely to do
(`patchwork_env.agents.prior`). Both learn from lessons (`training.lessons`): those of a teacher that plays them now, or
those that a run has kept, in which a network has taught itself. A search that uses the new networks is a better
teacher for the next ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from patchwork_env import PatchworkBatch, load_edition
from patchwork_env.agents import position, prior
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.position import FEATURES, VALUES_FOLDER, write_features_of_games
from patchwork_env.agents.prior import BUTTONS_PER_UNIT, JOINED, PRIORS_FOLDER
from patchwork_env.agents.situation import MOVE_FEATURES, MOVE_SIZE
from training.candidates import VALUE, CandidateView
from training.config import load_config
from training.lessons import Lessons, places_of_choices, play_games
from training.optimizer import MatrixOptimizer
from training.run import RunDirectory

HELD_OUT = 10  # one lesson in so many, those of the last games, is kept to test on
MINIBATCH = 1024
PART = 1 << 15  # lessons that are looked at together
LEARNING_RATE = 1e-2
VALUE_EPOCHS, PRIOR_EPOCHS = 40, 20
_VALUE_UNIT = 10.0  # buttons of greedy value that a candidate's row tells as 1

Data = tuple[Tensor, ...]  # what a network sees, and what it is to answer


class Value(nn.Sequential):
    """What a position is worth; its parts are in the order in which `patchwork_env.agents.position` reads them."""

    def __init__(self) -> None:
        hidden = position.HIDDEN
        layers = (nn.Linear(FEATURES, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1))
        super().__init__(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2], nn.Tanh(), nn.Flatten(0))


class Prior(nn.Module):
    """What is likely to be done; its parts are in the order in which `patchwork_env.agents.prior` reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(FEATURES, prior.HIDDEN)
        self.joined = nn.Linear(prior.HIDDEN, JOINED)
        self.move = nn.Linear(MOVE_SIZE, JOINED)
        self.answer = nn.Linear(JOINED, 1)

    def forward(self, positions: Tensor, moves: Tensor) -> Tensor:
        """What it thinks of each kind of move (N, 4)."""
        joined = self.joined(torch.relu(self.hidden(positions)))
        answers: Tensor = self.answer(torch.relu(joined[:, None] + self.move(moves))).squeeze(-1)
        return answers


def value_data(lessons: Lessons, edition: str) -> Data:
    """The positions of lessons and those to which the teacher's choices lead, and what they are worth."""
    games = _games_of(lessons, edition)
    everyone = np.arange(len(lessons.actions))
    movers = games.to_play.copy()
    before = _features(games, everyone)
    games.step(lessons.actions[:, 0], everyone)
    live = np.flatnonzero(~games.done)
    after = np.where(games.to_play == movers, lessons.values, -lessons.values)[live]
    arrays = (np.concatenate([before, _features(games, live)]), np.concatenate([lessons.values, after]))
    return tuple(torch.from_numpy(array) for array in arrays)


def _features(games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a network sees of games."""
    features = np.zeros((len(indices), FEATURES), np.float32)
    write_features_of_games(indices, games.tables, games.state, border_words(games.edition), np.zeros(5), features)
    return features


def prior_data(lessons: Lessons, edition: str) -> Data:
    """Positions, kinds of move, the greedy values that count, which kinds there are, and the teacher's weights."""
    view = CandidateView(_games_of(lessons, edition), placements=1)
    view.update()
    targets = places_of_choices(view, lessons.actions, lessons.weights)
    normal = ~view.moves[:, :, MOVE_FEATURES.index("special")].any(axis=1)  # a special patch is no kind of move
    greedy = view.features[:, :, VALUE] * (_VALUE_UNIT / BUTTONS_PER_UNIT)
    arrays = (view.state[:, :FEATURES], view.moves, greedy, view.mask, targets)
    return tuple(torch.from_numpy(array[normal]) for array in arrays)


def _games_of(lessons: Lessons, edition: str) -> PatchworkBatch:
    """Games that stand where the lessons were given."""
    games = PatchworkBatch(len(lessons.actions), edition, seed=0, auto_reset=False)
    games.reset()
    games.state[:] = lessons.positions
    games.renew_masks()
    return games


def seen(lessons: Lessons, look: Callable[[Lessons, str], Data], edition: str) -> Data:
    """What `value_data` or `prior_data` sees in lessons, part by part for the sake of memory."""
    parts = [look(lessons.part(first, first + PART), edition) for first in range(0, len(lessons.actions), PART)]
    return tuple(torch.cat(tensors) for tensors in zip(*parts, strict=True))


def value_loss(network: nn.Module, data: Data) -> Tensor:
    """The mean square error."""
    positions, values = data
    return nn.functional.mse_loss(network(positions), values)


def prior_loss(network: nn.Module | None, data: Data) -> Tensor:
    """The cross-entropy of the teacher's weights and what follows from greedy values and a network, if there is one."""
    positions, moves, greedy, masks, targets = data
    logits = (greedy if network is None else network(positions, moves) + greedy).masked_fill(~masks, -torch.inf)
    return -(targets * torch.log_softmax(logits, dim=1).masked_fill(~masks, 0.0)).sum(dim=1).mean()


def fit(network: nn.Module, data: Data, loss_of: Callable[[nn.Module, Data], Tensor], epochs: int) -> None:
    """Train a network."""
    batches = len(data[0]) // MINIBATCH
    optimizer = MatrixOptimizer(network.parameters(), LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.01, total_iters=max(epochs * batches, 1)
    )
    for _ in range(epochs):
        for chosen in torch.randperm(len(data[0]))[: batches * MINIBATCH].split(MINIBATCH):
            loss = loss_of(network, tuple(part[chosen] for part in data))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def numbers_of(network: nn.Module) -> NDArray[np.float32]:
    """The parameters of a network's linear layers in one row, as the kernels of `position.layer` read them."""
    parts: list[NDArray[np.float32]] = []
    for part in network.children():
        if isinstance(part, nn.Linear):
            parts += [part.weight.detach().numpy().T.ravel(), part.bias.detach().numpy()]
    return np.concatenate(parts).astype(np.float32)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--edition", default="revised", help="edition to play (default: %(default)s)")
    parser.add_argument("--teacher", default="mcts:200", help="agent that is learnt from (default: %(default)s)")
    parser.add_argument("--games", type=int, default=3072, help="games of the teacher (default: %(default)s)")
    parser.add_argument("--lessons", type=Path, help="folder of a run whose lessons are learnt from instead")
    parser.add_argument("--epochs", type=float, default=1.0, help="this many times the usual passes")
    parser.add_argument("--seed", type=int, default=0, help="seed of the games and of the training")
    parser.add_argument("--output", type=Path, help="folder for the files (default: where the search reads them)")


def lessons_of(arguments: argparse.Namespace) -> tuple[Lessons, str]:
    """The lessons to learn from, and their edition."""
    if arguments.lessons is not None:
        run, config = RunDirectory(arguments.lessons), load_config(arguments.lessons / "config.yaml")
        return run.all_lessons(), config.edition
    fields = (f"edition={arguments.edition}", f"teacher={arguments.teacher}", f"seed={arguments.seed}")
    return play_games(load_config(None, [*fields, "placements=1"]), 0, arguments.games), arguments.edition


def run(arguments: argparse.Namespace) -> int:
    """Play or read, train, test and write the files."""
    torch.set_num_threads(1)
    lessons, edition = lessons_of(arguments)
    name = load_edition(edition).name
    end = len(lessons.actions) - len(lessons.actions) // HELD_OUT
    learnt, kept = lessons.part(0, end), lessons.part(end, len(lessons.actions))
    folders = [
        arguments.output / folder.name if arguments.output else folder for folder in (VALUES_FOLDER, PRIORS_FOLDER)
    ]
    torch.manual_seed(arguments.seed)
    value, likely = Value(), Prior()
    fit(value, seen(learnt, value_data, edition), value_loss, round(VALUE_EPOCHS * arguments.epochs))
    fit(likely, seen(learnt, prior_data, edition), prior_loss, round(PRIOR_EPOCHS * arguments.epochs))
    with torch.no_grad():
        test = seen(kept, value_data, edition)
        explained = 1 - value_loss(value, test) / test[1].var()
        test = seen(kept, prior_data, edition)
        without, with_it = prior_loss(None, test), prior_loss(likely, test)
    print(f"{len(lessons.actions):,} decisions; of {len(kept.actions):,} not learnt from:")
    print(f"  value: explains {explained:.1%} of what positions are worth")
    print(f"  prior: cross-entropy with the teacher {without:.3f} by greedy values alone, {with_it:.3f} with it")
    for folder, network in zip(folders, (value, likely), strict=True):
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{name}.npy", numbers_of(network))
    return 0


def main(words: list[str] | None = None) -> int:
    """Read the words of a command line and run."""
    parser = argparse.ArgumentParser(prog="python -m training.fit_search", description=__doc__.splitlines()[0])
    add_arguments(parser)
    return run(parser.parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
