"""Train the network that says how a position will go, on games between agents.

    python -m training.fit_value --players greedy lookahead:2 lookahead:4 --games 8192

Every player named plays every other and itself, and now and then makes a random move so that poor positions are
seen too. Every position learns how its game ended. Training on the games of an agent that uses the present
network makes the next one better.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from patchwork_env import PatchworkBatch, load_edition, make_agent
from patchwork_env.agents.packing import border_words
from patchwork_env.agents.playout import MARGIN_SCALE, OUTCOME_SHARE, result_value
from patchwork_env.agents.position import FEATURES, HIDDEN, VALUES_FOLDER, write_features_of_games

BATCH_GAMES = 512  # games played together
HELD_OUT = 10  # one game in so many is kept to test on
MINIBATCH = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--edition", default="revised", help="edition to play (default: %(default)s)")
    parser.add_argument("--players", nargs="+", default=["greedy"], help="agents whose games are learnt from")
    parser.add_argument("--games", type=int, default=8192, help="games to play (default: %(default)s)")
    parser.add_argument("--random", type=float, default=0.05, help="share of random moves (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=6, help="times each position is seen (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the games and of the training")
    parser.add_argument("--output", type=Path, help="file to write (default: the edition's own)")


def play_games(arguments: argparse.Namespace) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Features of the positions met, how each went for its mover, and the number of its game."""
    inputs, results, numbers = [], [], []
    random_mover = make_agent("random", seed=arguments.seed + 1)
    for first in range(0, arguments.games, BATCH_GAMES):
        games = PatchworkBatch(BATCH_GAMES, arguments.edition, seed=arguments.seed + first, auto_reset=False)
        games.reset()
        both, count = first // BATCH_GAMES, len(arguments.players)
        names = arguments.players[both % count], arguments.players[both // count % count]
        players = [make_agent(name, seed=arguments.seed + first + seat) for seat, name in enumerate(names)]
        dice = np.random.default_rng(arguments.seed + first)
        seen: list[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int8]]] = []
        while True:
            playing = np.flatnonzero(~games.done)
            if not playing.size:
                break
            features = np.zeros((len(playing), FEATURES), np.float32)
            write_features_of_games(
                playing, games.tables, games.state, border_words(games.edition), np.zeros(5), features
            )
            seen.append((features, playing, games.to_play[playing].copy()))
            actions = np.zeros(len(playing), np.int64)
            for seat, player in enumerate(players):
                own = np.flatnonzero(games.to_play[playing] == seat)
                if own.size:
                    actions[own] = player.act(games, playing[own])
            strays = dice.random(len(playing)) < arguments.random
            if strays.any():
                actions[strays] = random_mover.act(games, playing[strays])
            games.step(actions, playing)
        ends = np.array([result_value(games.tables[0], game, OUTCOME_SHARE, MARGIN_SCALE) for game in games.state])
        for features, playing, movers in seen:
            inputs.append(features)
            results.append(np.where(movers == 0, ends[playing], -ends[playing]).astype(np.float32))
            numbers.append(playing + first)
    return np.concatenate(inputs), np.concatenate(results), np.concatenate(numbers)


def fit(inputs: NDArray[np.float32], results: NDArray[np.float32], epochs: int, seed: int) -> nn.Sequential:
    """A network that tells results from features."""
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(FEATURES, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, 1),
        nn.Tanh(),
    )
    features, targets = torch.from_numpy(inputs), torch.from_numpy(results)
    steps = epochs * (len(features) // MINIBATCH)
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=steps)
    for _ in range(epochs):
        order = torch.randperm(len(features))
        for chosen in order[: len(order) // MINIBATCH * MINIBATCH].split(MINIBATCH):
            loss = (network(features[chosen])[:, 0] - targets[chosen]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network


def numbers_of(network: nn.Module) -> NDArray[np.float32]:
    """The parameters of a network's linear layers in one row, as the kernels of `position.layer` read them."""
    parts: list[NDArray[np.float32]] = []
    for part in network.children():
        if isinstance(part, nn.Linear):
            parts += [part.weight.detach().numpy().T.ravel(), part.bias.detach().numpy()]
    return np.concatenate(parts).astype(np.float32)


def run(arguments: argparse.Namespace) -> int:
    """Play, train, test and write the file."""
    edition = load_edition(arguments.edition)
    torch.set_num_threads(1)
    inputs, results, numbers = play_games(arguments)
    test = numbers % HELD_OUT == 0
    network = fit(inputs[~test], results[~test], arguments.epochs, arguments.seed)
    with torch.no_grad():
        answers = network(torch.from_numpy(inputs[test]))[:, 0].numpy()
    error, spread = np.square(answers - results[test]).mean(), results[test].var()
    right = (np.sign(answers) == np.sign(results[test])).mean()
    print(f"{len(inputs)} positions; on games not learnt from: explains {1 - error / spread:.1%}, winner {right:.1%}")
    np.save(arguments.output or VALUES_FOLDER / f"{edition.name}.npy", numbers_of(network))
    return 0


def main(words: list[str] | None = None) -> int:
    """Read the words of a command line and run."""
    parser = argparse.ArgumentParser(prog="python -m training.fit_value", description=__doc__.splitlines()[0])
    add_arguments(parser)
    return run(parser.parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
