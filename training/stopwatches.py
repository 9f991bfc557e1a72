"""Where time goes: functions are wrapped while one looks, and the time spent in each is counted once.

What a watched function spends in another watched one counts for the inner one only, so the parts add up. Every thread
has its own account of who called whom.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any


class Stopwatches:
    """A context in which functions can be watched; they are as before when it ends."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}  # by label, in the order in which they were first watched
        self._undo: list[Callable[[], None]] = []
        self._inner = threading.local()  # .spent: seconds in watched functions, for each one that is running
        self._lock = threading.Lock()

    def __enter__(self) -> Stopwatches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._undo:
            self._undo.pop()()

    def watch(self, label: str, owner: Any, *names: str) -> None:
        """Count for ``label`` the time spent in these functions of a class, an object or a module."""
        self.seconds.setdefault(label, 0.0)
        for name in names:
            self._undo.append(_putting_back(owner, name))
            setattr(owner, name, self._timed(label, getattr(owner, name)))

    def _timed(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            running: list[float] = self._inner.__dict__.setdefault("spent", [])
            running.append(0.0)
            start = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                spent = time.perf_counter() - start
                with self._lock:
                    self.seconds[label] += spent - running.pop()
                if running:
                    running[-1] += spent

        return timed


def _putting_back(owner: Any, name: str) -> Callable[[], None]:
    """What undoes the replacement of an attribute, whether the owner has it itself or inherits it."""
    if name in vars(owner):
        original = vars(owner)[name]
        return lambda: setattr(owner, name, original)
    return lambda: delattr(owner, name)
