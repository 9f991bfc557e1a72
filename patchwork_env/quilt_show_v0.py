"""PettingZoo entry of Quilt Show, version 0: `env` with the usual wrappers, `raw_env` without."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from patchwork_env.interfaces.quilt_show_aec import RawQuiltShowEnv

raw_env = RawQuiltShowEnv


def env(**settings: Any) -> Any:
    """`raw_env` with PettingZoo's wrappers: an illegal action ends the game with -1 for who played it."""
    game: AECEnv[str, Any, Any] = raw_env(**settings)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)
