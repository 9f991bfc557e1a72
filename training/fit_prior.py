"""Train the network that says what a strong player is likely to do, on the decisions of a tree search.

    python -m training.fit_prior --teacher mcts:200 --games 3072

The teacher plays as in `training.lessons`, which weigh every step that it considered; the network learns how those
weights are shared out among the four kinds of move. What it says is added to the greedy player's values, so it learns
only what those leave out. A search that uses the present network is a better teacher for the next one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from patchwork_env import PatchworkBatch, load_edition
from patchwork_env.agents.position import FEATURES
from patchwork_env.agents.prior import BUTTONS_PER_UNIT, HIDDEN, JOINED, PRIORS_FOLDER
from patchwork_env.agents.situation import MOVE_FEATURES, MOVE_SIZE
from training.candidates import VALUE, CandidateView
from training.config import load_config
from training.fit_value import numbers_of
from training.lessons import Lessons, places_of_choices, play_games

HELD_OUT = 10  # one decision in so many, those of the last games, is kept to test on
MINIBATCH = 1024
LEARNING_RATE = 4e-3
_VALUE_UNIT = 10.0  # buttons of greedy value that a candidate's row tells as 1


class Prior(nn.Module):
    """The network, with its parts in the order in which `patchwork_env.agents.prior` reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(FEATURES, HIDDEN)
        self.joined = nn.Linear(HIDDEN, JOINED)
        self.move = nn.Linear(MOVE_SIZE, JOINED)
        self.answer = nn.Linear(JOINED, 1)

    def forward(self, positions: Tensor, moves: Tensor) -> Tensor:
        """What it thinks of each kind of move (N, 4)."""
        joined = self.joined(torch.relu(self.hidden(positions)))
        answers: Tensor = self.answer(torch.relu(joined[:, None] + self.move(moves))).squeeze(-1)
        return answers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--edition", default="revised", help="edition to play (default: %(default)s)")
    parser.add_argument("--teacher", default="mcts:200", help="agent that is learnt from (default: %(default)s)")
    parser.add_argument("--games", type=int, default=3072, help="games to play (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=20, help="times each decision is seen (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the games and of the training")
    parser.add_argument("--output", type=Path, help="file to write (default: the edition's own)")


def seen(lessons: Lessons, edition: str) -> tuple[Tensor, ...]:
    """Positions, kinds of move, the greedy values that count, which kinds there are, and the teacher's weights."""
    games = PatchworkBatch(len(lessons.actions), edition, seed=0, auto_reset=False)
    games.reset()
    games.state[:] = lessons.positions
    games.renew_masks()
    view = CandidateView(games, placements=1)
    view.update()
    targets = places_of_choices(view, lessons.actions, lessons.weights)
    normal = ~view.moves[:, :, MOVE_FEATURES.index("special")].any(axis=1)  # a special patch is no kind of move
    greedy = view.features[:, :, VALUE] * (_VALUE_UNIT / BUTTONS_PER_UNIT)
    arrays = (view.state[:, :FEATURES], view.moves, greedy, view.mask, targets)
    return tuple(torch.from_numpy(array[normal]) for array in arrays)


def loss_of(answers: Tensor, greedy: Tensor, masks: Tensor, targets: Tensor) -> Tensor:
    """The mean cross-entropy of the teacher's weights and what follows from the answers."""
    logits = (answers + greedy).masked_fill(~masks, -torch.inf)
    return -(targets * torch.log_softmax(logits, dim=1).masked_fill(~masks, 0.0)).sum(dim=1).mean()


def fit(data: tuple[Tensor, ...], epochs: int, seed: int) -> Prior:
    """A network that tells the teacher's weights."""
    torch.manual_seed(seed)
    network = Prior()
    batches = len(data[0]) // MINIBATCH
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.02, total_iters=max(epochs * batches, 1)
    )
    for _ in range(epochs):
        for chosen in torch.randperm(len(data[0]))[: batches * MINIBATCH].split(MINIBATCH):
            positions, moves, *rest = (part[chosen] for part in data)
            loss = loss_of(network(positions, moves), *rest)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network


def run(arguments: argparse.Namespace) -> int:
    """Play, train, test and write the file."""
    edition = load_edition(arguments.edition)
    torch.set_num_threads(1)
    fields = (f"edition={edition.name}", f"teacher={arguments.teacher}", f"seed={arguments.seed}", "placements=1")
    data = seen(play_games(load_config(None, list(fields)), 0, arguments.games), edition.name)
    end = len(data[0]) - len(data[0]) // HELD_OUT
    network = fit(tuple(part[:end] for part in data), arguments.epochs, arguments.seed)
    positions, moves, greedy, masks, targets = (part[end:] for part in data)
    with torch.no_grad():
        answers = network(positions, moves)
    before, after = (loss_of(said, greedy, masks, targets) for said in (torch.zeros_like(answers), answers))
    print(
        f"{len(data[0])} decisions; cross-entropy on those not learnt from: {before:.3f} without, {after:.3f} with it"
    )
    np.save(arguments.output or PRIORS_FOLDER / f"{edition.name}.npy", numbers_of(network))
    return 0


def main(words: list[str] | None = None) -> int:
    """Read the words of a command line and run."""
    parser = argparse.ArgumentParser(prog="python -m training.fit_prior", description=__doc__.splitlines()[0])
    add_arguments(parser)
    return run(parser.parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
