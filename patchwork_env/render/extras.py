"""Importing what only some users have installed."""

from __future__ import annotations

import importlib
from typing import Any


def imported(module: str, extra: str) -> Any:
    """The module; if it is not installed, an error that names the extra that brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(
            f"{package} is not installed; it comes with the extra {extra!r}: pip install 'patchwork-env[{extra}]'",
            name=error.name,
        ) from None
