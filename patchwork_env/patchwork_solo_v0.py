"""PettingZoo entry of the solo game, version 0: `env` with the usual wrappers, `raw_env` without."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from patchwork_env.interfaces.solo_envs import RawPatchworkSoloEnv

raw_env = RawPatchworkSoloEnv


def env(**settings: Any) -> Any:
    """`raw_env` with PettingZoo's wrappers: an illegal action ends the game with -1."""
    game: AECEnv[str, Any, Any] = raw_env(**settings)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)
