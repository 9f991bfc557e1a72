"""Draw a game in the middle: as text, and as a PNG if a path is given."""

from __future__ import annotations

import argparse

import numpy as np
from PIL import Image

from patchwork_env import make_agent, patchwork_v0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=25)
    parser.add_argument("--png", help="where to write the picture")
    arguments = parser.parse_args()

    env = patchwork_v0.raw_env(render_mode="rgb_array" if arguments.png else "ansi")
    env.reset(seed=7)
    agent = make_agent("greedy")
    for _ in range(arguments.decisions):
        env.step(int(agent.act(env.games, np.zeros(1, np.int64))[0]))
    picture = env.render()
    if arguments.png:
        Image.fromarray(picture).save(arguments.png)
        print(f"wrote {arguments.png}")
    else:
        print(picture)


if __name__ == "__main__":
    main()
