"""The network that plays Quilt Show: a score for every choice, and a value of the situation."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.policy import ChoiceScorer, Observation
from training.quilt_show_features import GREEDY, NUM_FEATURES
from training.quilt_show_situation import SITUATION_SIZE

GREEDINESS = 4.0  # what the greedy player's choice is ahead of the others before training


class ChoiceNetwork(ChoiceScorer):
    """A score for every choice and a value for the situation.

    The situation is embedded once; each choice's features are joined with that embedding in the first layer of a
    small network that all choices share. The greedy player's choice has a head start, so that an untrained network
    already plays like it.
    """

    def __init__(self, width: int = 128, hidden: int = 64) -> None:
        super().__init__(width, hidden)
        self.embed = nn.Sequential(nn.Linear(SITUATION_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.from_state = nn.Linear(width, hidden)
        self.from_choice = nn.Linear(NUM_FEATURES, hidden, bias=False)
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.value = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.greediness = nn.Parameter(torch.tensor(GREEDINESS))
        last = self.score[-1]
        assert isinstance(last, nn.Linear)
        nn.init.normal_(last.weight, std=0.01)

    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, K), -inf where masked, and values (N,)."""
        embedded = self.embed(observation["state"])
        # Only the choices that exist are scored: a quarter of the places, on average.
        game, place = masks.nonzero(as_tuple=True)
        rows = observation["choices"][game, place]
        scores = self.score(self.from_state(embedded)[game] + self.from_choice(rows)).squeeze(-1)
        scores = scores + self.greediness * rows[:, GREEDY]
        logits = torch.full(masks.shape, -torch.inf, dtype=scores.dtype).index_put((game, place), scores)
        return logits, self.value(embedded).squeeze(-1)

    def state_values(self, observation: Observation) -> Tensor:
        """Values (N,) alone."""
        value: Tensor = self.value(self.embed(observation["state"])).squeeze(-1)
        return value
