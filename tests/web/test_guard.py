"""What the server refuses: foreign hosts and sites, bad bodies, and everything outside its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patchwork_env.web.guard import MAX_BODY
from patchwork_env.web.server import STATIC, make_app


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(), base_url="http://localhost:8000") as client:
        yield client


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "127.0.0.1.evil", "[", "a@b"]
)
@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/options"])
def test_a_foreign_host_is_refused(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert "does not answer to the host name" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "LOCALHOST:8000", "[::1]:8000"])
def test_own_names_are_accepted(client: TestClient, host: str) -> None:
    assert client.get("/api/options", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9999", "http://localhost:8000.evil"]
)
def test_another_site_is_refused(client: TestClient, origin: str) -> None:
    for answer in (
        client.post("/api/games", json={}, headers={"Origin": origin}),
        client.get("/api/options", headers={"Origin": origin}),
        client.get("/", headers={"Origin": origin}),
    ):
        assert answer.status_code == 403
        assert answer.json()["error"] == "requests from other sites are refused"


def test_the_own_page_is_accepted(client: TestClient) -> None:
    headers = {"Origin": "http://localhost:8000", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/games", json={}, headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_says_that_a_request_is_foreign(client: TestClient, site: str) -> None:
    assert client.get("/api/options", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": site}).status_code == 200  # a link to the page is fine


def test_no_answer_may_be_read_by_or_shown_in_another_site(client: TestClient) -> None:
    for path in ("/", "/api/options", "/static/nothing.js"):
        headers = client.get(path).headers
        assert "access-control-allow-origin" not in headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_page_cannot_post(client: TestClient, kind: str) -> None:
    answer = client.post("/api/games", content="{}", headers={"Content-Type": kind})
    assert answer.status_code == 415


@pytest.mark.parametrize("body", ["", "{", "nonsense", "[" * 20000, '{"a": NaN', b"\xff\xfe"])
def test_bad_json(client: TestClient, body: Any) -> None:
    answer = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == (200 if body == "" else 400)


@pytest.mark.parametrize("body", ["[]", "3", "null", '"text"'])
def test_json_that_is_no_object(client: TestClient, body: str) -> None:
    answer = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "must be an object" in answer.json()["error"]


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"edition": "revisde"}, "edition: expected one of original"),
        ({"edition": "../../secret.yaml"}, "edition: expected one of original"),
        ({"edition": 3}, "edition: 3 is not of the right kind"),
        ({"editon": "revised"}, "unknown field 'editon'"),
        ({"seats": ["human"]}, "seats: expected two players"),
        ({"seats": ["human", 3]}, "seats: expected two players"),
        ({"seats": ["human", "x" * 400]}, "seats: expected two players"),
        ({"seats": ["human", "gready"]}, "unknown player 'gready'; known are human"),
        ({"seats": ["human", "/etc/passwd"]}, "unknown player '/etc/passwd'"),
        ({"seats": ["human", "checkpoint:/etc"]}, "unknown player 'checkpoint:/etc'"),
        (
            {"seats": ["human", "mcts:9999s"]},
            "player 'mcts:9999s': here a budget is a number up to 20000, 10000ms, 10s",
        ),
        ({"seats": ["human", "mcts:900000"]}, "player 'mcts:900000': here a budget"),
        ({"seats": ["human", "greedy:weights=/etc/passwd"]}, "player 'greedy:weights=/etc/passwd': here a budget"),
        ({"seats": ["human", "random:speed=3"]}, "player 'random:speed=3': here a budget"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"seed": 1.5}, "seed: 1.5 is not of the right kind"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"seed": 2**60}, "seed: expected a whole number"),
        ({"first_player": "me"}, "first_player: expected one of"),
        ({"practice": 1}, "practice: 1 is not of the right kind"),
        ({"notation": "hello"}, "line 1: expected 'patchwork game"),
    ],
)
def test_a_bad_setup_is_named(client: TestClient, setup: dict[str, Any], message: str) -> None:
    answer = client.post("/api/games", json=setup)
    assert answer.status_code == 422
    assert message in answer.json()["error"]


@pytest.mark.parametrize(
    "body", [{}, {"action": 0}, {"action": "0", "decisions": 0}, {"action": True, "decisions": 0}, {"x": 1}]
)
def test_a_bad_move_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    identity = client.post("/api/games", json={}).json()["id"]
    assert client.post(f"/api/games/{identity}/move", json=body).status_code == 422


@pytest.mark.parametrize("what", ["move", "undo", "step", "analysis", "notation", ""])
def test_an_unknown_game(client: TestClient, what: str) -> None:
    path = f"/api/games/nobody/{what}".rstrip("/")
    answer = client.post(path, json={}) if what in ("move", "undo", "step") else client.get(path)
    assert answer.status_code == 404
    assert "there is no such game" in answer.json()["error"]


def test_huge_bodies_are_refused(client: TestClient) -> None:
    body = json.dumps({"notation": "x" * MAX_BODY})
    answer = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413

    def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 10_000

    streamed = client.post("/api/games", content=pieces(), headers={"Content-Type": "application/json"})
    assert streamed.status_code == 413
    lying = client.post(
        "/api/games", content="{}", headers={"Content-Type": "application/json", "Content-Length": "many"}
    )
    assert lying.status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/static/..%5cserver.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/.",
        "/static/",
        "/server.py",
        "/static/main.js%00.html",
        "/docs",
        "/openapi.json",
    ],
)
def test_nothing_outside_the_folder_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_every_file_is_served_with_its_kind(client: TestClient) -> None:
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    for path in STATIC.iterdir():
        answer = client.get(f"/static/{path.name}")
        assert answer.status_code == 200
        assert answer.content == path.read_bytes()
        assert answer.headers["content-type"].startswith(kinds[path.suffix])


def test_the_first_page_load_is_small_and_stays_at_home(client: TestClient) -> None:
    size = sum(path.stat().st_size for path in STATIC.iterdir())
    size += len(client.get("/api/options").content) + len(client.get("/api/editions/revised").content)
    assert size < 300_000
    for path in STATIC.iterdir():
        text = path.read_text()
        for mark in ("http://", "https://"):
            for rest in text.split(mark)[1:]:
                assert rest.startswith("www.w3.org/"), f"{path.name} names {mark}{rest[:30]}"


def test_unknown_editions(client: TestClient) -> None:
    assert client.get("/api/editions/revised").json()["rows"] == 9
    assert client.get("/api/editions/nope").status_code == 404
    assert client.get("/api/editions/..%2frevised").status_code == 404
