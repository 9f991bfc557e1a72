"""Networks that score candidates, in the shape that sb3-contrib's MaskablePPO asks for."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from training.candidates import FEATURES

Observation = dict[str, Tensor]


class CandidateNetwork(nn.Module):
    """A score for every candidate and a value for the state.

    The state is embedded once; each candidate's features are joined with that embedding in the first layer of a
    small network that all candidates share. The greedy player's value of a candidate goes past the network straight
    into its score, so that an untrained network already plays like it.
    """

    def __init__(self, state_size: int, num_features: int, width: int = 128, hidden: int = 64) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(state_size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.from_state = nn.Linear(width, hidden)
        self.from_candidate = nn.Linear(num_features, hidden, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.value = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.greediness = nn.Parameter(torch.tensor(8.0))
        self._value_feature = FEATURES.index("value")
        last = self.score[-1]
        assert isinstance(last, nn.Linear)
        nn.init.normal_(last.weight, std=0.01)

    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, K), -inf where masked, and values (N,)."""
        embedded = self.embed(observation["state"])
        # Only the candidates that exist are scored: a third of the places, on average.
        game, place = masks.nonzero(as_tuple=True)
        rows = observation["candidates"][game, place]
        scores = self.score(self.from_state(embedded)[game] + self.from_candidate(rows)).squeeze(-1)
        scores = scores + self.greediness * rows[:, self._value_feature]
        logits = torch.full(masks.shape, -torch.inf, dtype=scores.dtype).index_put((game, place), scores)
        return logits, self.value(embedded).squeeze(-1)

    def state_values(self, observation: Observation) -> Tensor:
        """Values (N,) alone."""
        value: Tensor = self.value(self.embed(observation["state"])).squeeze(-1)
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
        **settings: Any,
    ) -> None:
        self.width = width
        self.hidden = hidden
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        assert isinstance(self.observation_space, spaces.Dict)
        shapes = {name: space.shape for name, space in self.observation_space.spaces.items()}
        assert shapes["state"] is not None
        assert shapes["candidates"] is not None
        self.network = CandidateNetwork(shapes["state"][0], shapes["candidates"][1], self.width, self.hidden)
        self.optimizer = self.optimizer_class(  # type: ignore[call-arg]
            self.network.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(  # type: ignore[override]
        self, obs: Observation, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Chosen candidates, values (N, 1) and logarithms of the choices' probabilities."""
        logits, values = self.network(obs, torch.as_tensor(action_masks, dtype=torch.bool))
        noise = 0.0 if deterministic else -torch.log(torch.empty_like(logits).exponential_())
        actions = (logits + noise).argmax(dim=1)
        chosen = torch.log_softmax(logits, dim=1).gather(1, actions[:, None]).squeeze(1)
        return actions, values[:, None], chosen

    def evaluate_actions(  # type: ignore[override]
        self, obs: Observation, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values (N, 1), logarithms of the actions' probabilities, and entropies."""
        masks = torch.as_tensor(action_masks, dtype=torch.bool).reshape(len(actions), -1)
        logits, values = self.network(obs, masks)
        logarithms = torch.log_softmax(logits, dim=1)
        # Masked before the product: 0 * -inf would make every gradient NaN.
        entropies = -(logarithms.exp() * logarithms.masked_fill(~masks, 0.0)).sum(dim=1)
        return values[:, None], logarithms.gather(1, actions[:, None]).squeeze(1), entropies

    def predict_values(self, obs: Observation) -> Tensor:  # type: ignore[override]
        """Values (N, 1)."""
        return self.network.state_values(obs)[:, None]
