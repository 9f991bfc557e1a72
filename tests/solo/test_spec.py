"""SOLO.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import patchwork_env
from patchwork_env import patchwork_solo_v0
from patchwork_env.games.patchwork.automa import automa_data, deck_names, level_names
from patchwork_env.games.patchwork.reward import MARGIN_SCALE
from patchwork_env.interfaces.solo import AUTOMA_NUMBERS, SOLO_REWARDS, automa_fields
from patchwork_env.registry import GYMNASIUM_IDS

TEXT = (Path(patchwork_env.__file__).parent / "games" / "patchwork" / "SOLO.md").read_text()


def test_levels() -> None:
    rows = re.findall(r"^\| (\w+) \| (\d+) \| ([\w, ]+) \|$", TEXT, re.MULTILINE)
    told = {
        name: (int(spaces), () if scores == "nothing" else tuple(scores.split(", "))) for name, spaces, scores in rows
    }
    assert told == {name: tuple(level) for name, level in automa_data().levels.items()}


def test_fields() -> None:
    named = re.findall(r"^\| (`[^|]+) \|", TEXT, re.MULTILINE)
    assert [entry.strip("`") for entry in named[: len(AUTOMA_NUMBERS)]] == list(AUTOMA_NUMBERS)
    cards, levels, decks = named[len(AUTOMA_NUMBERS) :]
    fields = automa_fields("normal")
    assert cards == f"`{fields[8]}` to `{fields[19]}`"
    assert levels == f"`level_{level_names()[0]}` to `level_{level_names()[-1]}`"
    assert decks == ", ".join(f"`deck_{name}`" for name in deck_names())
    assert len(fields) == 8 + 12 + 5 + 2


def test_names_and_numbers() -> None:
    assert "`patchwork_env/PatchworkSolo-v0`" in TEXT
    assert "patchwork_env/PatchworkSolo-v0" in GYMNASIUM_IDS
    assert patchwork_solo_v0.raw_env.metadata["name"] == "patchwork_solo_v0"
    assert f"divided by {MARGIN_SCALE:.0f}" in TEXT
    for name in SOLO_REWARDS:
        assert f"`{name}`:" in TEXT
    data = automa_data()
    assert f"Of the {len(data.decks['normal'])} cards {data.set_aside} are set aside" in TEXT
