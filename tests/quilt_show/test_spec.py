"""The numbers of SPEC.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import patchwork_env.games.quilt_show as game_package
from patchwork_env import QuiltShowBatch, quilt_show_v0
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.actions import _PHASES, ACTION_VERSION, KINDS, action_number
from patchwork_env.games.quilt_show.cards import (
    CARD_COUNTS,
    DECISION_LIMIT,
    SWAP_MONEY,
    SWAP_PIECES,
    TILES,
    VARIANTS,
    Settings,
)
from patchwork_env.games.quilt_show.notation import HEADING
from patchwork_env.games.quilt_show.observation import OBSERVATION_SHAPES, OBSERVATION_VERSION, tensor_layout
from patchwork_env.games.quilt_show.reward import MONEY_SCALE, REWARDS
from patchwork_env.games.quilt_show.rules import RANDOM_FIRST
from patchwork_env.interfaces.base import BLOB_VERSION
from patchwork_env.quilt_show_bench import measure
from tests.quilt_show.arranging import random_states

SPEC = (Path(game_package.__path__[0]) / "SPEC.md").read_text(encoding="utf-8")


def rows(heading: str, which: int = 0) -> list[list[str]]:
    """The rows of a table under a heading, without its first two lines."""
    section = SPEC.split(heading, 1)[1]
    lines = re.findall(r"(?:^\|.*\|$\n)+", section, re.MULTILINE)[which].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_versions() -> None:
    environment, observation, action, saved, notation = re.findall(r"version \*\*(\d+)\*\*", SPEC)
    assert quilt_show_v0.raw_env.metadata["name"] == f"quilt_show_v{environment}"
    assert (int(observation), int(action), int(saved)) == (OBSERVATION_VERSION, ACTION_VERSION, BLOB_VERSION)
    assert HEADING.endswith(f"notation {notation}")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_settings(players: int) -> None:
    column = {row[0]: row[players - 1] for row in rows("## 2. Settings")}
    settings = Settings(players)
    assert column["time markers, with the large one"] == str(settings.markers)
    assert column["patterns in play"] == str(settings.patterns)
    assert column["prizes a show"] == str(settings.prizes_per_show)
    pool = settings.prize_pool
    assert column["prizes in the pool"] == f"{pool[0]} to {pool[-1]}"
    assert list(pool) == list(range(pool[0], pool[-1] + 1))


def test_box_and_limits() -> None:
    assert f"{sum(CARD_COUNTS)} cards" in SPEC
    assert f"{TILES} tiles" in SPEC
    assert f"after {DECISION_LIMIT} decisions" in SPEC
    assert f"at most {SWAP_PIECES} tiles and cards and {SWAP_MONEY},000" in SPEC
    assert [row[0].strip("`") for row in rows("## 2. Settings", 1)] == list(VARIANTS)
    assert QuiltShowBatch(1)._rule[2] == RANDOM_FIRST  # the beginner is drawn unless it is said who begins


def test_actions() -> None:
    table = rows("## 4. Decisions and actions")
    assert f"`Discrete({layout.NUM_ACTIONS})`" in SPEC
    assert [row[1].strip("`") for row in table] == [kind for _, kind, _ in KINDS]
    ends = [first for first, _, _ in KINDS[1:]] + [layout.NUM_ACTIONS]
    for (first, kind, _), end, row in zip(KINDS, ends, table, strict=True):
        numbers = [int(number) for number in re.findall(r"\d+", row[0])]
        assert (numbers[0], numbers[-1]) == (first, end - 1)
        assert tuple(row[2].split(", ")) == _PHASES[kind]
        assert action_number(kind, end - 1 - first) == end - 1
    assert quilt_show_v0.raw_env().action_space("player_0").n == layout.NUM_ACTIONS  # type: ignore[attr-defined]


def test_actions_are_legal_only_in_their_phases_and_all_are_met() -> None:
    met = np.zeros(layout.NUM_ACTIONS, bool)
    kinds = np.zeros(layout.NUM_ACTIONS, int)
    for number, (first, _, _) in enumerate(KINDS):
        kinds[first:] = number
    for games in random_states(128, steps=900, every=1, num_players=4, seed=2, block_swaps=True, two_shows=True):
        for phase in range(len(layout.PHASES)):
            legal = games.action_mask[games.phases == phase].any(axis=0)
            assert all(layout.PHASES[phase] in _PHASES[KINDS[kinds[action]][1]] for action in np.flatnonzero(legal))
            met |= legal
    missing = {KINDS[kinds[action]][1] for action in np.flatnonzero(~met)}
    assert missing <= {"pass", "trade"}  # those need cards or colours to run out


def test_observation() -> None:
    table = rows("## 5. Observations")
    assert [row[0].strip("`") for row in table] == list(OBSERVATION_SHAPES)
    for row in table:
        shape, _ = OBSERVATION_SHAPES[row[0].strip("`")]
        assert row[1] == " x ".join(map(str, shape))
    assert f"has {tensor_layout().size} entries" in SPEC


def test_rewards() -> None:
    assert [row[0].strip("`") for row in rows("## 6. Rewards")] == list(REWARDS)
    assert f"in units of {int(MONEY_SCALE)},000" in SPEC


def test_bench_measures_every_case() -> None:
    figures = measure(3, repeat=1, quick=True, large_quilts=True)
    assert figures["variants"] == ["large_quilts"]
    assert {"batch_1_threads_1", "batch_64_threads_1", "batch_1024_threads_1"} <= set(figures["decisions_per_second"])
    assert all(figure["median"] > 0 for figure in figures["decisions_per_second"].values())
