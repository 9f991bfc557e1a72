"""How long a person waits for an agent's answer: ``python -m patchwork_env.web.response --agent greedy``.

Plays whole games over HTTP against a server of this machine. A response is the time from sending a move to having
the agent's answer in hand, all its moves included.
"""

from __future__ import annotations

import argparse
import http.client
import json
import time
from typing import Any

import numpy as np

from patchwork_env.web.hall import Hall
from patchwork_env.web.local import serving


def measure(agent: str, games: int, edition: str = "revised") -> dict[str, Any]:
    """Median, 95th percentile and maximum of the responses, in milliseconds."""
    waits = []
    with serving(Hall((agent,))) as address:
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=600)
        rng = np.random.default_rng(0)
        for seed in range(games + 1):  # the first game is not counted: it compiles and fills caches
            state = _ask(connection, "/api/games", {"edition": edition, "seats": ["human", agent], "seed": seed})
            while not state["position"]["done"]:
                decisions = state["position"]["decisions"]
                body = {"action": int(rng.choice(state["legal"])), "decisions": decisions}
                began = time.perf_counter()
                state = _ask(connection, f"/api/games/{state['id']}/move", body)
                while state["thinking"]:
                    state = _ask(connection, f"/api/games/{state['id']}?after={state['version']}")
                if seed:
                    waits.append(1000 * (time.perf_counter() - began))
        connection.close()
    median, high = np.percentile(waits, [50, 95])
    return {
        "agent": agent,
        "edition": edition,
        "games": games,
        "moves": len(waits),
        "median_ms": round(float(median), 1),
        "p95_ms": round(float(high), 1),
        "max_ms": round(max(waits), 1),
    }


def _ask(connection: http.client.HTTPConnection, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    if body is None:
        connection.request("GET", path)
    else:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = json.loads(answer.read())
    if answer.status != 200:
        raise RuntimeError(f"{path}: {content['error']}")
    result: dict[str, Any] = content
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure how long a person waits for an agent's answer.")
    parser.add_argument("--agent", default="greedy")
    parser.add_argument("--edition", default="revised")
    parser.add_argument("--games", type=int, default=20)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.agent, arguments.games, arguments.edition)))
