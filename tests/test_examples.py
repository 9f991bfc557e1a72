"""Every example runs, with a tiny budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# script -> (arguments of a tiny run, what it must print)
TINY = {
    "batch_random_play.py": (["--games", "64", "--steps", "100"], "games finished"),
    "learn_from_a_search.py": (["--games", "8", "--simulations", "8", "--deals", "2"], "of 4 games against greedy"),
    "match_agents.py": (["--deals", "4"], "95% interval"),
    "quilt_show.py": ([], "won by"),
    "quilt_show_trained.py": (["--deals", "2"], "equal players win 33.3% each"),
    "render_board.py": (["--decisions", "6"], "player_1"),
    "solo_automa.py": (["--games", "4"], "solo games at level fellow"),
    "gymnasium_vector.py": (["--envs", "8", "--steps", "40"], "random play won"),
    "play_aec.py": (["--edition", "stack_n_stuff"], "wins"),
    "record_and_replay.py": ([], "all legal"),
}


def test_the_table_is_the_folder() -> None:
    assert sorted(TINY) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("script", sorted(TINY))
def test_example(script: str) -> None:
    arguments, expected = TINY[script]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
