"""A trained player on the page."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from patchwork_env import load_edition
from patchwork_env.web.hall import Hall
from patchwork_env.web.server import make_app
from training.checkpoint import Checkpoint, save_checkpoint
from training.policy import CandidateNetwork


def test_whoever_starts_the_server_may_offer_a_checkpoint(tmp_path: Path) -> None:
    edition = load_edition("revised")
    network = CandidateNetwork(16, 16)
    save_checkpoint(tmp_path / "mine", Checkpoint(network, edition, 4, 0, {}))
    path = str(tmp_path / "mine")
    with TestClient(make_app(Hall((path,))), base_url="http://localhost:8000") as client:
        state = client.post("/api/games", json={"seats": ["human", path], "seed": 3}).json()
        for _ in range(6):
            body = {"action": state["legal"][0], "decisions": state["position"]["decisions"]}
            state = client.post(f"/api/games/{state['id']}/move", json=body).json()
            while state["thinking"]:
                state = client.get(f"/api/games/{state['id']}?after={state['version']}").json()
        assert state["position"]["decisions"] > 6
        refused = client.post("/api/games", json={"seats": ["human", path], "edition": "stack_n_stuff"})
        moved = client.post(f"/api/games/{refused.json()['id']}/move", json={"action": 0, "decisions": 0})
        assert "trained for edition 'revised'" in moved.text
