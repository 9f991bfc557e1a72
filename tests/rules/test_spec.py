"""The numbers of SPEC.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import patchwork_env.games.patchwork as game_package
from patchwork_env import PatchworkBatch, load_edition, patchwork_v0
from patchwork_env.games.patchwork.actions import ACTION_VERSION, describe, purchase
from patchwork_env.games.patchwork.edition import MAX_PATCH_CELLS, MAX_PATCH_SIDE, MAX_PATCHES
from patchwork_env.games.patchwork.notation import HEADING
from patchwork_env.games.patchwork.observation import OBSERVATION_VERSION, SCALARS, observation_shapes, tensor_layout
from patchwork_env.games.patchwork.reward import MARGIN_SCALE, REWARDS
from patchwork_env.games.patchwork.shapes import parse_shape
from patchwork_env.interfaces.batch import BLOB_VERSION
from tests.playing import EDITIONS

SPEC = (Path(game_package.__path__[0]) / "SPEC.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading that contains this text."""
    section = SPEC.split(heading, 1)[1]
    lines = re.findall(r"(?:^\|.*\|$\n)+", section, re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("column", range(1, 5))
def test_editions(column: int) -> None:
    table = {row[0]: row[column] for row in rows("## 2. Editions")}
    name = EDITIONS[column - 1]
    edition = load_edition(name)
    assert table[""] == f"`{name}`"
    assert table["quilt"] == f"{edition.rows}x{edition.columns}"
    later = len(edition.patches) - edition.circle_size
    assert table["patches"] == f"{edition.circle_size} + {later}" if later else f"{edition.circle_size}"
    assert table["actions"] == str(edition.num_actions)
    assert table["tensor"] == str(tensor_layout(edition).size)
    assert table["last space"] == str(edition.last_space)
    assert table["income spaces"] == " ".join(map(str, edition.income_spaces))
    assert table["special patches"] == " ".join(map(str, edition.special_spaces))
    assert table["may be declined"] == ("yes" if edition.special_may_be_declined else "no")
    bonus = f"{edition.bonus_square}x{edition.bonus_square}, {edition.bonus_points} points"
    assert table["bonus tile"] == (bonus if edition.bonus_square else "none")
    assert table["currency"] == edition.currency[1]


def test_versions() -> None:
    head = SPEC.split("## 1.")[0]
    assert f"saved-game version **{BLOB_VERSION}**" in head
    assert f"observation version **{OBSERVATION_VERSION}**, action version **{ACTION_VERSION}**" in head
    assert HEADING.endswith(re.search(r"notation version \*\*(\d+)\*\*", head)[1])  # type: ignore[index]
    assert patchwork_v0.raw_env.metadata["name"].endswith(
        "_v" + re.search(r"Environment version \*\*(\d+)\*\*", head)[1]  # type: ignore[index]
    )


def test_actions() -> None:
    edition = load_edition("revised")
    assert "`Discrete(2027)`" in SPEC
    assert [row[1] for row in rows("## 4. Actions")][-1].endswith("(2026)")
    assert edition.num_actions - 1 == 2026 == 1 + 25 * 81
    games = PatchworkBatch(1, edition, seed=1)
    games.reset(circles=[[3, 7, *(patch for patch in range(33) if patch not in (3, 7))]])
    action = purchase(edition, 1, 4, 2, 5)
    assert f"= **{action}**" in SPEC
    info = describe(edition, games.state[0], action)
    assert info.cells == ((2, 5), (2, 6), (2, 7), (3, 7))
    assert (info.slot, info.patch, info.orientation, info.row, info.column) == (1, 7, 4, 2, 5)


def test_the_drawn_orientations() -> None:
    block = SPEC.split("For patch 7")[1].split("```")[1].strip("\n").splitlines()
    starts = [match.start() for match in re.finditer(r"\d", block[0])]
    starts = [max(0, start) for start in starts]
    columns = list(zip(starts, [*starts[1:], 60], strict=True))
    drawn = [
        "/".join(line[left:right].strip() for line in block[1:] if line[left:right].strip()) for left, right in columns
    ]
    assert [parse_shape(text) for text in drawn] == list(load_edition("revised").patches[7].orientations)


def test_observations() -> None:
    shapes = observation_shapes(load_edition("revised"))
    for name, shape, dtype, _ in rows("## 5. Observations")[2:]:
        expected, kind = shapes[name.strip("`")]
        assert shape == f"(N, {', '.join(map(str, expected))})"
        assert dtype == kind.__name__
    layout = tensor_layout(load_edition("revised"))
    sizes = [s.stop - s.start for s in (layout.quilts, layout.patches, layout.circle, layout.scalars)]
    assert sizes == [162, 87, 33, 20]
    named = [
        name for row in rows("The game can be rebuilt")[2:] for name in re.findall(r"`(\w+)`", row[1].split(":")[0])
    ]
    assert tuple(named) == SCALARS
    games = PatchworkBatch(1, seed=7)
    games.reset()
    assert f"`{' '.join(map(str, games.observe()['scalars'][0]))}`" in SPEC


def test_rewards_and_limits() -> None:
    assert [row[0].strip("`") for row in rows("## 6. Rewards")[2:]] == list(REWARDS)
    assert f"divided by {MARGIN_SCALE:.0f}" in SPEC
    assert f"at most {MAX_PATCH_SIDE} cells long, {MAX_PATCH_CELLS} cells in all" in SPEC
    assert f"At most {MAX_PATCHES} patches" in SPEC
