"""Training configuration in layers: defaults, a YAML file, ``key=value`` words. Every field says what it does."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

import yaml

from patchwork_env.errors import nearest
from patchwork_env.games.quilt_show.cards import VARIANTS, Settings

NETWORK_KINDS = ("candidates", "attention", "flat", "convolution")


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names the field."""


def _field(default: Any, meaning: str) -> Any:
    return field(default_factory=lambda: copy.copy(default), metadata={"meaning": meaning})


@dataclass(frozen=True)
class Config:
    """Everything that decides how a training run goes."""

    game: str = _field("patchwork", "what is played: patchwork or quilt_show")
    edition: str = _field("revised", "of Patchwork: an edition's name, or a house edition's file")
    num_players: int = _field(2, "of Quilt Show: 2, 3 or 4")
    large_quilts: bool = _field(False, "of Quilt Show: one more point for every tile of a quilt")
    color_sorting: bool = _field(False, "of Quilt Show: the stacks are colours instead of patterns")
    two_shows: bool = _field(False, "of Quilt Show: the game ends after the second show")
    all_patterns: bool = _field(False, "of Quilt Show: all six stacks, whatever the number of players")
    block_swaps: bool = _field(False, "of Quilt Show: a turn may be spent on proposing a swap; 3 or 4 players")
    seed: int = _field(1, "seed of games, network and sampling; the same seed gives the same run")
    decisions: int = _field(1_500_000, "decisions of the learner to train on; the run ends after them")
    games: int = _field(512, "games played at once")
    steps: int = _field(64, "decisions of each game between two updates")
    epochs: int = _field(3, "passes over the decisions of an update")
    minibatch: int = _field(2048, "decisions in one gradient step")
    learning_rate: float = _field(7e-4, "Adam's step size at the start")
    final_learning_rate: float = _field(7e-5, "Adam's step size at the end; it falls in a straight line")
    clip: float = _field(0.2, "PPO's clipping range")
    target_kl: float = _field(0.02, "an update ends early once the policy has moved further than 1.5 times this")
    gamma: float = _field(1.0, "discount of a decision; 1 because a game is short")
    gae_lambda: float = _field(0.95, "how far advantages look ahead before they trust the value network")
    entropy: float = _field(0.01, "weight of the entropy bonus")
    value_weight: float = _field(1.0, "weight of the value network's loss")
    max_grad_norm: float = _field(0.5, "gradients are clipped to this length")
    outcome_share: float = _field(
        0.5, "share of the reward that is win or loss; the rest is tanh(margin / 20), or money in Quilt Show"
    )
    reward_sign: float = _field(
        1.0, "what rewards are multiplied with; -1 teaches to lose, as a check that learning is real"
    )
    turn_aware: bool = _field(True, "whether returns know whose turn it is; false shows what that is worth")
    network: str = _field("candidates", "kind of network: " + ", ".join(NETWORK_KINDS))
    placements: int = _field(
        1,
        "placements of each offered patch in the candidate view, tightest first; 448 are all there can be, but a "
        "decision then takes 110 KB: 1.8 GB in all with games * steps = 4096",
    )
    width: int = _field(128, "width of the position's embedding")
    hidden: int = _field(64, "width of the network that scores candidates; channels of the convolution")
    averaged_updates: int = _field(
        1, "what is measured and kept is the mean of the network over about so many updates; 1 for no averaging"
    )
    teacher: str = _field("", "agent whose games the network learns from before it plays by itself; none if empty")
    lesson_games: int = _field(6144, "games of the teacher in a round of lessons")
    lesson_epochs: int = _field(12, "passes over all decisions of teachers so far, after each round")
    lesson_rounds: int = _field(1, "rounds of lessons; after the first the network guides a search, which teaches it")
    lesson_search: int = _field(200, "simulations a decision of the search that teaches in later rounds")
    lesson_partners: list[str] = _field(
        ["greedy", "lookahead:6"], "agents that take seats in later rounds, beside that search and the network alone"
    )
    rehearsal: int = _field(0, "minibatches of lessons that are taken again after each update, so as not to forget")
    league_share: float = _field(0.2, "share of the games against frozen earlier selves and scripted agents")
    league_agents: list[str] = _field(["greedy"], "scripted agents of the league")
    league_every: int = _field(20, "updates between two earlier selves that join the league")
    league_size: int = _field(8, "earlier selves that the league keeps")
    opening_share: float = _field(
        0.0,
        "share of the games that begin with an opening, in which one of the league's scripted agents makes all moves",
    )
    opening_decisions: int = _field(30, "the most decisions of an opening; each number up to this is as likely")
    evaluate_every: int = _field(25, "updates between two evaluations; 0 for none before the end")
    evaluate_deals: int = _field(100, "deals of an evaluation, each played with seats swapped")
    final_deals: int = _field(500, "deals of the last evaluation")
    baselines: list[str] = _field(["random", "greedy"], "agents that the learner is measured against")
    checkpoint_every: int = _field(10, "updates between two checkpoints")
    threads: int = _field(2, "parts of a batch that the network works on at the same time, each in a thread of its own")

    def __post_init__(self) -> None:
        if self.game not in _FIELDS_OF:
            raise ConfigError(f"game: expected {' or '.join(_FIELDS_OF)}, got {self.game!r}")
        for game, names in _FIELDS_OF.items():
            for each in fields(self):
                if game != self.game and each.name in names and getattr(self, each.name) != _default(each):
                    raise ConfigError(f"{each.name}: only {game} has it, and game is {self.game}")
        for name, low, high in _BOUNDS:
            value = getattr(self, name)
            if not low <= value <= high:
                raise ConfigError(f"{name}: expected {low:g} to {high:g}, got {value}")
        if self.network not in NETWORK_KINDS:
            known = ", ".join(NETWORK_KINDS)
            raise ConfigError(
                f"network: expected one of {known}, got {self.network!r}{nearest(self.network, NETWORK_KINDS)}"
            )
        if self.games * self.steps % self.minibatch:
            raise ConfigError(
                f"minibatch: {self.minibatch} must divide games * steps, which is {self.games * self.steps}"
            )
        if self.opening_share and not self.league_agents:
            raise ConfigError("opening_share: openings are played by league_agents, and there are none")
        if self.rehearsal and not self.teacher:
            raise ConfigError("rehearsal: lessons are taken again, and without a teacher there are none")
        try:
            self.settings  # noqa: B018 (they check themselves)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    @property
    def settings(self) -> Settings:
        """Players and variants of Quilt Show."""
        return Settings(self.num_players, **{name: getattr(self, name) for name in VARIANTS})

    @property
    def update_size(self) -> int:
        """Decisions of one update."""
        return self.games * self.steps

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return -(-self.decisions // self.update_size)

    def as_yaml(self) -> str:
        """The resolved configuration as a file that gives the same run."""
        return yaml.safe_dump(dataclasses.asdict(self), sort_keys=False)


# game -> fields that mean nothing in another
_FIELDS_OF: dict[str, tuple[str, ...]] = {
    "patchwork": ("edition", "turn_aware", "network", "placements", "teacher"),
    "quilt_show": ("num_players", *VARIANTS),
}

_BOUNDS: tuple[tuple[str, float, float], ...] = (
    ("seed", 0, 2**31 - 1),
    ("decisions", 1, 1e12),
    ("games", 1, 65536),
    ("steps", 2, 4096),
    ("epochs", 1, 100),
    ("minibatch", 2, 1e7),
    ("learning_rate", 0, 1),
    ("final_learning_rate", 0, 1),
    ("clip", 0.001, 1),
    ("target_kl", 1e-6, 1e6),
    ("gamma", 0, 1),
    ("gae_lambda", 0, 1),
    ("entropy", 0, 10),
    ("value_weight", 0, 100),
    ("max_grad_norm", 1e-6, 1e6),
    ("outcome_share", 0, 1),
    ("reward_sign", -1, 1),
    ("placements", 1, 648),
    ("width", 8, 4096),
    ("hidden", 8, 4096),
    ("averaged_updates", 1, 1e6),
    ("lesson_games", 1, 1e7),
    ("lesson_epochs", 1, 1000),
    ("lesson_rounds", 1, 1000),
    ("lesson_search", 2, 1e6),
    ("rehearsal", 0, 1e6),
    ("league_share", 0, 1),
    ("league_every", 1, 1e9),
    ("league_size", 0, 1000),
    ("opening_share", 0, 1),
    ("opening_decisions", 1, 1e4),
    ("evaluate_every", 0, 1e9),
    ("evaluate_deals", 1, 1e6),
    ("final_deals", 1, 1e6),
    ("checkpoint_every", 1, 1e9),
    ("threads", 1, 256),
)


def config_file(name: str) -> Path:
    """The file of a shipped configuration by its name, or the path that the text is if it ends in .yaml."""
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    path = configs_folder() / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in configs_folder().glob("*.yaml")))
        raise ConfigError(f"there is no configuration {name!r}; known are {known}, or a file ending in .yaml")
    return path


def configs_folder() -> Path:
    """Where the named configurations lie: beside the sources, or below the current folder."""
    beside = Path(__file__).parents[1] / "configs"
    return beside if beside.is_dir() else Path("configs")


def _default(known: Field[Any]) -> Any:
    factory: Any = known.default_factory
    return factory()


def load_config(path: str | Path | None, words: Sequence[str] = ()) -> Config:
    """The configuration of a file (or the defaults), changed by ``key=value`` words."""
    values: dict[str, Any] = {}
    if path is not None:
        values = _read(Path(path))
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise ConfigError(f"expected key=value, got {word!r}")
        values[_known(key.strip(), "the command line")] = yaml.safe_load(text)
    kinds = get_type_hints(Config)
    return Config(**{name: _converted(name, value, kinds[name]) for name, value in values.items()})


def _read(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no configuration file {path}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a configuration is a mapping of fields")
    return {_known(str(key), str(path)): value for key, value in values.items()}


def _known(key: str, where: str) -> str:
    names = [known.name for known in fields(Config)]
    if key not in names:
        raise ConfigError(f"{where}: unknown field {key!r}{nearest(key, names)}")
    return key


def _converted(name: str, value: Any, kind: Any) -> Any:
    """The value as the field's kind; YAML reads 7e-4 as a text, and 1 where a float is meant."""
    if kind is float and isinstance(value, int | str) and not isinstance(value, bool):
        try:
            return float(value)
        except ValueError:
            pass
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == list[str]:
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return value
    elif isinstance(value, kind) and not (kind in (int, float) and isinstance(value, bool)):
        return value
    what = "a list of texts" if kind == list[str] else f"a value of type {kind.__name__}"
    raise ConfigError(f"{name}: expected {what}, got {value!r}")


def reference() -> str:
    """Every field with its default and its meaning, as lines of text."""
    lines = []
    for known in fields(Config):
        default = getattr(Config(), known.name)
        lines.append(f"  {known.name + ' = ' + str(default):<34} {known.metadata['meaning']}")
    return "\n".join(lines)


def reference_page() -> str:
    """The page `configs/README.md`: the shipped configurations, and every field with default and meaning."""
    lines = [
        "# Configurations",
        "",
        "`patchwork train NAME key=value ...` takes the defaults, then the file, then the words. Made by",
        "`patchwork train --reference`.",
        "",
        "| configuration | |",
        "|---|---|",
    ]
    for path in sorted(configs_folder().glob("*.yaml")):
        purpose = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"| [`{path.stem}`]({path.name}) | {purpose} |")
    lines += ["", "| field | default | |", "|---|---|---|"]
    for known in fields(Config):
        default = yaml.safe_dump(getattr(Config(), known.name), default_flow_style=True).partition("\n")[0]
        lines.append(f"| `{known.name}` | `{default}` | {known.metadata['meaning']} |")
    return "\n".join(lines) + "\n"
