"""What a network is, the one that scores candidates, and both in the shape that sb3-contrib's MaskablePPO asks for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from patchwork_env.agents.replies import REPLY_SIZE
from patchwork_env.agents.situation import MOVE_SIZE, STATE_SIZE
from patchwork_env.games.patchwork.edition import OFFERED, Edition
from patchwork_env.interfaces.batch import PatchworkBatch
from training.candidates import NUM_FEATURES, VALUE, CandidateView
from training.optimizer import MatrixOptimizer
from training.split import SplitNetwork
from training.views import PlacedView

Observation = dict[str, Tensor]


class ChoiceScorer(nn.Module, ABC):
    """What every network of every game offers: logits of choices, and a value."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.width = width
        self.hidden = hidden

    @abstractmethod
    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, K), -inf where masked, and values (N,)."""

    @abstractmethod
    def state_values(self, observation: Observation) -> Tensor:
        """Values (N,) alone."""


class PolicyNetwork(ChoiceScorer):
    """A network that plays Patchwork, with the view that it chooses from. `training.networks` lists them all."""

    kind: ClassVar[str]  # the name that a configuration gives it

    @classmethod
    @abstractmethod
    def made_for(cls, edition: Edition, width: int, hidden: int) -> Self:
        """A new network for games of an edition."""

    @staticmethod
    @abstractmethod
    def view(games: PatchworkBatch, placements: int) -> PlacedView:
        """What such a network chooses from."""


def draw(logits: Tensor, masks: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """A choice for each row (N, K) by the logits' softmax; never one that is masked.

    The largest sum of logit and Gumbel noise is such a draw. Masking comes last: noise may be infinite, once in a long
    while, and would lift a logit of -inf.
    """
    noise = torch.empty_like(logits).exponential_(generator=generator).log()
    return (logits - noise).masked_fill(~masks, -torch.inf).argmax(dim=1)


class CandidateNetwork(PolicyNetwork):
    """A score for every candidate and a value for the position.

    The position is embedded once. The answers to a kind of move go through a small network of their own, of whose
    outputs the largest over all answers are kept. Each candidate's first layer is the sum of what comes from the
    embedding, from its kind of move, from the answers to that and from its own features; the rest is a small network
    that all candidates share. The greedy player's value of a candidate goes past the network straight into its score,
    so that an untrained network already plays like it.
    """

    kind = "candidates"

    def __init__(self, width: int = 128, hidden: int = 64) -> None:
        super().__init__(width, hidden)
        self.embed = nn.Sequential(nn.Linear(STATE_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.from_state = nn.Linear(width, width)
        self.from_move = nn.Linear(MOVE_SIZE, width, bias=False)
        self.move = nn.Sequential(nn.ReLU(), nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden + 1))
        self.reply_from_state = nn.Linear(width, hidden)
        self.reply_from_row = nn.Linear(REPLY_SIZE, hidden, bias=False)
        self.reply = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.from_replies = nn.Linear(hidden, width, bias=False)
        self.from_candidate = nn.Linear(NUM_FEATURES, hidden, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.value = nn.Sequential(nn.Linear(width + hidden, width), nn.ReLU(), nn.Linear(width, 1))
        self.greediness = nn.Parameter(torch.tensor(16.0))
        with torch.no_grad():
            for last in (self.score[-1], self.move[-1]):
                assert isinstance(last, nn.Linear)
                last.weight[-1].normal_(std=0.01)
                last.bias[-1] = 0.0

    @classmethod
    def made_for(cls, edition: Edition, width: int, hidden: int) -> Self:
        """A new network; it is the same for every edition."""
        return cls(width, hidden)

    @staticmethod
    def view(games: PatchworkBatch, placements: int) -> PlacedView:
        """The list of candidates."""
        return CandidateView(games, placements)

    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, K), -inf where masked, and values (N,)."""
        embedded, moves = self._encode(observation)
        # Only the candidates that exist are scored: a third of the places, on average.
        game, place = masks.nonzero(as_tuple=True)
        placements = (masks.shape[1] - 1) // OFFERED
        move = moves[game, torch.div(place + (placements - 1), placements, rounding_mode="floor")]
        rows = observation["candidates"][game, place]
        scores = self.score(move[:, :-1] + self.from_candidate(rows)).squeeze(-1)
        scores = scores + move[:, -1] + self.greediness * rows[:, VALUE]
        logits = torch.full(masks.shape, -torch.inf, dtype=scores.dtype).index_put((game, place), scores)
        return logits, self._value(embedded, moves)

    def state_values(self, observation: Observation) -> Tensor:
        """Values (N,) alone."""
        return self._value(*self._encode(observation))

    def _encode(self, observation: Observation) -> tuple[Tensor, Tensor]:
        """The embedded position (N, width), and for each kind of move (N, 4, hidden + 1); the last is its own score."""
        embedded = self.embedded(observation)
        rows = observation["replies"]
        replies = self.reply(self.reply_from_state(embedded)[:, None, None] + self.reply_from_row(rows))
        best = (replies * rows[..., :1]).amax(dim=2)  # of the answers that there are
        moves = self.from_state(embedded)[:, None] + self.from_move(observation["moves"]) + self.from_replies(best)
        return embedded, self.move(moves)

    def _value(self, embedded: Tensor, moves: Tensor) -> Tensor:
        best = moves[:, :, :-1].amax(dim=1)  # what the mover can do tells how well it stands
        value: Tensor = self.value(torch.cat([embedded, best], dim=1)).squeeze(-1)
        return value

    def embedded(self, observation: Observation) -> Tensor:
        """The position (N, width)."""
        embedded: Tensor = self.embed(observation["state"])
        return embedded


class NetworkPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over a `ChoiceScorer`, which ``make_network`` makes.

    Differs from the parent in this: there is no feature extractor and no `MaskableCategorical`, which validates
    itself into errors when there are many actions; probabilities are a softmax over the choices that exist, and
    `draw` cannot give another.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Any,
        make_network: Callable[[], ChoiceScorer],
        threads: int = 1,
        **settings: Any,
    ) -> None:
        self._make_network = make_network
        self._threads = threads
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        self.network = self._make_network()
        self._split = SplitNetwork(self.network, self._threads)
        self.optimizer = MatrixOptimizer(self.network.parameters(), lr_schedule(1))

    def forward(  # type: ignore[override]
        self, obs: Observation, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Choices, values (N, 1) and logarithms of the choices' probabilities."""
        masks = torch.as_tensor(action_masks, dtype=torch.bool)
        logits, values = self._split(obs, masks)
        actions = logits.argmax(dim=1) if deterministic else draw(logits, masks)
        chosen = torch.log_softmax(logits, dim=1).gather(1, actions[:, None]).squeeze(1)
        return actions, values[:, None], chosen

    def evaluate_actions(  # type: ignore[override]
        self, obs: Observation, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values (N, 1), logarithms of the actions' probabilities, and entropies."""
        masks = torch.as_tensor(action_masks, dtype=torch.bool).reshape(len(actions), -1)
        logits, values = self._split(obs, masks)
        logarithms = torch.log_softmax(logits, dim=1)
        # Masked before the product: 0 * -inf would make every gradient NaN.
        entropies = -(logarithms.exp() * logarithms.masked_fill(~masks, 0.0)).sum(dim=1)
        return values[:, None], logarithms.gather(1, actions[:, None]).squeeze(1), entropies

    def judged(self, obs: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """What the network itself answers: logits (N, K) and values (N,)."""
        logits, values = self._split(obs, masks)
        return logits, values

    def predict_values(self, obs: Observation) -> Tensor:  # type: ignore[override]
        """Values (N, 1)."""
        return self.network.state_values(obs)[:, None]
