"""Games on the server: what it tells, what it refuses, and that many go on at once."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, load_edition
from patchwork_env.agents import base
from patchwork_env.commands import play as play_command
from patchwork_env.games.patchwork.notation import parse_game
from patchwork_env.interfaces.replay import check_result, replay
from patchwork_env.web import server
from patchwork_env.web.hall import Hall
from patchwork_env.web.local import tcp_socket
from patchwork_env.web.response import measure
from patchwork_env.web.server import make_app
from tests.render.games import EDITIONS, FOLDER

GATE = threading.Event()


class GatedAgent:
    """Thinks until the gate is opened."""

    def __init__(self, seed: int | None = None) -> None:
        del seed

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        assert GATE.wait(20)
        return np.array([np.flatnonzero(games.action_mask[i])[0] for i in indices])


class BrokenAgent:
    """Fails."""

    def __init__(self, seed: int | None = None) -> None:
        del seed

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        raise RuntimeError("out of thread")


class KnowingAgent(GatedAgent):
    """Has an opinion."""

    def evaluate(self, games: PatchworkBatch, index: int) -> list[tuple[int, float]]:
        return [(int(action), 0.1 + 0.5 * (action == 0)) for action in np.flatnonzero(games.action_mask[index])[:9]]


@pytest.fixture(autouse=True)
def _test_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    GATE.clear()
    for name, kind in (("gated", GatedAgent), ("broken", BrokenAgent), ("knowing", KnowingAgent)):
        monkeypatch.setitem(base.AGENTS, name, (__name__, kind.__name__))


def new_game(client: TestClient, **setup: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json=setup)
    assert answer.status_code == 200, answer.text
    state: dict[str, Any] = answer.json()
    return state


def play(client: TestClient, state: dict[str, Any], action: int) -> dict[str, Any]:
    body = {"action": action, "decisions": state["position"]["decisions"]}
    answer = client.post(f"/api/games/{state['id']}/move", json=body)
    assert answer.status_code == 200, answer.text
    after: dict[str, Any] = answer.json()
    while after["thinking"]:
        after = client.get(f"/api/games/{state['id']}", params={"after": after["version"]}).json()
    return after


def finish(client: TestClient, state: dict[str, Any]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    while not state["position"]["done"]:
        assert state["your_turn"]
        state = play(client, state, int(rng.choice(state["legal"])))
    return state


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game(client: TestClient, edition: str, seat: int) -> None:
    seats = ["human", "random"] if seat == 0 else ["random", "human"]
    state = finish(client, new_game(client, edition=edition, seats=seats, seed=4))
    record = parse_game(state["notation"])
    *_, end = replay(record)
    check_result(record, end)
    assert record.seed == 4
    assert record.players == tuple(seats)
    assert state["position"]["winner"] == end.winner
    assert len(state["log"]) == len(record.moves)
    for player, part in enumerate(state["summary"]):
        assert part["total"] == end.scores[player] == part["buttons"] + part["bonus"] + part["empty_points"]
        assert part["buttons"] == part["start"] + part["advanced"] + part["income"] - part["spent"]


def test_the_same_seed_is_the_same_game(client: TestClient) -> None:
    first, second = (new_game(client, seed=11, seats=["human", "random"]) for _ in range(2))
    assert first["position"]["circle"] == second["position"]["circle"]
    assert first["id"] != second["id"]
    assert finish(client, first)["notation"] == finish(client, second)["notation"]
    assert new_game(client)["seed"] != new_game(client)["seed"]


def test_an_illegal_move_is_explained_and_changes_nothing(client: TestClient) -> None:
    state = new_game(client, seed=3)
    legal = set(state["legal"])
    edition = load_edition("revised")
    illegal = next(action for action in range(edition.num_actions) if action not in legal)
    for action in (illegal, -1, 10**9):
        why = client.get(f"/api/games/{state['id']}/why", params={"action": action}).json()["reason"]
        answer = client.post(f"/api/games/{state['id']}/move", json={"action": action, "decisions": 0})
        assert answer.status_code == 422
        assert answer.json()["error"] == why
    assert client.get(f"/api/games/{state['id']}/why", params={"action": 0}).json() == {"reason": None}
    assert "is out of range" in answer.json()["error"]
    after = client.get(f"/api/games/{state['id']}").json()
    assert after == state


def test_a_stale_or_repeated_move_is_refused(client: TestClient) -> None:
    state = new_game(client, seed=3, seats=["human", "human"])
    play(client, state, 0)
    again = client.post(f"/api/games/{state['id']}/move", json={"action": 0, "decisions": 0})
    assert again.status_code == 409
    assert "1 decisions were taken, not 0" in again.json()["error"]


def test_moves_out_of_turn_are_refused_while_the_agent_thinks(client: TestClient) -> None:
    state = new_game(client, seats=["gated", "human"], seed=1)
    assert state["thinking"]
    assert not state["your_turn"]
    assert state["legal"] == []
    answer = client.post(f"/api/games/{state['id']}/move", json={"action": 0, "decisions": 0})
    assert answer.status_code == 409
    assert "it is not your turn: gated is to play" in answer.json()["error"]
    assert client.post(f"/api/games/{state['id']}/step", json={}).status_code == 409
    undo = client.post(f"/api/games/{state['id']}/undo", json={})
    assert "the agent is thinking" in undo.json()["error"]
    # Meanwhile the server answers others.
    assert finish(client, new_game(client, seats=["human", "advance"], seed=2))["position"]["done"]
    GATE.set()
    after = client.get(f"/api/games/{state['id']}", params={"after": state["version"]}).json()
    while after["thinking"]:
        after = client.get(f"/api/games/{state['id']}", params={"after": after["version"]}).json()
    assert after["your_turn"]


def test_an_agent_that_fails_does_not_take_the_game_with_it(client: TestClient) -> None:
    state = new_game(client, seats=["human", "broken"], seed=1)
    after = play(client, state, 0)
    assert after["failure"] == "broken could not move: out of thread"
    assert not after["thinking"]
    assert client.get(f"/api/games/{state['id']}").status_code == 200


def test_advancing_is_previewed(client: TestClient) -> None:
    state = new_game(client, seats=["human", "human"], seed=5)
    for _ in range(60):
        if state["position"]["done"]:
            break
        preview = state["advance"]
        if preview is None:
            assert state["position"]["special_pending"]
            state = play(client, state, state["legal"][0])
            continue
        mover = state["position"]["to_play"]
        before = state["position"]["players"][mover]["buttons"]
        state = play(client, state, 0)
        after = state["position"]["players"][mover]
        assert after["position"] == preview["stop"]
        assert after["buttons"] - before == preview["moved"] + preview["income"]
        assert (preview["specials"] > 0) == state["position"]["special_pending"]


def test_undo_takes_back_to_the_last_own_decision(client: TestClient) -> None:
    state = new_game(client, seats=["human", "random"], seed=5, practice=True)
    states = [state]
    for _ in range(4):
        state = play(client, state, state["legal"][-1])
        states.append(state)
    for earlier in reversed(states[:-1]):
        state = client.post(f"/api/games/{state['id']}/undo", json={}).json()
        assert state["position"] == earlier["position"]
        assert state["legal"] == earlier["legal"]
        assert state["notation"] == earlier["notation"]
    nothing = client.post(f"/api/games/{state['id']}/undo", json={})
    assert nothing.status_code == 409
    assert "no move of yours" in nothing.json()["error"]


def test_undo_is_for_practice_only(client: TestClient) -> None:
    state = play(client, new_game(client, seed=5), 0)
    answer = client.post(f"/api/games/{state['id']}/undo", json={})
    assert answer.status_code == 409
    assert "practice games only" in answer.json()["error"]


def test_watching_goes_move_by_move(client: TestClient) -> None:
    state = new_game(client, seats=["advance", "random"], seed=5)
    assert state["log"] == []
    human = client.post(f"/api/games/{state['id']}/move", json={"action": 0, "decisions": 0})
    assert human.status_code == 409
    moves = 0
    while not state["position"]["done"]:
        state = client.post(f"/api/games/{state['id']}/step", json={}).json()
        moves += 1
        assert len(state["log"]) == moves
    over = client.post(f"/api/games/{state['id']}/step", json={})
    assert over.json()["error"] == "the game is over"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_game_goes_on_from_its_notation(client: TestClient, edition: str) -> None:
    text = (FOLDER / f"{edition}.txt").read_text()
    lines = text.splitlines()
    part = "\n".join([*lines[:22], "result: unfinished"])
    state = new_game(client, notation=part, seats=["human", "random"], practice=True)
    assert parse_game(state["notation"]).moves[:15] == parse_game(text).moves[:15]
    assert finish(client, state)["position"]["done"]
    download = client.get(f"/api/games/{state['id']}/notation")
    assert download.headers["content-disposition"].startswith(f'attachment; filename="patchwork-{edition}-')
    assert parse_game(download.text).result is not None


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_replay_has_every_position_and_a_graph(client: TestClient, edition: str) -> None:
    text = (FOLDER / f"{edition}.txt").read_text()
    moves = len(parse_game(text).moves)
    recorded = client.post("/api/replay", json={"notation": text}).json()
    assert [frame["decisions"] for frame in recorded["frames"]] == list(range(moves + 1))
    assert recorded["frames"][-1]["done"]
    assert recorded["summary"][0]["total"] == recorded["frames"][-1]["players"][0]["score"]
    graph = client.post("/api/replay/graph", json={"notation": text}).json()["player_0"]
    assert len(graph) == moves + 1
    assert all(0 <= chance <= 1 for chance in graph)
    assert graph[-1] == (1 if recorded["frames"][-1]["winner"] == 0 else 0)


def test_a_wrong_notation_is_explained(client: TestClient) -> None:
    text = (FOLDER / "revised.txt").read_text().replace("3. player_", "3. palyer_", 1)
    for path in ("/api/replay", "/api/replay/graph", "/api/games"):
        answer = client.post(path, json={"notation": text})
        assert answer.status_code == 422
        assert "is no move" in answer.json()["error"]
    secret = text.replace("edition: revised", "edition: /etc/hostname.yaml")
    assert "not '/etc/hostname.yaml'" in client.post("/api/replay", json={"notation": secret}).json()["error"]


def test_analysis_by_playouts(client: TestClient) -> None:
    state = new_game(client, seed=7, seats=["human", "greedy"])
    found = client.get(f"/api/games/{state['id']}/analysis").json()
    assert found["source"] == "playouts"
    chances = [move["probability"] for move in found["moves"]]
    assert chances == sorted(chances, reverse=True)
    assert found["player_0"] == chances[0]
    assert all(move["action"] in state["legal"] for move in found["moves"])
    assert {move["kind"] for move in found["moves"]} == {"advance", "buy"}
    again = client.get(f"/api/games/{state['id']}/analysis").json()
    assert again == found


def test_analysis_by_an_agent_with_an_opinion(client: TestClient) -> None:
    state = new_game(client, seed=7, seats=["human", "knowing"])
    found = client.get(f"/api/games/{state['id']}/analysis", params={"agent": "knowing"}).json()
    assert found["source"] == "agent"
    assert found["moves"][0]["kind"] == "advance"
    assert found["moves"][0]["probability"] == 0.6


def test_analysis_of_a_game_that_is_over(client: TestClient) -> None:
    state = finish(client, new_game(client, seed=7, seats=["human", "advance"]))
    found = client.get(f"/api/games/{state['id']}/analysis").json()
    assert found["moves"] == []
    assert found["player_0"] == (1 if state["position"]["winner"] == 0 else 0)


def test_long_polling_ends_without_a_change(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LONGEST_WAIT", 0.05)
    state = new_game(client, seed=7)
    assert client.get(f"/api/games/{state['id']}", params={"after": state["version"]}).json() == state


def test_idle_games_expire(client: TestClient, hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    old, young = new_game(client), new_game(client)
    hall.tables[old["id"]].used = time.monotonic() - hall.idle_seconds - 1
    gone = client.get(f"/api/games/{old['id']}")
    assert gone.status_code == 404
    assert "may have expired" in gone.json()["error"]
    assert client.get(f"/api/games/{young['id']}").status_code == 200


def test_there_is_a_limit_to_the_games(client: TestClient, hall: Hall) -> None:
    hall.max_games = 3
    first = new_game(client)
    for _ in range(2):
        new_game(client)
    full = client.post("/api/games", json={})
    assert full.status_code == 503
    assert "already has 3 games" in full.json()["error"]
    hall.tables[first["id"]].used = time.monotonic() - hall.idle_seconds - 1
    new_game(client)


def test_two_hundred_games_at_once(client: TestClient, hall: Hall) -> None:
    states = [
        new_game(client, seed=number, seats=["human", "random"], edition="stack_n_stuff") for number in range(200)
    ]
    assert len(hall.tables) == 200

    def a_few_moves(state: dict[str, Any]) -> dict[str, Any]:
        for _ in range(3):
            state = play(client, state, state["legal"][-1])
        return state

    with ThreadPoolExecutor(16) as pool:
        after = list(pool.map(a_few_moves, states))
    for state in after:
        record = parse_game(state["notation"])
        assert len(record.moves) == len(state["log"]) >= 3
        *_, end = replay(record)
        assert end.decisions == state["position"]["decisions"]


def test_a_thousand_quick_requests(client: TestClient) -> None:
    state = new_game(client, seed=1)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: client.get(f"/api/games/{state['id']}").status_code, range(1000)))
    assert set(answers) == {200}


def test_only_one_of_many_simultaneous_moves_counts(client: TestClient) -> None:
    state = new_game(client, seed=1, seats=["human", "human"])
    body = {"action": 0, "decisions": 0}
    with ThreadPoolExecutor(16) as pool:
        codes = list(
            pool.map(lambda _: client.post(f"/api/games/{state['id']}/move", json=body).status_code, range(50))
        )
    assert codes.count(200) == 1
    assert codes.count(409) == 49


def test_workers_stop_with_the_server() -> None:
    hall = Hall()
    with TestClient(make_app(hall), base_url="http://localhost") as client:
        new_game(client)

    async def think() -> None:
        await hall.think(lambda: None)

    with pytest.raises(RuntimeError, match="shutdown"):
        asyncio.run(think())


def test_the_response_is_measured() -> None:
    found = measure("advance", 1, "stack_n_stuff")
    assert found["moves"] > 5
    assert 0 < found["median_ms"] <= found["p95_ms"] <= found["max_ms"]


def test_the_server_answers_without_delay() -> None:
    with tcp_socket(socket.AF_INET) as listener:
        assert listener.proto == socket.IPPROTO_TCP
    listener = play_command._listen("127.0.0.1", None)
    assert listener.proto == socket.IPPROTO_TCP
    listener.close()
