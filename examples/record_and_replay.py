"""Play a house edition, write the game down, and read it back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from patchwork_env import patchwork_v0
from patchwork_env.games.patchwork.notation import format_game, parse_game
from patchwork_env.interfaces.replay import check_result, replay


def main() -> None:
    env = patchwork_v0.raw_env(edition=Path(__file__).with_name("my_halloween.yaml"))
    env.reset(seed=3)
    generator = np.random.default_rng(3)
    while not any(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(generator.choice(np.flatnonzero(mask))))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "halloween.game"
        path.write_text(format_game(env.record()))
        record = parse_game(path.read_text(), path.name)
        *_, game = replay(record, path.name)
        check_result(record, game, path.name)
    print(f"{len(record.moves)} moves, all legal; the first three:")
    for number, move in enumerate(record.moves[:3], 1):
        print(f"  {number}. {move}")
    print(f"scores {game.scores}, player_{game.winner} wins")


if __name__ == "__main__":
    main()
