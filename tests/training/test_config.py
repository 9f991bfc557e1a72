"""Configuration in layers, and what it says when something is wrong."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from training.config import Config, ConfigError, load_config, reference, reference_page

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_configuration_is_valid(path: Path) -> None:
    assert isinstance(load_config(path), Config)


def test_layers_go_over_each_other(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("games: 64\nlearning_rate: 1e-3\nbaselines: [greedy]\n")
    config = load_config(path, ["games=128", "turn_aware=false", "league_agents=[random, greedy]"])
    assert (config.games, config.learning_rate, config.turn_aware) == (128, 1e-3, False)
    assert (config.baselines, config.league_agents) == (["greedy"], ["random", "greedy"])
    assert config.steps == Config().steps


def test_the_resolved_configuration_gives_the_same_again(tmp_path: Path) -> None:
    config = load_config(None, ["games=256", "entropy=0.002"])
    path = tmp_path / "config.yaml"
    path.write_text(config.as_yaml())
    assert load_config(path) == config


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["learningrate=1"], r"unknown field 'learningrate' \(did you mean 'learning_rate'"),
        (["games"], "expected key=value, got 'games'"),
        (["games=many"], "games: expected a value of type int, got 'many'"),
        (["games=2.5"], "games: expected a value of type int, got 2.5"),
        (["turn_aware=3"], "turn_aware: expected a value of type bool"),
        (["baselines=greedy"], "baselines: expected a list of texts"),
        (["entropy=-1"], "entropy: expected 0 to 10, got -1"),
        (["minibatch=1000"], "minibatch: 1000 must divide games \\* steps, which is 32768"),
        (["network=convolutional"], "network: expected one of candidates, .*did you mean 'convolution'"),
        (["seed=true"], "seed: expected a value of type int"),
        (["opening_share=0.5", "league_agents=[]"], "opening_share: openings are played by league_agents"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, words)


def test_bad_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no configuration file"):
        load_config(tmp_path / "nothing.yaml")
    path = tmp_path / "bad.yaml"
    for text, message in (("- 1", "a mapping of fields"), ("{", "cannot be read as YAML"), ("gmaes: 1", "'games'")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=message):
            load_config(path)
    path.write_text("")
    assert load_config(path) == Config()


def test_the_reference_names_every_field_with_a_meaning() -> None:
    text = reference()
    for known in fields(Config):
        assert f"{known.name} = " in text
        assert len(known.metadata["meaning"]) > 10
    assert set(yaml.safe_load(Config().as_yaml())) == {known.name for known in fields(Config)}


def test_the_page_of_all_fields_is_up_to_date() -> None:
    assert (CONFIGS / "README.md").read_text() == reference_page(), "run `patchwork train --reference`"
