"""Editions as data: what is published, what a user may write, and what the errors say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from patchwork_env import EditionError, PatchworkBatch, edition_names, load_edition, patchwork_v0
from patchwork_env.games.patchwork.palette import DEFAULT_PALETTE
from patchwork_env.games.patchwork.shapes import orientations, parse_shape, shape_text
from tests.playing import EDITIONS
from tests.reference.components import EDITIONS as RULES

PUBLISHED = Path(__file__).parents[2] / "patchwork_env" / "games" / "patchwork" / "editions"


def written(folder: Path, fields: dict[str, Any], name: str = "house.yaml") -> str:
    path = folder / name
    path.write_text(yaml.safe_dump(fields))
    return str(path)


def original_fields() -> dict[str, Any]:
    fields: dict[str, Any] = yaml.safe_load((PUBLISHED / "original.yaml").read_text())
    return {**fields, "name": "house"}


def test_the_table_of_names_is_the_folder() -> None:
    assert sorted(edition_names()) == sorted(path.stem for path in PUBLISHED.glob("*.yaml"))
    assert tuple(edition_names()) == EDITIONS


@pytest.mark.parametrize("name", EDITIONS)
def test_published_editions_have_the_numbers_of_the_reference(name: str) -> None:
    edition, rules = load_edition(name), RULES[name]
    assert (edition.rows, edition.columns) == (rules.quilt_side, rules.quilt_side)
    assert edition.start_buttons == rules.start_money
    assert edition.last_space == rules.last_space
    assert edition.income_spaces == tuple(rules.income_spaces)
    assert edition.special_spaces == tuple(rules.special_spaces)
    assert edition.special_may_be_declined == rules.may_decline
    assert (edition.bonus_square, edition.bonus_points) == (rules.bonus_square, rules.bonus_points)
    assert edition.circle_size == rules.patches_at_start
    assert edition.refill_when_left == rules.refill_when_left
    assert edition.start_patch == rules.start_patch
    assert len(edition.patches) == len(rules.patches)
    for mine, theirs in zip(edition.patches, rules.patches, strict=True):
        assert (mine.cost, mine.time, mine.income) == (theirs.cost, theirs.time, theirs.income)
        drawing = "/".join(theirs.shape) if not isinstance(theirs.shape, str) else theirs.shape
        assert shape_text(mine.shape) == drawing


def test_halloween_says_that_its_costs_are_those_of_2014() -> None:
    assert "costs of 2014" in load_edition("halloween").provenance
    assert load_edition("halloween").patches == load_edition("original").patches


def test_a_house_edition_may_change_some_costs_only(tmp_path: Path) -> None:
    path = written(tmp_path, {"extends": "halloween", "name": "my_box", "patches": {14: {"cost": 9, "time": 2}}})
    edition, base = load_edition(path), load_edition("halloween")
    assert (edition.patches[14].cost, edition.patches[14].time) == (9, 2)
    assert edition.patches[:14] == base.patches[:14]
    assert edition.special_may_be_declined
    assert edition.fingerprint != base.fingerprint
    env = patchwork_v0.env(edition=path)
    env.reset(seed=1)
    assert env.unwrapped.game.edition.name == "my_box"
    assert PatchworkBatch(2, path).edition == edition


def test_a_house_edition_may_extend_another_file(tmp_path: Path) -> None:
    written(tmp_path, {"extends": "revised", "name": "rich", "start_buttons": 20}, "rich.yaml")
    path = written(tmp_path, {"extends": "rich.yaml", "name": "richer", "track": {"income_spaces": [10, 20]}})
    edition = load_edition(path)
    assert edition.start_buttons == 20
    assert edition.income_spaces == (10, 20)
    assert edition.special_spaces == load_edition("revised").special_spaces


def test_names_and_words_do_not_change_the_fingerprint(tmp_path: Path) -> None:
    path = written(tmp_path, {"extends": "revised", "name": "mine", "currency": {"one": "bead", "many": "beads"}})
    assert load_edition(path).fingerprint == load_edition("revised").fingerprint


# what is wrong -> (changes to a good file, what the error must say)
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"start_button": 5}, r"unknown field 'start_button' \(did you mean 'start_buttons'\?\)"),
    "missing field": ({"quilt": None}, r"quilt: expected \{rows"),
    "not connected": ({"patches": {3: {"shape": "#.#"}}}, r"patches\[3\]: shape '#\.#' is not connected"),
    "odd letters": ({"patches": {3: {"shape": "#o#"}}}, r"patches\[3\]: shape '#o#' may hold only"),
    "ragged": ({"patches": {3: {"shape": "##/#"}}}, r"patches\[3\]: .* rows of different lengths"),
    "empty edge": ({"patches": {3: {"shape": "##/.."}}}, r"patches\[3\]: .* empty row or column"),
    "no cloth": ({"patches": {3: {"shape": ".."}}}, r"patches\[3\]: .* no cloth"),
    "too long": ({"patches": {3: {"shape": "#######"}}}, r"patches\[3\]: shape: at most 6 cells long"),
    "negative cost": ({"patches": {3: {"cost": -1}}}, r"patches\[3\]: cost: expected a whole number from 0"),
    "cost is text": ({"patches": {3: {"cost": "two"}}}, r"patches\[3\]: cost: expected a whole number"),
    "cost is true": ({"patches": {3: {"cost": True}}}, r"patches\[3\]: cost: expected a whole number"),
    "patch field": ({"patches": {3: {"prise": 2}}}, r"patches\[3\]: unknown field 'prise'"),
    "no such patch": ({"patches": {33: {"cost": 2}}}, r"patches: 33 is no patch id; expected 0 to 32"),
    "no patches": ({"patches": []}, r"patches: the list is empty"),
    "start patch": ({"start_patch": 40}, r"start_patch: there is no patch 40"),
    "income off track": ({"track": {"income_spaces": [5, 54]}}, r"track: income_spaces: space 54 is not on the track"),
    "special off track": ({"track": {"special_spaces": [0]}}, r"track: special_spaces: space 0 is not on the track"),
    "space twice": ({"track": {"special_spaces": [5, 5]}}, r"track: special_spaces: a space is named twice"),
    "quilt too large": ({"quilt": {"rows": 10}}, r"quilt: rows: expected a whole number from 3 to 9"),
    "patch too large": ({"quilt": {"rows": 4, "columns": 4}, "bonus_tile": None}, r"does not fit a 4x4 quilt"),
    "bonus too large": ({"bonus_tile": {"square": 10}}, r"bonus_tile: square: expected a whole number from 1 to 9"),
    "refill": (
        {"refill": {"when_left": 99, "patches": [{"shape": "#", "cost": 1, "time": 1, "income": 0}]}},
        r"refill: when_left",
    ),
    "name": ({"name": "My Box"}, r"name: expected small letters"),
    "declining": ({"special_patch_may_be_declined": "yes please"}, r"special_patch_may_be_declined: expected true or"),
    "extends nothing": ({"extends": "orignal"}, r"extends: unknown edition 'orignal' \(did you mean 'original'\?\)"),
    "extends itself": ({"extends": "house.yaml"}, r"extends: the file extends itself"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_bad_file_gets_an_error_that_names_the_field(case: str, tmp_path: Path) -> None:
    changes, message = WRONG[case]
    path = written(tmp_path, {"extends": "original", "name": "house", **changes})
    with pytest.raises(EditionError, match=message) as caught:
        load_edition(path)
    assert "house.yaml" in str(caught.value)


@pytest.mark.parametrize("field", [*original_fields()])
def test_every_field_but_three_is_required(field: str, tmp_path: Path) -> None:
    fields = original_fields()
    del fields[field]
    path = written(tmp_path, fields)
    if field == "bonus_tile":  # like refill, an edition may do without
        assert load_edition(path).bonus_square is None
        return
    if field == "palette":
        assert load_edition(path).palette == DEFAULT_PALETTE
        return
    with pytest.raises(EditionError, match=f"{field}: the field is missing"):
        load_edition(path)


def test_too_many_patches_are_refused(tmp_path: Path) -> None:
    fields = original_fields()
    fields["patches"] *= 2
    with pytest.raises(EditionError, match="at most 64 in all, got 66"):
        load_edition(written(tmp_path, fields))


@pytest.mark.parametrize("text", ["{", "- a\n- b", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(text)
    with pytest.raises(EditionError, match=r"house\.yaml"):
        load_edition(path)


def test_missing_files_and_unknown_names_are_told() -> None:
    with pytest.raises(EditionError, match="no such edition file"):
        load_edition("nowhere.yaml")
    with pytest.raises(EditionError, match=r"did you mean 'halloween'"):
        load_edition("haloween")


def test_every_orientation_is_distinct_and_has_the_same_cells() -> None:
    for name in EDITIONS:
        for patch in load_edition(name).patches:
            turns = patch.orientations
            assert turns[0] == patch.shape
            assert len(set(turns)) == len(turns) in (1, 2, 4, 8)
            assert {len(turn) for turn in turns} == {len(patch.shape)}
            assert all(set(orientations(turn)) == set(turns) for turn in turns)


def test_the_order_of_orientations_is_the_documented_one() -> None:
    drawn = [shape_text(shape) for shape in orientations(parse_shape("###/#.."))]
    assert drawn == ["###/#..", "##/.#/.#", "..#/###", "#./#./##", "###/..#", ".#/.#/##", "#../###", "##/#./#."]
