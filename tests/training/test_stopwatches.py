"""Time is counted once, and what was watched is as before afterwards."""

from __future__ import annotations

import threading
import time

import pytest

from training.stopwatches import Stopwatches


class Worker:
    def outer(self) -> str:
        time.sleep(0.02)
        self.inner()
        return "done"

    def inner(self) -> None:
        time.sleep(0.05)


def test_inner_time_is_not_counted_twice() -> None:
    worker = Worker()
    with Stopwatches() as watches:
        watches.watch("outer", worker, "outer")
        watches.watch("inner", Worker, "inner")
        start = time.perf_counter()
        assert worker.outer() == "done"
        spent = time.perf_counter() - start
        assert watches.seconds["inner"] >= 0.05
        assert 0.02 <= watches.seconds["outer"] <= spent - watches.seconds["inner"]
        thread = threading.Thread(target=worker.inner)
        thread.start()
        thread.join()
        assert watches.seconds["inner"] >= 0.1
    counted = dict(watches.seconds)
    worker.outer()
    assert watches.seconds == counted
    assert "outer" not in vars(worker)


def test_a_watched_function_that_raises_is_counted_and_put_back() -> None:
    class Broken:
        def fail(self) -> None:
            raise ValueError("broken")

    with Stopwatches() as watches:
        watches.watch("fail", Broken, "fail")
        with pytest.raises(ValueError, match="broken"):
            Broken().fail()
    assert watches.seconds["fail"] > 0
    assert Broken.fail.__name__ == "fail"
