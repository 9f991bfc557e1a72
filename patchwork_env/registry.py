"""One table of environment ids, and their registration with Gymnasium."""

from __future__ import annotations

import gymnasium

# id -> (single environment, vector environment); the texts are imported when an environment is made
GYMNASIUM_IDS: dict[str, tuple[str, str]] = {
    "patchwork_env/Patchwork-v0": (
        "patchwork_env.interfaces.gym:PatchworkEnv",
        "patchwork_env.interfaces.gym:PatchworkVectorEnv",
    ),
    "patchwork_env/QuiltShow-v0": (
        "patchwork_env.interfaces.quilt_show_gym:QuiltShowEnv",
        "patchwork_env.interfaces.quilt_show_gym:QuiltShowVectorEnv",
    ),
    "patchwork_env/PatchworkSolo-v0": (
        "patchwork_env.interfaces.solo_envs:PatchworkSoloEnv",
        "patchwork_env.interfaces.solo_envs:PatchworkSoloVectorEnv",
    ),
}


def register() -> None:
    """Make the ids known to `gymnasium.make` and `gymnasium.make_vec`; doing it twice does no harm."""
    for name, (single, vector) in GYMNASIUM_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=single, vector_entry_point=vector)
