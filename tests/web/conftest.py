from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from patchwork_env.web.hall import Hall
from patchwork_env.web.server import make_app


@pytest.fixture
def hall() -> Hall:
    return Hall()


@pytest.fixture
def client(hall: Hall) -> Iterator[TestClient]:
    with TestClient(make_app(hall), base_url="http://localhost:8000") as client:
        yield client
