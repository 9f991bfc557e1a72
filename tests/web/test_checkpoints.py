"""A trained player on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from patchwork_env.web import hall
from patchwork_env.web.hall import Hall
from patchwork_env.web.server import make_app
from tests.networks import save_untrained
from training import agent


@pytest.mark.parametrize("search", ["", "+mcts:20"])
def test_whoever_starts_the_server_may_offer_a_checkpoint(search: str, tmp_path: Path) -> None:
    path = save_untrained(tmp_path / "mine") + search
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


def test_the_page_offers_the_shipped_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may name them, with a budget, but no file."""
    monkeypatch.setattr(agent, "PRETRAINED", tmp_path)
    save_untrained(tmp_path / "revised")
    with TestClient(make_app(Hall()), base_url="http://localhost:8000") as client:
        offered = client.get("/api/options").json()["agents"]
        assert {"pretrained", "pretrained+mcts"} <= set(offered)
        assert not any(name.startswith("checkpoint") for name in offered)
        for seat in ("pretrained", "pretrained+mcts:8"):
            state = client.post("/api/games", json={"seats": [seat, "human"], "seed": 3}).json()
            while state["thinking"]:
                state = client.get(f"/api/games/{state['id']}?after={state['version']}").json()
            assert state["position"]["decisions"] > 0
        refused = client.post("/api/games", json={"seats": [f"checkpoint+mcts:{tmp_path}", "human"]})
        assert "unknown player" in refused.text


def test_without_pytorch_the_page_does_not_offer_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall.importlib.util, "find_spec", lambda name: None)
    assert Hall().agent_names() == ["random", "advance", "greedy", "lookahead", "mcts"]
