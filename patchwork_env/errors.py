"""Errors that every game and interface shares."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class IllegalActionError(ValueError):
    """An action that may not be played now; the message names the game and the reason."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the known name that an unknown one is most like, to go behind it in a message; "" if none is."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
