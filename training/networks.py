"""The networks that can be trained, by the names that a configuration gives them.

Beside the shipped one there is the same with attention, and the two usual ways to meet a large action space, to
compare with.
"""

from __future__ import annotations

import math
from typing import Self

import torch
from torch import Tensor, nn

from patchwork_env.games.patchwork.edition import OFFERED, Edition
from patchwork_env.games.patchwork.observation import tensor_layout
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.interfaces.batch import PatchworkBatch
from training import circle
from training.policy import CandidateNetwork, Observation, PolicyNetwork
from training.views import FullView, PlacedView

MOST_HEADS = 4  # of the attention


class AttentionNetwork(CandidateNetwork):
    """Scores candidates as its parent does; the embedding of the position also attends over the coming patches."""

    kind = "attention"

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(width, hidden)
        self.from_patch = nn.Sequential(nn.Linear(len(circle.FEATURES), hidden), nn.ReLU(), nn.Linear(hidden, width))
        self.attend = nn.MultiheadAttention(width, math.gcd(width, MOST_HEADS), batch_first=True)

    @staticmethod
    def view(games: PatchworkBatch, placements: int) -> PlacedView:
        """The list of candidates, and the circle."""
        return circle.CircleView(games, placements)

    def embedded(self, observation: Observation) -> Tensor:
        """The position (N, width), with what attention gathers from the circle."""
        position = super().embedded(observation)
        patches = self.from_patch(observation["circle"])
        absent = observation["circle"][:, :, circle.PRESENT] == 0
        absent[:, 0] = False  # something must be attended to, even where the circle is empty
        gathered, _ = self.attend(position[:, None], patches, patches, key_padding_mask=absent, need_weights=False)
        embedded: Tensor = position + gathered[:, 0]
        return embedded


class FullNetwork(PolicyNetwork):
    """What networks over the whole action space share: an embedding of the flat tensor and a value from it."""

    def __init__(self, edition: Edition, width: int, hidden: int) -> None:
        super().__init__(width, hidden)
        size = tensor_layout(edition).size
        self.embed = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    @classmethod
    def made_for(cls, edition: Edition, width: int, hidden: int) -> Self:
        """A new network for an edition's actions."""
        return cls(edition, width, hidden)

    @staticmethod
    def view(games: PatchworkBatch, placements: int) -> PlacedView:
        """All actions; the number of placements has no meaning here."""
        return FullView(games)

    def state_values(self, observation: Observation) -> Tensor:
        """Values (N,) alone."""
        value: Tensor = self.value(self.embed(observation["state"])).squeeze(-1)
        return value


class FlatNetwork(FullNetwork):
    """A logit for every action from the embedding, by one fully connected layer."""

    kind = "flat"

    def __init__(self, edition: Edition, width: int, hidden: int) -> None:
        super().__init__(edition, width, hidden)
        self.score = nn.Linear(width, edition.num_actions)
        nn.init.normal_(self.score.weight, std=0.01)

    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, A), -inf where masked, and values (N,)."""
        embedded = self.embed(observation["state"])
        return self.score(embedded).masked_fill(~masks, -torch.inf), self.value(embedded).squeeze(-1)


class ConvolutionNetwork(FullNetwork):
    """A plane of logits over the quilt for every offered patch and orientation, by convolutions of ``hidden`` channels.

    The planes that go in are both quilts and, for special patches and for each patch and orientation, where the upper
    left corner may lie; the embedding is added in every cell. One plane that comes out has the logits of special
    patches; those of advancing and declining come from the embedding.
    """

    kind = "convolution"

    def __init__(self, edition: Edition, width: int, hidden: int) -> None:
        super().__init__(edition, width, hidden)
        self._quilts = tensor_layout(edition).quilts
        self._planes = (-1, edition.rows, edition.columns)
        placed = 1 + OFFERED * MAX_ORIENTATIONS  # planes of special patches, then of purchases: the actions' order
        self.from_state = nn.Linear(width, hidden)
        self.from_planes = nn.Conv2d(2 + placed, hidden, 5, padding="same")
        self.score = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(hidden, hidden, 3, padding="same"),
            nn.ReLU(),
            nn.Conv2d(hidden, hidden, 3, padding="same"),
            nn.ReLU(),
            nn.Conv2d(hidden, placed, 1),
        )
        self.other = nn.Linear(width, 2)  # advance, decline

    def forward(self, observation: Observation, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, A), -inf where masked, and values (N,)."""
        state = observation["state"]
        embedded = self.embed(state)
        quilts = state[:, self._quilts].unflatten(1, self._planes)
        legal = masks[:, 1:-1].to(state.dtype).unflatten(1, self._planes)
        cells = self.from_planes(torch.cat([quilts, legal], dim=1)) + self.from_state(embedded)[:, :, None, None]
        advance, decline = self.other(embedded).split(1, dim=1)
        logits = torch.cat([advance, self.score(cells).flatten(1), decline], dim=1)
        return logits.masked_fill(~masks, -torch.inf), self.value(embedded).squeeze(-1)


NETWORKS: dict[str, type[PolicyNetwork]] = {
    network.kind: network for network in (CandidateNetwork, AttentionNetwork, FlatNetwork, ConvolutionNetwork)
}
