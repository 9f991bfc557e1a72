"""Networks that score candidates, in the shape that sb3-contrib's MaskablePPO asks for."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from patchwork_env.games.patchwork.edition import OFFERED
from training.candidates import NUM_FEATURES, VALUE
from training.situation import MOVE_SIZE, STATE_SIZE
from training.split import SplitNetwork

Observation = dict[str, Tensor]


class CandidateNetwork(nn.Module):
    """A score for every candidate and a value for the position.

    The position is embedded once. Each candidate's first layer is the sum of what comes from that embedding, from its
    kind of move and from its own features; the rest is a small network that all candidates share. The greedy player's
    value of a candidate goes past the network straight into its score, so that an untrained network already plays
    like it.
    """

    def __init__(self, width: int = 128, hidden: int = 64) -> None:
        super().__init__()
        self.width, self.hidden = width, hidden
        self.embed = nn.Sequential(nn.Linear(STATE_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.from_state = nn.Linear(width, width)
        self.from_move = nn.Linear(MOVE_SIZE, width, bias=False)
        self.move = nn.Sequential(nn.ReLU(), nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden + 1))
        self.from_candidate = nn.Linear(NUM_FEATURES, hidden, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.value = nn.Sequential(nn.Linear(width + hidden, width), nn.ReLU(), nn.Linear(width, 1))
        self.greediness = nn.Parameter(torch.tensor(16.0))
        with torch.no_grad():
            for last in (self.score[-1], self.move[-1]):
                assert isinstance(last, nn.Linear)
                last.weight[-1].normal_(std=0.01)
                last.bias[-1] = 0.0

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
        embedded = self.embed(observation["state"])
        return embedded, self.move(self.from_state(embedded)[:, None] + self.from_move(observation["moves"]))

    def _value(self, embedded: Tensor, moves: Tensor) -> Tensor:
        best = moves[:, :, :-1].amax(dim=1)  # what the mover can do tells how well it stands
        value: Tensor = self.value(torch.cat([embedded, best], dim=1)).squeeze(-1)
        return value


class CandidatePolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy over a `CandidateNetwork`.

    Differs from the parent in this: there is no feature extractor and no `MaskableCategorical`, which validates
    itself into errors when there are many actions; probabilities are a softmax over the candidates that exist, and
    sampling (by Gumbel noise on their logits) cannot give another.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        lr_schedule: Any,
        width: int = 128,
        hidden: int = 64,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        self.width = width
        self.hidden = hidden
        self.threads = threads
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        self.network = CandidateNetwork(self.width, self.hidden)
        self._split = SplitNetwork(self.network, self.threads)
        self.optimizer = self.optimizer_class(  # type: ignore[call-arg]
            self.network.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(  # type: ignore[override]
        self, obs: Observation, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Chosen candidates, values (N, 1) and logarithms of the choices' probabilities."""
        logits, values = self._split(obs, torch.as_tensor(action_masks, dtype=torch.bool))
        noise = 0.0 if deterministic else -torch.log(torch.empty_like(logits).exponential_())
        actions = (logits + noise).argmax(dim=1)
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

    def predict_values(self, obs: Observation) -> Tensor:  # type: ignore[override]
        """Values (N, 1)."""
        return self.network.state_values(obs)[:, None]
