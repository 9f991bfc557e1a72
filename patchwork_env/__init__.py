"""Reinforcement-learning environments for the Patchwork family of board games.

Importing this package registers its Gymnasium ids and loads nothing heavy: the compiled core and PettingZoo are
imported when one of the names below is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from patchwork_env.registry import register
from patchwork_env.version import __version__

if TYPE_CHECKING:
    from patchwork_env import patchwork_solo_v0, patchwork_v0, quilt_show_v0
    from patchwork_env.agents.base import make_agent
    from patchwork_env.errors import IllegalActionError
    from patchwork_env.games.patchwork.edition import Edition, EditionError, edition_names, load_edition
    from patchwork_env.interfaces.batch import PatchworkBatch
    from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
    from patchwork_env.interfaces.solo import SoloBatch

# public name -> module that has it; "" is the module itself
_PUBLIC = {
    "Edition": "patchwork_env.games.patchwork.edition",
    "EditionError": "patchwork_env.games.patchwork.edition",
    "IllegalActionError": "patchwork_env.errors",
    "PatchworkBatch": "patchwork_env.interfaces.batch",
    "QuiltShowBatch": "patchwork_env.interfaces.quilt_show_batch",
    "SoloBatch": "patchwork_env.interfaces.solo",
    "edition_names": "patchwork_env.games.patchwork.edition",
    "load_edition": "patchwork_env.games.patchwork.edition",
    "make_agent": "patchwork_env.agents.base",
    "patchwork_solo_v0": "",
    "patchwork_v0": "",
    "quilt_show_v0": "",
}

__all__ = [
    "Edition",
    "EditionError",
    "IllegalActionError",
    "PatchworkBatch",
    "QuiltShowBatch",
    "SoloBatch",
    "__version__",
    "edition_names",
    "load_edition",
    "make_agent",
    "patchwork_solo_v0",
    "patchwork_v0",
    "quilt_show_v0",
]

register()


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _PUBLIC[name]
    value = getattr(importlib.import_module(module), name) if module else importlib.import_module(f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
