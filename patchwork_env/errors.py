"""Errors that every game and interface shares."""

from __future__ import annotations


class IllegalActionError(ValueError):
    """An action that may not be played now; the message names the game and the reason."""
